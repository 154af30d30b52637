// SPDX-License-Identifier: Apache-2.0
// What a page of ours is made of: the style sheet and scripts beside this file, put into the program when it is built.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

struct PageFile {
  std::string_view name, content;
};
std::span<const PageFile> page_files();  // made from them by cmake/embed_files.cmake

// The file's text. Throws internal for a name that CMakeLists.txt does not list.
std::string_view page_file(std::string_view name);

// Text for an element or a quoted attribute of HTML.
std::string escape_html(std::string_view text);

// A page of `body` (HTML) with the named style sheets, and the named scripts at its end. It loads nothing, and its
// content security policy forbids it to.
std::string html_page(std::string_view title, std::string_view body, const std::vector<std::string_view>& styles,
                      const std::vector<std::string_view>& scripts);

}  // namespace heddle::app

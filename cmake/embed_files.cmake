# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=OUT.cpp -DDIR=FOLDER -DFILES=a.css,b.js -P embed_files.cmake
# Writes the source of page_files() (sim/app/report_page/page_files.hpp) with the bytes of the files.
string(REPLACE "," ";" names "${FILES}")
set(text "// Made by cmake/embed_files.cmake\n#include \"sim/app/report_page/page_files.hpp\"\n\n")
string(APPEND text "namespace heddle::app {\n\nstd::span<const PageFile> page_files() {\n  static constexpr PageFile files[] = {\n")
foreach(name IN LISTS names)
  file(READ "${DIR}/${name}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND text "{\"${name}\",\n\"${bytes}\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace heddle::app\n")
file(WRITE "${OUT}" "${text}")

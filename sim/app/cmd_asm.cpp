// SPDX-License-Identifier: Apache-2.0
// heddle asm FILE.s -o IMAGE.hdi, and its inverse, heddle dis IMAGE.hdi
#include <filesystem>
#include <memory>

#include "isa/asm/assembler.hpp"
#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"
#include "sim/app/command.hpp"
#include "sim/app/output.hpp"

namespace heddle::app {
namespace {

struct Files {
  std::string in;
  std::string out;
};

const Command assemble("asm", "Assemble a program into an image", [](CLI::App& sub) {
  auto files = std::make_shared<Files>();
  sub.add_option("file", files->in, "Assembly text")->type_name("FILE.s")->required();
  sub.add_option("-o,--output", files->out, "The image; by default the input's name with .hdi")->type_name("IMAGE.hdi");
  return [files] {
    const isa::ProgramImage image = isa::assemble_file(files->in);
    if (files->out.empty()) files->out = std::filesystem::path(files->in).replace_extension(".hdi").string();
    if (files->out == files->in)
      fail_at({files->in}, ErrorKind::bad_input, "HDL-APP-02",
              "the image would overwrite the text; name another with -o");
    isa::write_image(image, files->out);
    return success;
  };
});

const Command disassemble("dis", "Disassemble an image; the text assembles back to the same bytes", [](CLI::App& sub) {
  auto files = std::make_shared<Files>();
  sub.add_option("image", files->in, "A program image")->type_name("IMAGE.hdi")->required();
  sub.add_option("-o,--output", files->out, "A file for the text; by default stdout")->type_name("FILE.s");
  return [files] {
    const std::string text = isa::disassemble(isa::read_image(files->in));
    if (files->out.empty()) {
      print_result(text);
    } else {
      write_file(files->out, text);
    }
    return success;
  };
});

}  // namespace
}  // namespace heddle::app

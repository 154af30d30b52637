// SPDX-License-Identifier: Apache-2.0
// The image file: it comes back as it was, and damage of any kind is refused under the right identifier.
#include "isa/image/image.hpp"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "isa/base/error.hpp"
#include "isa/image/bytes.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/isa/random_program.hpp"

using namespace heddle;
using namespace heddle::isa;

namespace {

using Bytes8 = std::vector<std::uint8_t>;

std::string id_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.id();
  }
  return "none";
}

std::string load(const Bytes8& bytes) {
  return id_of([&] { deserialize(bytes.data(), bytes.size()); });
}

// Makes the trailing checksum right again, as one who forges an image would.
void seal(Bytes8& bytes) {
  const std::uint64_t sum = fnv(fnv_start, bytes.data(), bytes.size() - 8);
  for (std::size_t i = 0; i < 8; ++i) bytes[bytes.size() - 8 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
}

ProgramImage small() {
  ProgramImage image;
  image.name = "small";
  image.code = {Word{0x02, 0}, Word{0x36, 0}, Word{0x01, 0}};  // nop; jal x0, 0; halt
  image.entries = {{"start", 0, 0}};
  return image;
}

}  // namespace

TEST_CASE("random images come back as they were") {
  test::Random r(7);
  for (int i = 0; i < 500; ++i) {
    const ProgramImage image = test::random_image(r);
    const Bytes8 bytes = serialize(image);
    const ProgramImage back = deserialize(bytes.data(), bytes.size());
    if (serialize(back) != bytes) FAIL("image " << i);
    if (back.prints != image.prints) FAIL("prints of image " << i);
    if (back.code != image.code || back.templates != image.templates || back.name != image.name) FAIL("image " << i);
  }
}

TEST_CASE("the first bytes of a file are its magic and version and the last its checksum") {
  const Bytes8 bytes = serialize(small());
  CHECK(Bytes8(bytes.begin(), bytes.begin() + 12) == Bytes8{0x89, 'H', 'D', 'I', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0});
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i) size |= static_cast<std::uint64_t>(bytes[24 + i]) << (8 * i);
  CHECK(size == bytes.size());
  Bytes8 again = bytes;
  seal(again);
  CHECK(again == bytes);
}

TEST_CASE("every truncation and every extension is refused") {
  const Bytes8 bytes = serialize(small());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::string id = load(Bytes8(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)));
    if (id != (n < 8 ? "HDL-IMG-01" : "HDL-IMG-03")) FAIL(n << " bytes: " << id);
    Bytes8 sealed(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    if (n >= 40) {
      for (std::size_t i = 0; i < 8; ++i) sealed[24 + i] = static_cast<std::uint8_t>(n >> (8 * i));
      seal(sealed);
      if (load(sealed) != "HDL-IMG-03") FAIL(n << " bytes, sealed: " << load(sealed));
    }
  }
  Bytes8 more = bytes;
  more.push_back(0);
  CHECK(load(more) == "HDL-IMG-03");
  CHECK(id_of([] { deserialize(nullptr, 0); }) == "HDL-IMG-01");
}

TEST_CASE("every damaged byte is noticed") {
  test::Random r(8);
  const Bytes8 bytes = serialize(test::random_image(r));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (std::uint8_t mask : {0x01, 0x80, 0xff}) {
      Bytes8 bad = bytes;
      bad[i] ^= mask;
      const std::string id = load(bad);
      const char* want = i < 8 ? "HDL-IMG-01" : i < 12 || (i >= 16 && i < 24) ? "HDL-IMG-02" : "HDL-IMG-03";
      if (id != want) FAIL("byte " << i << ": " << id << ", expected " << want);
    }
}

TEST_CASE("forged images with a right checksum are refused or mean what they say") {
  test::Random r(9);
  int accepted = 0;
  for (int round = 0; round < 40; ++round) {
    const Bytes8 bytes = serialize(test::random_image(r));
    for (int i = 0; i < 200; ++i) {
      Bytes8 bad = bytes;
      for (std::uint64_t n = test::between(r, 1, 3); n > 0; --n)
        bad[32 + r() % (bad.size() - 40)] = r() % 2 == 0 ? 0xff : static_cast<std::uint8_t>(r());
      seal(bad);
      try {
        const ProgramImage image = deserialize(bad.data(), bad.size());
        ++accepted;
        if (serialize(image) != bad) FAIL("one image, two serialisations");
      } catch (const Error& e) {
        if (e.id() != "HDL-IMG-03" && e.id() != "HDL-IMG-04") FAIL(e.what());
      }
    }
  }
  CHECK(accepted > 0);
}

TEST_CASE("images without meaning") {
  const auto refused = [](const std::function<void(ProgramImage&)>& spoil) {
    ProgramImage image = small();
    image.templates.resize(1);
    image.files = {"a"};
    image.lines = {{0, 0, 1}, {1, 0, 2}};
    image.scopes = {{"outer", 0, 3}, {"inner", 1, 2}};
    PrintStep keep, scalar, view;
    keep.kind = PrintStep::Kind::keep;
    keep.target = first_print_register;
    scalar.instruction = 1;
    scalar.label = "x";
    view.kind = PrintStep::Kind::view;
    view.instruction = 2;
    view.anyhow = false;
    view.jumps = {0, 1};
    image.prints = {keep, scalar, view};
    image.tiles = {{Space::spm, 0, 64, 2, 0, 0}, {Space::acc, 64, 64, 1, 0, 7}};
    image.code[1] = encode({Opcode::dma_copy, {}});
    image.uses = {{1, ViewOperand::vd, true, 0}, {1, ViewOperand::va, false, 1}};
    image.allows = {{"HDL-RACE-01", "outer", 0, 3, 0, 0}, {"HDL-SEM-05", "inner", 1, 2, 0, 7}};
    verify(image);
    spoil(image);
    const std::string written = id_of([&] { serialize(image); });
    return id_of([&] { verify(image); }) == "HDL-IMG-04" && written == "HDL-IMG-04";
  };
  CHECK(refused([](auto& i) { i.code.clear(); }));
  CHECK(refused([](auto& i) { i.code[0] = Word{0, 0}; }));
  CHECK(refused([](auto& i) { i.code[0] = Word{0x01, 1}; }));
  CHECK(refused([](auto& i) { i.code[1] = Word{0x36, 3ull << 32}; }));      // jal to instruction 3 of 3
  CHECK(refused([](auto& i) { i.code[0] = Word{0x40 | 1ull << 13, 0}; }));  // view of template 1 of 1
  CHECK(refused([](auto& i) { i.entries.clear(); }));
  CHECK(refused([](auto& i) { i.entries[0].instruction = 3; }));
  CHECK(refused([](auto& i) { i.entries[0].name.clear(); }));
  CHECK(refused([](auto& i) { i.entries.push_back(i.entries[0]); }));
  CHECK(refused([](auto& i) { i.name.resize(5000); }));
  CHECK(refused([](auto& i) { i.files[0].resize(5000); }));
  CHECK(refused([](auto& i) { i.prints[2].instruction = 3; }));
  CHECK(refused([](auto& i) { i.prints[2].instruction = 0; }));  // before the one listed before it
  CHECK(refused([](auto& i) { i.prints[0].target = 5; }));       // would change x5
  CHECK(refused([](auto& i) { i.prints[0].op = Opcode::halt; }));
  CHECK(refused([](auto& i) { i.prints[0].label = "not of a kept value"; }));
  CHECK(refused([](auto& i) { i.prints[1].a = first_print_register + max_print_registers; }));
  CHECK(refused([](auto& i) { i.prints[1].label.resize(5000); }));
  CHECK(refused([](auto& i) { i.prints[1].line = 1, i.prints[1].file = 1; }));
  CHECK(refused([](auto& i) { i.prints[1].kind = static_cast<PrintStep::Kind>(4); }));
  CHECK(refused([](auto& i) { i.prints[2].view = 1; }));
  CHECK(refused([](auto& i) { i.prints[2].jumps = {1, 0}; }));
  CHECK(refused([](auto& i) { i.prints[2].jumps = {0, 3}; }));
  CHECK(refused([](auto& i) { i.prints[2].imm = std::int64_t{1} << 40; }));
  CHECK(refused([](auto& i) { i.prints.resize(max_print_steps + 1); }));
  CHECK(refused([](auto& i) { i.lines[1].instruction = 0; }));
  CHECK(refused([](auto& i) { i.lines[1].instruction = 3; }));
  CHECK(refused([](auto& i) { i.lines[1].file = 1; }));
  CHECK(refused([](auto& i) { i.scopes[1].end = 4; }));
  CHECK(refused([](auto& i) { i.scopes[1].end = 0; }));
  CHECK(refused([](auto& i) {
    i.scopes[0].end = 1;
    i.scopes[1].begin = 0;
  }));  // overlaps
  CHECK(refused([](auto& i) { std::swap(i.scopes[0], i.scopes[1]); }));
  CHECK(refused([](auto& i) { i.allows[1].end = 4; }));
  CHECK(refused([](auto& i) { std::swap(i.allows[0], i.allows[1]); }));
  CHECK(refused([](auto& i) { i.allows[0].hazard = "HDL-SEM-01"; }));
  CHECK(refused([](auto& i) { i.allows[0].reason = " "; }));
  CHECK(refused([](auto& i) { i.allows[0].reason.resize(5000, 'a'); }));
  CHECK(refused([](auto& i) { i.allows[1].file = 1; }));
  CHECK(refused([](auto& i) { i.tiles[0].space = Space::hbm; }));
  CHECK(refused([](auto& i) { i.tiles[0].slots = 0; }));
  CHECK(refused([](auto& i) { i.tiles[0].slot_bytes = max_template_reach; }));
  CHECK(refused([](auto& i) { i.tiles[0].file = 1; }));
  CHECK(refused([](auto& i) { i.tiles.pop_back(); }));
  CHECK(refused([](auto& i) { i.uses[0].instruction = 2; }));
  CHECK(refused([](auto& i) { i.uses[0].operand = static_cast<ViewOperand>(4); }));
  CHECK(refused([](auto& i) { std::swap(i.uses[0], i.uses[1]); }));
  CHECK(refused([](auto& i) { i.template_names = {"a", "b"}; }));
  CHECK(refused([](auto& i) { i.templates[0].rank = 0; }));
  CHECK(refused([](auto& i) { i.templates[0].rank = 5; }));
  CHECK(refused([](auto& i) { i.templates[0].size[1] = 2; }));
  CHECK(refused([](auto& i) { i.templates[0].stride[1] = 2; }));
  CHECK(refused([](auto& i) { i.templates[0].space = static_cast<Space>(4); }));
  CHECK(refused([](auto& i) { i.templates[0].dtype = static_cast<DType>(8); }));
  CHECK(refused([](auto& i) { i.templates[0].base = (1ull << 48) + 1; }));
  CHECK(refused([](auto& i) { i.templates[0].stride[0] = INT64_MIN; }));
  CHECK(refused([](auto& i) {
    i.templates[0].rank = 2;
    i.templates[0].size = {0xffffffff, 0xffffffff, 1, 1};
  }));
  CHECK(refused([](auto& i) {
    i.templates[0].size = {0x10000, 1, 1, 1};
    i.templates[0].stride[0] = 1ll << 33;
  }));
  CHECK(refused([](auto& i) { i.templates.resize(max_templates + 1); }));
}

TEST_CASE("named and unnamed templates") {
  ProgramImage image = small();
  image.templates.resize(2);
  const Bytes8 absent = serialize(image);
  image.template_names = {"", ""};
  CHECK(serialize(image) == absent);
  image.template_names = {"", "b"};
  const Bytes8 bytes = serialize(image);
  CHECK(deserialize(bytes.data(), bytes.size()).template_names == image.template_names);
}

TEST_CASE("constants are placed at multiples of 64") {
  ProgramImage image = small();
  for (std::size_t n : {0u, 1u, 64u, 65u, 3u}) image.constants.push_back({"", Bytes8(n)});
  CHECK(image.constant_offset(0) == 0);
  CHECK(image.constant_offset(1) == 0);
  CHECK(image.constant_offset(2) == 64);
  CHECK(image.constant_offset(3) == 128);
  CHECK(image.constant_offset(4) == 256);
}

TEST_CASE("images on disk") {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("heddle_image_{}.hdi", std::rand())).string();
  write_image(small(), path);
  CHECK(serialize(read_image(path)) == serialize(small()));
  ProgramImage other = small();
  other.name = "other";
  write_image(other, path);
  CHECK(read_image(path).name == "other");
  std::filesystem::resize_file(path, 100);
  CHECK_THROWS_WITH(read_image(path), contains(path + ": HDL-IMG-03"));
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(read_image(path), contains(path + ": HDL-IMG-05: cannot read"));
  CHECK(id_of([] { write_image(small(), "/nonexistent/a.hdi"); }) == "HDL-IMG-05");
  CHECK(id_of([] { read_image("/"); }) == "HDL-IMG-05");
}

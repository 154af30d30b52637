// SPDX-License-Identifier: Apache-2.0
#include "models/weights/gguf.hpp"

#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using weights::GgufFile;
using weights::GgufType;

namespace {

GgufFile opened(const std::string& bytes) { return GgufFile(file_of(bytes, "m.gguf")); }

GgufBuilder sample() {
  GgufBuilder b;
  b.text("general.name", "tiny");
  b.u32("a.u32", 4'000'000'000u);
  b.f32("a.f32", 0.5f);
  b.boolean("a.bool", true);
  b.array<std::int32_t>("a.ints", 5, {1, -2, 3});
  b.array<std::uint8_t>("a.bytes", 0, {250, 1});
  b.array<float>("a.floats", 6, {1.5f});
  b.strings("a.strings", {"x", "", "long one"});
  b.floats("w", {2, 3}, ramp(6));
  b.floats("v", {1}, {9.0f});
  return b;
}

}  // namespace

TEST_CASE("GGUF metadata keeps its types") {
  const GgufFile file = opened(sample().bytes());
  CHECK(file.text("general.name") == "tiny");
  CHECK(file.integer("a.u32") == 4'000'000'000);
  CHECK(file.number("a.f32") == 0.5);
  CHECK(file.boolean("a.bool") == true);
  CHECK(file.integer("absent") == std::nullopt);
  CHECK(file.array("absent", GgufType::int32) == nullptr);
  const auto* ints = file.array("a.ints", GgufType::int32);
  REQUIRE(ints != nullptr);
  REQUIRE(ints->count == 3);
  CHECK(ints->integer(1) == -2);
  CHECK(file.array("a.bytes", GgufType::uint8)->integer(0) == 250);
  CHECK(file.array("a.floats", GgufType::float32)->number(0) == 1.5);
  CHECK(file.array("a.strings", GgufType::string)->strings == std::vector<std::string_view>{"x", "", "long one"});
  expect_error("HDL-WGT-12", "'general.name' is a string, expected an integer", [&] { file.integer("general.name"); });
  expect_error("HDL-WGT-12", "expected a bool", [&] { file.boolean("a.u32"); });
  expect_error("HDL-WGT-12", "expected a string", [&] { file.text("a.ints"); });
  expect_error("HDL-WGT-12", "expected an array of float32", [&] { file.array("a.ints", GgufType::float32); });
}

TEST_CASE("GGUF tensors have their outermost dimension first, and any range can be read") {
  const GgufFile file = opened(sample().bytes());
  REQUIRE(file.tensors().size() == 2);
  const auto& w = *file.find("w");
  CHECK(w.shape == std::vector<std::int64_t>{2, 3});
  CHECK(w.rows() == 2);
  CHECK(w.bytes == 24);
  std::vector<float> row(3);
  file.read(w, 3, row);
  CHECK(row == std::vector<float>{3, 4, 5});
  file.read(w, 6, std::span<float>());
  expect_error("HDL-WGT-14", "which has 6", [&] { file.read(w, 4, row); });
  expect_error("HDL-WGT-14", "", [&] { file.read(w, -1, row); });
  CHECK(file.find("nothing") == nullptr);
}

TEST_CASE("a range may start and end within a quantised block") {
  GgufBuilder b;
  std::string blocks;
  for (int block = 0; block < 3; ++block) {
    append<std::uint16_t>(blocks, 0x3c00);  // scale 1
    for (int i = 0; i < 32; ++i) blocks.push_back(static_cast<char>(32 * block + i));
  }
  b.tensor("q", {1, 96}, 8, blocks);
  const GgufFile file = opened(b.bytes());
  for (const auto& [first, count] : {std::pair{0, 96}, {1, 1}, {5, 40}, {31, 2}, {32, 64}, {40, 56}, {95, 1}}) {
    CAPTURE(first, count);
    std::vector<float> out(static_cast<std::size_t>(count));
    file.read(*file.find("q"), first, out);
    CHECK(out == ramp(count, static_cast<float>(first)));
  }
}

TEST_CASE("a GGUF file cut short anywhere is refused") {
  const std::string whole = sample().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    REQUIRE_THROWS_AS(opened(whole.substr(0, size)), Error);
  }
  expect_error("HDL-WGT-02", "m.gguf", [&] { opened(whole.substr(0, 30)); });
  expect_error("HDL-WGT-05", "the file ends at", [&] { opened(whole.substr(0, whole.size() - 1)); });
}

TEST_CASE("foreign and damaged GGUF headers are refused") {
  const std::string whole = sample().bytes();
  expect_error("HDL-WGT-03", "does not begin with 'GGUF'", [&] { opened("GGML" + whole.substr(4)); });
  GgufBuilder b = sample();
  b.version = 1;
  expect_error("HDL-WGT-03", "GGUF version 1, expected 2 or 3", [&] { opened(b.bytes()); });
  b.version = 0x03000000;
  expect_error("HDL-WGT-03", "big-endian", [&] { opened(b.bytes()); });

  b = sample();
  b.tensor_count = std::uint64_t{1} << 60;
  expect_error("HDL-WGT-02", "claims", [&] { opened(b.bytes()); });
  b = sample();
  b.entry_count = ~std::uint64_t{0};
  expect_error("HDL-WGT-02", "claims", [&] { opened(b.bytes()); });

  b = sample();
  b.key("bad", 13);
  expect_error("HDL-WGT-04", "'bad' has type 13", [&] { opened(b.bytes()); });
  b = sample();
  b.key("big", 9);
  append<std::uint32_t>(b.entries, 8);
  append<std::uint64_t>(b.entries, std::uint64_t{1} << 61);
  expect_error("HDL-WGT-02", "'big' claims", [&] { opened(b.bytes()); });
  b = sample();
  b.key("nest", 9);
  append<std::uint32_t>(b.entries, 9);
  append<std::uint64_t>(b.entries, 1);
  expect_error("HDL-WGT-04", "array of arrays", [&] { opened(b.bytes()); });
  b = sample();
  b.text("general.name", "again");
  expect_error("HDL-WGT-06", "'general.name' is given twice", [&] { opened(b.bytes()); });
  b = sample();
  b.u32("general.alignment", 24);
  expect_error("HDL-WGT-04", "power of two", [&] { opened(b.bytes()); });
  b = sample();
  b.u32("split.count", 3);
  expect_error("HDL-WGT-13", "3 parts", [&] { opened(b.bytes()); });
}

TEST_CASE("damaged GGUF tensor entries are refused") {
  GgufBuilder b = sample();
  b.floats("w", {1}, {0.0f});
  expect_error("HDL-WGT-06", "'w'", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {2}, 0, 0);
  expect_error("HDL-WGT-05", "overlap", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1}, 0, 4);
  expect_error("HDL-WGT-05", "no multiple of 32", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1}, 0, ~std::uint64_t{31});
  expect_error("HDL-WGT-05", "'x'", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1}, 13, 64);
  expect_error("HDL-WGT-07", "ggml type 13; supported are F32, F16, BF16", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {33}, 2, 64);
  expect_error("HDL-WGT-08", "no multiple of Q4_0's 32", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1ull << 32, 1ull << 32}, 0, 64);
  expect_error("HDL-WGT-08", "absurd shape", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {~0ull}, 0, 64);
  expect_error("HDL-WGT-08", "absurd dimension", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1ull << 61}, 0, 64);
  expect_error("HDL-WGT-08", "absurd shape", [&] { opened(b.bytes()); });
  b = sample();
  b.tensor_at("x", {1, 1, 1, 1, 1}, 0, 64);
  expect_error("HDL-WGT-04", "5 dimensions", [&] { opened(b.bytes()); });
}

TEST_CASE("GGUF: another alignment, an empty tensor and a file of nothing are fine") {
  GgufBuilder b;
  b.alignment = 256;
  b.u32("general.alignment", 256);
  b.floats("a", {1}, {1.0f});
  b.floats("none", {0, 7}, {});
  b.floats("b", {1}, {2.0f});
  const GgufFile file = opened(b.bytes());
  std::vector<float> out(1);
  file.read(*file.find("b"), 0, out);
  CHECK(out[0] == 2.0f);
  CHECK(file.find("none")->rows() == 0);
  CHECK(opened(GgufBuilder().bytes()).tensors().empty());
}

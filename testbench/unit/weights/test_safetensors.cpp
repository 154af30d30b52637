// SPDX-License-Identifier: Apache-2.0
#include "models/weights/i_weights.hpp"
#include "testbench/unit/weights/build_files.hpp"
#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using weights::open_safetensors;
using weights::open_safetensors_index;

namespace {

auto opened(const std::string& bytes) { return open_safetensors(file_of(bytes, "m.safetensors")); }
auto with_header(const std::string& header, const std::string& data = std::string(64, '\0')) {
  return opened(SafetensorsBuilder::with_header(header, data));
}

}  // namespace

TEST_CASE("safetensors: every readable dtype, a scalar, and types that are only listed") {
  SafetensorsBuilder b;
  b.floats("f", "[2,3]", ramp(6));
  b.tensor("h", "F16", "[2]", std::string("\x00\x3c\x00\xc0", 4));
  b.tensor("b", "BF16", "[]", std::string("\x80\x3f", 2));
  b.tensor("i", "I8", "[3]", "\x01\xff\x7f");
  b.tensor("mask", "BOOL", "[1,1,2]", std::string("\x01\x00", 2));
  std::string bytes = b.bytes();
  const auto file = opened(bytes);
  REQUIRE(file->tensors().size() == 5);
  std::vector<float> row(3);
  file->read(*file->find("f"), 3, row);
  CHECK(row == std::vector<float>{3, 4, 5});
  std::vector<float> two(2);
  file->read(*file->find("h"), 0, two);
  CHECK(two == std::vector<float>{1, -2});
  std::vector<float> one(1);
  file->read(*file->find("b"), 0, one);
  CHECK(one[0] == 1.0f);
  CHECK(file->find("b")->rows() == 1);
  file->read(*file->find("i"), 0, row);
  CHECK(row == std::vector<float>{1, -1, 127});
  expect_error("HDL-WGT-07", "BOOL", [&] { file->read(*file->find("mask"), 0, two); });
}

TEST_CASE("safetensors: metadata and white space behind the header are no tensors") {
  CHECK(with_header(R"({"__metadata__":{"format":"pt"}}     )")->tensors().empty());
  CHECK(with_header("{}", "")->tensors().empty());
}

TEST_CASE("safetensors: a file cut short anywhere is refused") {
  SafetensorsBuilder b;
  b.floats("a", "[2]", {1, 2});
  b.floats("b", "[1]", {3});
  const std::string whole = b.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    REQUIRE_THROWS_AS(opened(whole.substr(0, size)), Error);
  }
  expect_error("HDL-WGT-05", "m.safetensors", [&] { opened(whole.substr(0, whole.size() - 1)); });
}

TEST_CASE("safetensors: hostile headers are refused") {
  std::string huge;
  append<std::uint64_t>(huge, ~std::uint64_t{0});
  expect_error("HDL-WGT-03", "not a safetensors file", [&] { opened(huge + "{}"); });
  expect_error("HDL-WGT-04", "not valid JSON", [] { with_header("{\"a\":"); });
  expect_error("HDL-WGT-04", "not valid JSON", [] { with_header(std::string(100'000, '[')); });
  expect_error("HDL-WGT-04", "expected an object", [] { with_header("[]"); });
  expect_error("HDL-WGT-04", "'a' is not an object", [] { with_header(R"({"a":3})"); });
  expect_error("HDL-WGT-04", "no dtype", [] { with_header(R"({"a":{"shape":[1],"data_offsets":[0,4]}})"); });
  expect_error("HDL-WGT-07", "'F4'; supported are F32",
               [] { with_header(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,4]}})"); });
  expect_error("HDL-WGT-04", "non-negative",
               [] { with_header(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})"); });
  expect_error("HDL-WGT-04", "non-negative",
               [] { with_header(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})"); });
  expect_error("HDL-WGT-04", "data_offsets",
               [] { with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})"); });
  expect_error("HDL-WGT-05", "takes 4 bytes, but its data_offsets span 8",
               [] { with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})"); });
  expect_error("HDL-WGT-08", "absurd shape",
               [] { with_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"); });
  expect_error("HDL-WGT-05", "the file ends at", [] {
    with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775800,9223372036854775804]}})");
  });
  expect_error("HDL-WGT-05", "overlap", [] {
    with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
  });
  expect_error("HDL-WGT-06", "'a' is given twice", [] {
    with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
  });
}

TEST_CASE("sharded safetensors: the index says where each tensor is") {
  const TempFolder folder;
  SafetensorsBuilder one, two;
  one.floats("a", "[1]", {1});
  two.floats("b", "[2]", {2, 3});
  folder.write("x-1.safetensors", one.bytes());
  folder.write("x-2.safetensors", two.bytes());
  const std::string path = folder.path("model.safetensors.index.json");
  const auto index = [&](const std::string& map) {
    folder.write("model.safetensors.index.json", R"({"metadata":{},"weight_map":)" + map + "}");
    return open_safetensors_index(path);
  };
  const auto file = index(R"({"a":"x-1.safetensors","b":"x-2.safetensors"})");
  REQUIRE(file->tensors().size() == 2);
  std::vector<float> out(1);
  file->read(*file->find("b"), 1, out);
  CHECK(out[0] == 3.0f);
  expect_error("HDL-WGT-09", "'c' is not in 'x-1.safetensors'", [&] { index(R"({"c":"x-1.safetensors"})"); });
  expect_error("HDL-WGT-01", "x-3.safetensors", [&] { index(R"({"c":"x-3.safetensors"})"); });
  expect_error("HDL-WGT-04", "not a file name", [&] { index(R"({"c":"../x-1.safetensors"})"); });
  expect_error("HDL-WGT-04", "not a file name", [&] { index(R"({"c":3})"); });
  expect_error("HDL-WGT-04", "weight_map", [&] { index("[]"); });
}

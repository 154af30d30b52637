// SPDX-License-Identifier: Apache-2.0
// Our writer of protocol buffers against bytes worked out by hand from the description of the wire format.
#include "sim/trace/protobuf.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

std::string text(std::initializer_list<int> bytes) {
  std::string out;
  for (const int b : bytes) out.push_back(static_cast<char>(b));
  return out;
}

TEST_CASE("a varint has seven bits a byte, the lowest first, and a key in front") {
  CHECK(Message().number(1, 0).data() == text({0x08, 0x00}));
  CHECK(Message().number(1, 127).data() == text({0x08, 0x7f}));
  CHECK(Message().number(1, 128).data() == text({0x08, 0x80, 0x01}));
  CHECK(Message().number(1, 150).data() == text({0x08, 0x96, 0x01}));  // the format's own example
  CHECK(Message().number(16, 1).data() == text({0x80, 0x01, 0x01}));   // the key no longer fits a byte
  CHECK(Message().number(2, ~0ull).data() ==                           // -1 as int64
        text({0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

TEST_CASE("fixed numbers are little-endian, doubles their bits") {
  CHECK(Message().fixed64(47, 0x0102030405060708).data() ==
        text({0xf9, 0x02, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01}));
  CHECK(Message().real(44, 1.0).data() == text({0xe1, 0x02, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
}

TEST_CASE("strings and messages have their length in front") {
  CHECK(Message().bytes(2, "testing").data() == text({0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}));
  CHECK(Message().message(3, Message().number(1, 150)).data() == text({0x1a, 0x03, 0x08, 0x96, 0x01}));
  const std::string large(300, 'x');
  CHECK(Message().bytes(1, large).data() == text({0x0a, 0xac, 0x02}) + large);
}

}  // namespace
}  // namespace heddle::trace

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "isa/base/error.hpp"
#include "sim/config/yaml_node.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::config {
namespace {

TEST_CASE("a document becomes a tree that knows its places") {
  const YamlNode root = parse_yaml("a: 1\nb:\n  c: [x, \"y z\"]\n  d:\n", "t.yaml");
  REQUIRE(root.is_map());
  REQUIRE(root.find("a")->text == "1");
  const YamlNode* b = root.find("b");
  REQUIRE(b->find("c")->items.size() == 2);
  CHECK(b->find("c")->items[1].text == "y z");
  CHECK(b->find("c")->items[1].where.line == 3);
  CHECK(b->find("c")->items[1].where.column == 10);
  CHECK(b->find("d")->kind == YamlNode::Kind::null);
  CHECK(b->keys[0].where.line == 3);
  CHECK(b->keys[0].where.column == 3);
  CHECK(root.find("z") == nullptr);
  CHECK(root.find("a")->find("z") == nullptr);
}

TEST_CASE("empty documents are nothing") {
  const char* text = GENERATE("", "\n", "# only a comment\n", "---\n", "\xef\xbb\xbf");
  CAPTURE(text);
  CHECK(parse_yaml(text, "t.yaml").kind == YamlNode::Kind::null);
}

TEST_CASE("a repeated key is an error at the second, on every level") {
  CHECK_THROWS_WITH(parse_yaml("a: 1\nb: 2\na: 3\n", "t.yaml"),
                    contains("t.yaml:3:1") && contains("key 'a' stands twice") && contains("first on line 1"));
  CHECK_THROWS_WITH(parse_yaml("m: {k: 1, k: 2}\n", "t.yaml"), contains("t.yaml:1:11"));
}

TEST_CASE("anchors and aliases are refused before they can multiply") {
  std::string laughs = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  CHECK_THROWS_WITH(parse_yaml(laughs, "t.yaml"), contains("t.yaml:1:") && contains("anchors and aliases"));
  CHECK_THROWS_WITH(parse_yaml("&a [*a]", "t.yaml"), contains("anchors and aliases"));
  CHECK_THROWS_AS(parse_yaml("a: *nobody", "t.yaml"), Error);
}

TEST_CASE("deep nesting is refused, not recursed into") {
  for (const int levels : {17, 1000, 200000}) {
    const std::string flow(static_cast<std::size_t>(levels), '[');
    CHECK_THROWS_AS(parse_yaml(flow, "t.yaml"), Error);
    CHECK_THROWS_AS(parse_yaml("a: " + flow + std::string(static_cast<std::size_t>(levels), ']'), "t.yaml"), Error);
  }
  std::string block;
  for (int i = 0; i < 700; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK_THROWS_WITH(parse_yaml(block, "t.yaml"), contains("nested deeper than 16 levels"));
  CHECK_NOTHROW(parse_yaml("[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", "t.yaml"));
}

TEST_CASE("what is not YAML says where") {
  const char* text =
      GENERATE("a: [1, 2", "a: 'x", "a: b: c", "\t a: 1\n  b: 2", "{a: 1", "a: @x", "? [a]\n: 1", "}", "a: \"\\q\"");
  CAPTURE(text);
  try {
    parse_yaml(text, "t.yaml");
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::bad_input);
    CHECK(e.where().file == "t.yaml");
    CHECK(e.where().line > 0);
  }
}

TEST_CASE("a second document, a zero byte and a huge text are refused") {
  CHECK_THROWS_WITH(parse_yaml("a: 1\n---\nb: 2\n", "t.yaml"), contains("more than one YAML document"));
  CHECK_THROWS_WITH(parse_yaml(std::string("a: 1\0b", 6), "t.yaml"), contains("byte 4 is zero"));
  CHECK_THROWS_WITH(parse_yaml(std::string(2 << 20, ' '), "t.yaml"), contains("the most is"));
}

TEST_CASE("files that cannot be read are named") {
  CHECK_THROWS_WITH(read_yaml("/nonexistent/x.yaml"), contains("/nonexistent/x.yaml") && contains("cannot be read"));
  CHECK_THROWS_AS(read_yaml("/"), Error);
}

TEST_CASE("an override sets, replaces and creates") {
  YamlNode root = parse_yaml("a: 1\nb: {c: 2}\n", "t.yaml");
  apply_override(root, "a=3");
  apply_override(root, "b.c=[4, 5]");
  apply_override(root, "b.d.e={f: 6}");
  CHECK(root.find("a")->text == "3");
  CHECK(root.find("b")->find("c")->items[1].text == "5");
  CHECK(root.find("b")->find("d")->find("e")->find("f")->text == "6");
  CHECK(root.find("b")->find("d")->find("e")->find("f")->where.file == "--set b.d.e={f: 6}");
  CHECK(root.keys.size() == 2);
}

TEST_CASE("a malformed override is refused") {
  const char* text = GENERATE("", "=", "a", "=1", "a..b=1", ".a=1", "a.b=1", "c=[", "c=*x");
  CAPTURE(text);
  YamlNode root = parse_yaml("a: 1\n", "t.yaml");
  CHECK_THROWS_WITH(apply_override(root, text), contains("--set"));
}

}  // namespace
}  // namespace heddle::config

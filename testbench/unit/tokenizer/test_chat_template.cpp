// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/chat_template.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "testbench/unit/weights/expect_error.hpp"

using namespace heddle;
using namespace heddle::testing;
using namespace heddle::tokenizer;

TEST_CASE("prompts agree with what Jinja renders from the templates (make_chat_golden.py)") {
  std::ifstream file(HEDDLE_SOURCE_DIR "/testbench/unit/tokenizer/chat_golden.json");
  REQUIRE(file);
  const auto golden = nlohmann::json::parse(file);
  REQUIRE(golden.size() == 9);
  for (const auto& item : golden) {
    CAPTURE(item["template"].get<std::string>());
    const ChatTemplate chat(item["template"].get<std::string>(), "<B>", "<E>");
    CHECK(name(chat.format()) == item["family"].get<std::string>());
    for (const auto& one : item["cases"]) {
      std::vector<ChatMessage> messages;
      for (const auto& m : one["messages"])
        messages.push_back({m["role"].get<std::string>(), m["content"].get<std::string>()});
      CHECK(chat.render(messages, one["open"].get<bool>()) == one["prompt"].get<std::string>());
    }
  }
}

TEST_CASE("unknown templates and impossible conversations are refused") {
  expect_error("HDL-TOK-06", "has no chat template; known are ChatML", [] { ChatTemplate("", "", ""); });
  expect_error("HDL-TOK-06", "of no known family", [] { ChatTemplate("{{ messages }}", "", ""); });
  expect_error("HDL-TOK-06", "of no known family", [] { ChatTemplate("[INST] <<SYS>>", "", ""); });
  const ChatTemplate chat("<|im_start|>", "", "");
  CHECK(chat.default_system().empty());
  const auto render = [&](std::vector<ChatMessage> messages) { return chat.render(messages); };
  expect_error("HDL-TOK-07", "at least one message", [&] { render({}); });
  expect_error("HDL-TOK-07", "role 'tool'", [&] { render({{"user", "x"}, {"tool", "y"}}); });
  expect_error("HDL-TOK-07", "message 1 is a system message", [&] { render({{"user", "x"}, {"system", "y"}}); });
}

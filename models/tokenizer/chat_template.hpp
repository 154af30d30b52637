// SPDX-License-Identifier: Apache-2.0
// Chat prompts. A model's template is a Jinja program; instead of running it, its family is recognised from the marks
// that it writes, and the few points in which members of a family differ are read from its text.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::tokenizer {

enum class ChatFormat : std::uint8_t {
  chatml,   // <|im_start|>role\ncontent<|im_end|>\n                                     SmolLM2, Qwen
  llama3,   // <|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|>             Llama 3, 3.1, 3.2
  mistral,  // [INST] content [/INST] answer</s>; a system message leads the first user message
  zephyr,   // <|role|>\ncontent</s>\n                                                   Zephyr, TinyLlama
};
std::string_view name(ChatFormat format);

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
};

class ChatTemplate {
 public:
  // `jinja` is the model's template; the texts are those of its BOS and EOS tokens (empty: none). Throws HDL-TOK-06
  // for an empty or unknown template: say which families are known, and that a plain prompt needs none.
  ChatTemplate(std::string_view jinja, std::string bos_text, std::string eos_text);

  ChatFormat format() const { return format_; }
  // What the template puts first when the conversation has no system message; often empty.
  const std::string& default_system() const { return default_system_; }

  // The prompt, ready for Tokenizer::encode with special tokens recognised; BOS is in it where the template writes it.
  // `open_answer` ends it with the head of the assistant's turn. Throws HDL-TOK-07 for another role, a system message
  // that is not the first, or no message at all.
  std::string render(std::span<const ChatMessage> messages, bool open_answer = true) const;

 private:
  std::string turn(std::string_view role, std::string_view content) const;

  ChatFormat format_;
  std::string bos_;  // empty where the template writes none
  std::string eos_;
  std::string default_system_;
  std::string system_prefix_;                                        // llama3: what stands before every system message
  std::string inst_open_, inst_close_, answer_open_, answer_close_;  // mistral
};

}  // namespace heddle::tokenizer

// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/chat_template.hpp"

#include "isa/base/error.hpp"

namespace heddle::tokenizer {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

ChatFormat recognise(std::string_view jinja) {
  if (contains(jinja, "<|im_start|>")) return ChatFormat::chatml;
  if (contains(jinja, "<|start_header_id|>")) return ChatFormat::llama3;
  if (contains(jinja, "[INST]") && !contains(jinja, "<<SYS>>")) return ChatFormat::mistral;
  if (contains(jinja, "<|user|>") && contains(jinja, "<|assistant|>") && contains(jinja, "eos_token"))
    return ChatFormat::zephyr;
  fail(ErrorKind::unsupported, "HDL-TOK-06",
       "{}; known are ChatML, Llama 3, Mistral and Zephyr. A plain prompt needs no template",
       jinja.empty() ? "this model has no chat template" : "this model's chat template is of no known family");
}

// A Jinja string literal's text from `at` up to `end`, escapes resolved; empty where the literal closes before it.
std::string literal_until(std::string_view jinja, std::size_t at, std::string_view end) {
  std::string out;
  for (; at < jinja.size(); ++at) {
    if (jinja.substr(at).starts_with(end)) return out;
    if (jinja[at] == '\'' || jinja[at] == '"') return "";
    if (jinja[at] == '\\' && at + 1 < jinja.size()) {
      ++at;
      out.push_back(jinja[at] == 'n' ? '\n' : jinja[at]);
    } else {
      out.push_back(jinja[at]);
    }
  }
  return "";
}

// The first literal of the form "<|im_start|>system\nTEXT<|im_end|>".
std::string chatml_default_system(std::string_view jinja) {
  constexpr std::string_view head = "<|im_start|>system";
  for (std::size_t at = jinja.find(head); at != std::string_view::npos; at = jinja.find(head, at + 1)) {
    const std::string_view rest = jinja.substr(at + head.size());
    const std::size_t newline = rest.starts_with("\\n") ? 2 : rest.starts_with("\n") ? 1 : 0;
    if (newline == 0) continue;
    if (std::string text = literal_until(rest, newline, "<|im_end|>"); !text.empty()) return text;
  }
  return "";
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(spaces);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

void check_roles(std::span<const ChatMessage> messages) {
  if (messages.empty()) fail(ErrorKind::bad_input, "HDL-TOK-07", "a chat prompt needs at least one message");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    if (role != "system" && role != "user" && role != "assistant")
      fail(ErrorKind::bad_input, "HDL-TOK-07", "message {} has the role '{}', expected system, user or assistant", i,
           role);
    if (role == "system" && i > 0)
      fail(ErrorKind::bad_input, "HDL-TOK-07", "message {} is a system message, which only the first may be", i);
  }
}

}  // namespace

std::string_view name(ChatFormat format) {
  switch (format) {
    case ChatFormat::chatml:
      return "chatml";
    case ChatFormat::llama3:
      return "llama3";
    case ChatFormat::mistral:
      return "mistral";
    case ChatFormat::zephyr:
      return "zephyr";
  }
  return "?";
}

ChatTemplate::ChatTemplate(std::string_view jinja, std::string bos_text, std::string eos_text)
    : format_(recognise(jinja)), eos_(std::move(eos_text)) {
  if (contains(jinja, "bos_token")) bos_ = std::move(bos_text);
  if (format_ == ChatFormat::chatml) default_system_ = chatml_default_system(jinja);
  // Llama 3.1 and later; the date is the one that the template falls back to, so that prompts do not change by the day.
  if (format_ == ChatFormat::llama3 && contains(jinja, "Cutting Knowledge Date"))
    system_prefix_ = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
  if (format_ == ChatFormat::mistral) {
    // Versions differ in the spaces around the marks.
    inst_open_ = contains(jinja, "[INST] ") ? "[INST] " : "[INST]";
    inst_close_ = contains(jinja, " [/INST]") ? " [/INST]" : "[/INST]";
    const bool lead =
        contains(jinja, "' ' + message") || contains(jinja, "\" \" + message") || contains(jinja, "' ' + content");
    answer_open_ = lead ? " " : "";
    answer_close_ = eos_ + (contains(jinja, "eos_token + ' '") || contains(jinja, "eos_token + \" \"") ? " " : "");
  }
}

std::string ChatTemplate::turn(std::string_view role, std::string_view content) const {
  switch (format_) {
    case ChatFormat::chatml:
      return fmt::format("<|im_start|>{}\n{}<|im_end|>\n", role, content);
    case ChatFormat::llama3:
      return fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n{}{}<|eot_id|>", role,
                         role == "system" ? system_prefix_ : "", trim(content));
    case ChatFormat::zephyr:
      return fmt::format("<|{}|>\n{}{}\n", role, content, eos_);
    case ChatFormat::mistral:
      return role == "user" ? fmt::format("{}{}{}", inst_open_, content, inst_close_)
                            : fmt::format("{}{}{}", answer_open_, content, answer_close_);
  }
  return "";
}

std::string ChatTemplate::render(std::span<const ChatMessage> messages, bool open_answer) const {
  check_roles(messages);
  std::string out = bos_;
  const bool has_system = messages.front().role == "system";
  std::string pending_system;  // mistral: joins the next user message
  if (has_system && format_ == ChatFormat::mistral) {
    pending_system = messages.front().content + "\n\n";
    messages = messages.subspan(1);
  } else if (!has_system && (!default_system_.empty() || !system_prefix_.empty())) {
    out += turn("system", default_system_);
  }
  for (const ChatMessage& message : messages) {
    if (message.role == "user" && !pending_system.empty()) {
      out += turn("user", pending_system + message.content);
      pending_system.clear();
    } else {
      out += turn(message.role, message.content);
    }
  }
  if (!open_answer) return out;
  switch (format_) {
    case ChatFormat::chatml:
      return out + "<|im_start|>assistant\n";
    case ChatFormat::llama3:
      return out + "<|start_header_id|>assistant<|end_header_id|>\n\n";
    case ChatFormat::zephyr:
      return out + "<|assistant|>\n";
    case ChatFormat::mistral:
      return out;
  }
  return out;
}

}  // namespace heddle::tokenizer

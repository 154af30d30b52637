// SPDX-License-Identifier: Apache-2.0
// tokenizer.json of the Hugging Face tokenizers library: the parts of it that make up byte-level BPE.
#include <algorithm>
#include <limits>

#include "models/tokenizer/json_access.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace heddle::tokenizer {

namespace {

class Reader {
 public:
  Reader(const Json& root, const std::string& path) : root_(root), path_(path) { spec_.path = path; }

  TokenizerSpec read() {
    read_model(member(root_, "model"));
    read_added();
    if (const Json* normalizer = find(root_, "normalizer")) read_normalizer(*normalizer);
    if (const Json* pre = find(root_, "pre_tokenizer")) read_pre_tokenizer(*pre);
    if (!byte_level_) unsupported("without a ByteLevel pre-tokenizer (SentencePiece-style vocabularies among them)");
    if (const Json* post = find(root_, "post_processor")) read_post_processor(*post);
    return std::move(spec_);
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    fail_at({path_}, ErrorKind::bad_input, "HDL-TOK-04", "malformed tokenizer: {}", what);
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    fail_at(
        {path_}, ErrorKind::unsupported, "HDL-TOK-02",
        "a tokenizer {} is not supported; supported is byte-level BPE with the splits of GPT-2, SmolLM, Llama 3 and "
        "Qwen 2",
        what);
  }
  const Json& member(const Json& object, const char* key) const {
    const Json* found = find(object, key);
    if (found == nullptr) malformed(fmt::format("no '{}'", key));
    return *found;
  }
  std::string type_of(const Json& part) const {
    const Json& type = member(part, "type");
    if (!type.is_string()) malformed("a 'type' is not a string");
    return type.get<std::string>();
  }
  TokenId token_id(const Json& id, const std::string& token) const {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > std::numeric_limits<TokenId>::max())
      malformed(fmt::format("the id of '{}' is not a token id", token));
    return id.get<TokenId>();
  }

  void read_model(const Json& model) {
    // The oldest files leave the type out.
    if (find(model, "type") != nullptr && type_of(model) != "BPE")
      unsupported(fmt::format("of type '{}'", type_of(model)));
    if (flag(model, "byte_fallback", false)) unsupported("with byte fallback (SentencePiece style)");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (const Json* v = find(model, key); v != nullptr && *v != "") unsupported(fmt::format("with a {}", key));
    spec_.whole_words = flag(model, "ignore_merges", false);
    const Json& vocab = member(model, "vocab");
    if (!vocab.is_object()) malformed("'vocab' is not an object");
    const Json* added = find(root_, "added_tokens");
    const std::size_t known = vocab.size() + (added != nullptr && added->is_array() ? added->size() : 0);
    // Holes are allowed, but not so many that a short file asks for much memory.
    id_limit_ = static_cast<TokenId>(std::min<std::size_t>(2 * known + 1024, std::numeric_limits<TokenId>::max()));
    for (const auto& [token, id] : vocab.items()) place(token, token_id(id, token));
    if (const Json* unknown = find(model, "unk_token"); unknown != nullptr && unknown->is_string()) {
      const auto it = vocab.find(unknown->get<std::string>());
      if (it != vocab.end()) spec_.unknown = token_id(*it, unknown->get<std::string>());
    }
    spec_.fuse_unknown = flag(model, "fuse_unk", false);
    const Json& merges = member(model, "merges");
    if (!merges.is_array()) malformed("'merges' is not a list");
    for (const Json& merge : merges) read_merge(merge);
  }

  void place(const std::string& token, TokenId id) {
    if (id >= id_limit_) malformed(fmt::format("'{}' has id {}, far beyond the number of tokens", token, id));
    const auto i = static_cast<std::size_t>(id);
    if (spec_.tokens.size() <= i) spec_.tokens.resize(i + 1);
    if (!spec_.tokens[i].empty() && spec_.tokens[i] != token)
      malformed(fmt::format("'{}' and '{}' share the id {}", spec_.tokens[i], token, id));
    spec_.tokens[i] = token;
  }

  // "a b", or ["a", "b"] in newer files.
  void read_merge(const Json& merge) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      spec_.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      return;
    }
    if (merge.is_string()) {
      const auto& text = merge.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space != std::string::npos && text.find(' ', space + 1) == std::string::npos) {
        spec_.merges.emplace_back(text.substr(0, space), text.substr(space + 1));
        return;
      }
    }
    malformed("a merge is not two tokens");
  }

  void read_added() {
    const Json* list = find(root_, "added_tokens");
    if (list == nullptr) return;
    if (!list->is_array()) malformed("'added_tokens' is not a list");
    for (const Json& item : *list) {
      const Json& content = member(item, "content");
      if (!content.is_string() || content == "") malformed("an added token has no content");
      AddedToken token;
      token.text = content.get<std::string>();
      token.id = token_id(member(item, "id"), token.text);
      token.special = flag(item, "special", false);
      token.strip_left = flag(item, "lstrip", false);
      token.strip_right = flag(item, "rstrip", false);
      token.single_word = flag(item, "single_word", false);
      place(token.text, token.id);
      spec_.added.push_back(std::move(token));
    }
  }

  void read_normalizer(const Json& normalizer) {
    const std::string type = type_of(normalizer);
    if (type == "NFC") {
      spec_.nfc = true;
    } else if (type == "Sequence") {
      for (const Json& part : list_of(normalizer, "normalizers")) read_normalizer(part);
    } else {
      unsupported(fmt::format("with the normalizer '{}'", type));
    }
  }

  void read_pre_tokenizer(const Json& pre) {
    if (depth_ > 8) malformed("pre-tokenizers nest too deep");
    if (byte_level_) unsupported("with a pre-tokenizer behind ByteLevel");
    const std::string type = type_of(pre);
    if (type == "Sequence") {
      ++depth_;
      for (const Json& part : list_of(pre, "pretokenizers")) read_pre_tokenizer(part);
      --depth_;
    } else if (type == "Digits") {
      spec_.splits.push_back(flag(pre, "individual_digits", false) ? Split::digits_each : Split::digits_runs);
    } else if (type == "Split") {
      spec_.splits.push_back(read_split(pre));
    } else if (type == "ByteLevel") {
      byte_level_ = true;
      spec_.prefix_space = flag(pre, "add_prefix_space", true);
      if (flag(pre, "use_regex", true)) spec_.splits.push_back(Split::gpt2);
      if (spec_.prefix_space && !flag(pre, "use_regex", true)) unsupported("with a prefix space and no GPT-2 split");
    } else {
      unsupported(fmt::format("with the pre-tokenizer '{}'", type));
    }
  }

  Split read_split(const Json& pre) const {
    const Json& pattern = member(pre, "pattern");
    const Json* regex = find(pattern, "Regex");
    if (regex == nullptr || !regex->is_string()) unsupported("with a Split that is not by a regular expression");
    const Json* behavior = find(pre, "behavior");
    const bool inverted = flag(pre, "invert", false);
    // These rules match every character, so that "Removed" with "invert" keeps the same words as "Isolated".
    const bool isolates =
        behavior != nullptr && ((*behavior == "Isolated" && !inverted) || (*behavior == "Removed" && inverted));
    if (!isolates) unsupported("with a Split that does not isolate its matches");
    if (const auto split = split_of_regex(regex->get_ref<const std::string&>())) return *split;
    if (*regex == "\\p{N}" || *regex == "\\d") return Split::digits_each;
    if (*regex == "\\p{N}+") return Split::digits_runs;
    unsupported(fmt::format("that splits by the expression {}", regex->get<std::string>()));
  }

  const Json& list_of(const Json& part, const char* key) const {
    const Json& list = member(part, key);
    if (!list.is_array()) malformed(fmt::format("'{}' is not a list", key));
    return list;
  }

  // TemplateProcessing that begins with a special token adds BOS; ByteLevel only moves offsets.
  void read_post_processor(const Json& post) {
    const std::string type = type_of(post);
    if (type == "Sequence") {
      for (const Json& part : list_of(post, "processors")) read_post_processor(part);
    } else if (type == "TemplateProcessing") {
      const Json& single = list_of(post, "single");
      if (single.empty()) return;
      const Json* token = find(single.front(), "SpecialToken");
      if (token == nullptr) return;
      const Json& id = member(*token, "id");
      for (const AddedToken& added : spec_.added)
        if (id == added.text) spec_.bos = added.id, spec_.add_bos = true;
    } else if (type != "ByteLevel") {
      unsupported(fmt::format("with the post-processor '{}'", type));
    }
  }

  const Json& root_;
  const std::string& path_;
  TokenizerSpec spec_;
  TokenId id_limit_ = 0;
  bool byte_level_ = false;
  int depth_ = 0;
};

// bos_token and eos_token of tokenizer_config.json: a string, or an object with "content".
std::optional<TokenId> named_token(const Json& config, const char* key, const TokenizerSpec& spec) {
  const Json* token = find(config, key);
  if (token != nullptr && token->is_object()) token = find(*token, "content");
  if (token == nullptr) return std::nullopt;
  const auto it = std::find_if(spec.added.begin(), spec.added.end(), [&](const auto& a) { return *token == a.text; });
  if (it != spec.added.end()) return it->id;
  const auto at = std::find_if(spec.tokens.begin(), spec.tokens.end(), [&](const auto& t) { return *token == t; });
  if (at != spec.tokens.end()) return static_cast<TokenId>(at - spec.tokens.begin());
  return std::nullopt;
}

}  // namespace

Tokenizer tokenizer_from_json(std::string_view json, std::string_view config_json, const std::string& path) {
  const Json root = parse_object(json, path);
  TokenizerSpec spec = Reader(root, path).read();
  if (!config_json.empty()) {
    const Json config = parse_object(config_json, path + " (its tokenizer_config.json)");
    if (const auto bos = named_token(config, "bos_token", spec); bos && !spec.add_bos) spec.bos = bos;
    spec.eos = named_token(config, "eos_token", spec);
    if (flag(config, "add_bos_token", false) && spec.bos) spec.add_bos = true;
  }
  return Tokenizer(std::move(spec));
}

}  // namespace heddle::tokenizer

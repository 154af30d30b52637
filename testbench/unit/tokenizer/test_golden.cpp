// SPDX-License-Identifier: Apache-2.0
// Every split rule against the ids that Hugging Face tokenizers gave (make_golden.py).
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/tokenizer/tokenizer.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle::tokenizer;
using Json = nlohmann::json;

namespace {

Json read_json(const std::string& name) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/testbench/unit/tokenizer/" + name);
  REQUIRE(file);
  return Json::parse(file);
}

Json patched(Json base, const Json& variant) {
  base["pre_tokenizer"] = variant["pre_tokenizer"];
  base["normalizer"] = variant.value("normalizer", Json());
  for (const char* key : {"ignore_merges", "unk_token", "fuse_unk"})
    if (variant.contains(key)) base["model"][key] = variant[key];
  for (const auto& lacking : variant.value("lacks", Json::array())) {
    Json& vocab = base["model"]["vocab"];
    const auto token = lacking.get<std::string>();
    vocab["unused" + token] = vocab[token];
    vocab.erase(token);
  }
  return base;
}

}  // namespace

TEST_CASE("ids and text agree with Hugging Face tokenizers under every split rule") {
  const Json base = read_json("small_tokenizer.json");
  for (const Json& variant : read_json("golden.json")) {
    CAPTURE(variant["name"].get<std::string>());
    const Tokenizer tokenizer = tokenizer_from_json(patched(base, variant).dump(), "", "small");
    REQUIRE(variant["cases"].size() > 30);
    for (const Json& item : variant["cases"]) {
      const auto text = item["text"].get<std::string>();
      CAPTURE(text);
      const auto ids = item["ids"].get<std::vector<TokenId>>();
      CHECK(tokenizer.encode(text) == ids);
      CHECK(tokenizer.decode(ids) == item["decoded"].get<std::string>());
      const auto plain = item.value("as_text", Json(ids)).get<std::vector<TokenId>>();
      CHECK(tokenizer.encode(text, SpecialTokens::as_text) == plain);
    }
  }
}

TEST_CASE("merges are read in both spellings") {
  Json base = read_json("small_tokenizer.json");
  base["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  const Tokenizer pairs = tokenizer_from_json(base.dump(), "", "small");
  for (Json& merge : base["model"]["merges"]) merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  const Tokenizer strings = tokenizer_from_json(base.dump(), "", "small");
  const std::string text = "The heddle lifts the thread; it's 2024.";
  CHECK(pairs.encode(text) == strings.encode(text));
  CHECK(pairs.encode(text).size() < text.size());
}

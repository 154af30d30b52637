// SPDX-License-Identifier: Apache-2.0
// The shipped tiny model from the command line: text, JSON, modes, and every mistake a user makes with a model.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

namespace fs = std::filesystem;
const std::string tiny = HEDDLE_SOURCE_DIR "/models/tiny";
const std::string generate = "generate --model " + tiny + " --prompt 'And the king said' ";

nlohmann::json json_of(const std::string& arguments) {
  const Ran r = heddle(arguments + " --json -");
  CAPTURE(arguments, r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

// A copy of the tiny model in which one file has another content.
std::string spoilt(const TempFolder& temp, const std::string& file, const std::string& content) {
  const std::string folder = temp.path() + "/model";
  fs::remove_all(folder);
  fs::create_directory(folder);
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"})
    if (name != file) fs::create_symlink(tiny + "/" + name, folder + "/" + name);
  if (!content.empty()) temp.file("model/" + file, content);
  return folder;
}

// The tiny model's config.json with every `from` replaced.
std::string config_with(const std::string& from, const std::string& to) {
  std::string text = read_file(tiny + "/config.json");
  REQUIRE(text.find(from) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_CASE("the first run prints text and a table a person can read") {
  const Ran r = heddle("run configs/run/first-light.yaml --set max_new_tokens=8");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, Catch::Matchers::StartsWith("And the king said unto him,") && contains("time to first token") &&
                        contains("a token") && contains("HBM") && contains("MXU") && contains("VPU") &&
                        contains("DMA") && contains("moved") && contains("cycles") && contains("host seconds"));
  // From another folder the same: paths in a run file start at the file.
  const Ran other = heddle("run " HEDDLE_SOURCE_DIR "/configs/run/first-light.yaml --set max_new_tokens=8", "/");
  const auto simulated = [](const std::string& out) { return out.substr(0, out.find("; ")); };  // the rest is host time
  CHECK(simulated(other.out) == simulated(r.out));
}

TEST_CASE("a result in JSON has what the table has") {
  const nlohmann::json json = json_of(generate + "--max-new-tokens 4");
  CHECK(json["schema"] == "heddle.result/1");
  CHECK(json["command"] == "generate");
  CHECK(json["chip"] == "edge");
  CHECK(json["mode"] == "full");
  CHECK(json["dtype"] == "bf16");
  CHECK(json["tokens"].size() == 4);
  CHECK(json["text"].get<std::string>().size() > 2);
  CHECK(json["cycles"].get<double>() ==
        json["prefill"]["cycles"].get<double>() + json["decode"]["cycles"].get<double>());
  CHECK(json["time_to_first_token_ns"].get<double>() == Approx(json["prefill"]["time_ns"].get<double>()));
  CHECK(json["time_per_output_token_ns"].get<double>() * 3 == Approx(json["decode"]["time_ns"].get<double>()));
  CHECK(json["prefill"]["tokens"] == json["prompt_tokens"].size());
  CHECK(json["decode"]["tokens"] == 3);                      // the first comes from prefill
  CHECK(json["bytes"]["hbm_read"].get<double>() > 4 * 4e6);  // the weights, once a token
}

TEST_CASE("tokens do not depend on the mode, cycles not on the run") {
  const std::string length = "--max-new-tokens 6";
  const nlohmann::json full = json_of(generate + length);
  const nlohmann::json again = json_of(generate + length);
  const nlohmann::json values = json_of(generate + length + " --mode values");
  CHECK(full["tokens"] == values["tokens"]);
  CHECK(full["tokens"] == again["tokens"]);
  CHECK(full["cycles"] == again["cycles"]);
  CHECK(values["cycles"].is_null());
  CHECK(json_of(generate + length + " --mode timing")["cycles"].get<double>() ==
        Approx(full["cycles"].get<double>()).epsilon(0.01));
}

TEST_CASE("sampling follows its seed") {
  const std::string hot = "--max-new-tokens 8 --mode values --temperature 1.5 --seed ";
  CHECK(json_of(generate + hot + "1")["tokens"] == json_of(generate + hot + "1")["tokens"]);
  CHECK(json_of(generate + hot + "1")["tokens"] != json_of(generate + hot + "2")["tokens"]);
}

TEST_CASE("logits of a text are written for every position") {
  const TempFolder temp;
  temp.file("text", "In the beginning God created");
  const Ran r = heddle("generate --model " + tiny + " --prompt-file text --mode values --teacher-forced --logits-out l",
                       temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json about = nlohmann::json::parse(read_file(temp.path() + "/l.json"));
  CHECK(about["vocab"] == 1024);
  CHECK(about["positions"] == about["tokens"].size());
  CHECK(fs::file_size(temp.path() + "/l") == about["positions"].get<std::size_t>() * 1024 * 4);
}

TEST_CASE("mistakes with a model are one clear line and exit code 2") {
  const TempFolder temp;
  const std::string weights = read_file(tiny + "/model.safetensors");
  const auto complaint = [](const std::string& arguments) {
    const Ran r = heddle(arguments);
    CAPTURE(arguments, r.out, r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    return r.err;
  };
  const auto with = [](const std::string& model) { return "generate --model " + model + " --prompt x"; };
  CHECK_THAT(complaint(with("/nonexistent")), contains("/nonexistent"));
  CHECK_THAT(complaint(with(spoilt(temp, "model.safetensors", ""))), contains("model"));
  CHECK_THAT(complaint(with(spoilt(temp, "model.safetensors", weights.substr(0, weights.size() / 2)))),
             contains("model.safetensors"));
  CHECK_THAT(complaint(with(spoilt(temp, "model.safetensors", "garbage"))), contains("model.safetensors"));
  CHECK_THAT(complaint(with(spoilt(temp, "config.json", "{"))), contains("config.json"));
  std::string mamba = config_with("LlamaForCausalLM", "MambaForCausalLM");
  mamba.replace(mamba.find("\"llama\""), 7, "\"mamba\"");
  CHECK_THAT(complaint(with(spoilt(temp, "config.json", mamba))),
             contains("amba") && contains("llama") && contains("gpt2"));
  CHECK_THAT(complaint(with(
                 spoilt(temp, "config.json", config_with("\"intermediate_size\": 512", "\"intermediate_size\": 640")))),
             contains("640") && contains("512"));
  CHECK_THAT(complaint(with(spoilt(temp, "tokenizer.json", ""))), contains("tokenizer.json"));
  CHECK_THAT(complaint(with(spoilt(temp, "tokenizer.json", "[]"))), contains("tokenizer.json"));
  CHECK_THAT(complaint(generate + "--set memory.capacity=4MiB"),
             contains("needs") && contains("chip edge has 4.0 MiB"));
  CHECK_THAT(complaint(generate + "--max-new-tokens 600"), contains("context is 512"));
  CHECK_THAT(complaint("generate --model " + tiny + " --prompt ''"), contains("prompt is empty"));
  CHECK_THAT(complaint("generate --model " + tiny + " --prompt-file /nonexistent"), contains("/nonexistent"));
  CHECK_THAT(complaint(generate + "--dtype int8"), contains("--dtype"));
  CHECK_THAT(complaint(generate + "--top-p 2"), contains("--top-p"));
  CHECK_THAT(complaint(generate + "--chip egde"), contains("did you mean 'edge'?"));
  CHECK_THAT(complaint(generate + "--set core.mxu.rowz=4"), contains("did you mean 'rows'?"));
  CHECK_THAT(complaint(generate + "--json /nonexistent/r.json"), contains("/nonexistent/r.json"));
}

TEST_CASE("mistakes in a run file are one clear line with its place") {
  const TempFolder temp;
  const auto complaint = [&](const std::string& text) {
    temp.file("r.yaml", text);
    const Ran r = heddle("run r.yaml", temp.path());
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    return r.err;
  };
  const std::string head = "schema: heddle.run/1\nmodel: " + tiny + "\n";
  CHECK_THAT(complaint(head + "promt: x\n"),
             Catch::Matchers::StartsWith("r.yaml:3:1: unknown key 'promt' in run; did you mean 'prompt'?"));
  CHECK_THAT(complaint(head), contains("run needs the key 'prompt'"));
  CHECK_THAT(complaint(head + "prompt: x\nmode: quick\n"),
             contains("r.yaml:4:7: mode in run has to be one of values, timing, full"));
  CHECK_THAT(complaint(head + "prompt: x\nsampling: {top_p: 1.5}\n"),
             contains("top_p in sampling: \"1.5\" is out of range (0 to 1)"));
  CHECK_THAT(complaint(head + "prompt: x\nsampling: {seed: 1, sed: 2}\n"), contains("did you mean 'seed'?"));
  CHECK_THAT(complaint(head + "prompt: x\nchip: mine.yaml\n"), contains("mine.yaml"));
  CHECK_THAT(complaint("schema: heddle.chip/1\nmodel: x\nprompt: x\n"), contains("is not heddle.run/1"));
  CHECK_THAT(complaint("schema: heddle.run/1\nmodel: nowhere\nprompt: x\n"), contains("nowhere"));
  CHECK(heddle("run configs/run/first-light.yaml --arg 1").status == 2);
  CHECK_THAT(heddle("run configs/run/first-light.yaml --set samplin.seed=3").err, contains("samplin"));
}

TEST_CASE("generate --bisect holds every operation of a model against its mathematics") {
  const std::string arguments = "generate --model models/tiny --prompt 'Once upon' --max-new-tokens 2 --bisect";
  const Ran r = heddle(arguments + " --json -");
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["command"] == "generate");
  CHECK(json["correct"] == true);
  CHECK(json["divergence"].is_null());
  CHECK(json["launches"] == 2);
  CHECK(json["operations"].get<int>() > 70);
  // No sum in fp32 is that exact.
  const Ran strict = heddle(arguments + " --tolerance 1e-9 --mode values");
  CHECK(strict.status == 1);
  CHECK_THAT(strict.out, contains("operation             layer 0: ") && contains("cause                 precision"));
  CHECK(lines(strict.err) == 1);
  CHECK(heddle(arguments + " --mode timing").status == 2);
  CHECK(heddle(arguments + " --profile").status == 2);
  CHECK(heddle("run testbench/system/programs/axpy.s --bisect").status == 2);
}

}  // namespace
}  // namespace heddle::system_test

// SPDX-License-Identifier: Apache-2.0
#include "sim/app/run_program.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "isa/asm/assembler.hpp"
#include "isa/base/error.hpp"
#include "isa/base/read_file.hpp"
#include "isa/image/image.hpp"
#include "sdk/runtime/device.hpp"
#include "sim/app/hazards.hpp"
#include "sim/app/instruments.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/app/target.hpp"
#include "sim/config/quantity.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t most_argument_bytes = std::size_t{1} << 34;

[[noreturn]] void refuse_argument(const std::string& text) {
  fail(ErrorKind::bad_input, "HDL-APP-03",
       "\"{}\" is no launch argument; write a number, fp32:1.5, zeros:4KiB or file:x.bin", text);
}

// An argument that lives on the device, and where its buffer goes after the run.
struct Placed {
  Argument argument;
  sdk::Buffer buffer;
  std::string dump;
};

void parse_dumps(const std::vector<std::string>& dumps, std::vector<Placed>& arguments) {
  for (const std::string& text : dumps) {
    const std::size_t equals = text.find('=');
    std::size_t index = 0;
    const char* end = text.data() + std::min(equals, text.size());
    const auto [stop, error] = std::from_chars(text.data(), end, index);
    if (equals == std::string::npos || error != std::errc() || stop != end || equals + 1 == text.size() ||
        index >= arguments.size() || !arguments[index].argument.is_buffer)
      fail(ErrorKind::bad_input, "HDL-APP-05",
           "--dump {}: write N=FILE, where argument N (from 0) is zeros: or file:", text);
    arguments[index].dump = text.substr(equals + 1);
    require_writable(arguments[index].dump);
  }
}

}  // namespace

isa::ProgramImage load_program(const std::string& path) {
  return path.ends_with(".s") ? isa::assemble_file(path) : isa::read_image(path);
}

const isa::Entry& find_entry(const isa::ProgramImage& image, const std::string& name) {
  if (name.empty()) return image.entries.front();
  for (const isa::Entry& e : image.entries)
    if (e.name == name) return e;
  std::vector<std::string> names;
  for (const isa::Entry& e : image.entries) names.push_back(e.name);
  fail(ErrorKind::bad_input, "HDL-APP-04", "no entry '{}' in {}; it has {}", name, image.name, fmt::join(names, ", "));
}

void require_arguments(const isa::Entry& entry, std::size_t given, const std::string& program) {
  if (given != entry.arguments)
    fail(ErrorKind::bad_input, "HDL-APP-06", "entry '{}' of {} takes {} arguments, --arg gives {}", entry.name, program,
         entry.arguments, given);
}

Argument parse_argument(const std::string& text) {
  Argument a;
  const auto number_after = [&](std::size_t prefix, auto& value, auto... base) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + prefix, end, value, base...);
    return error == std::errc() && stop == end;
  };
  if (text.starts_with("zeros:")) {
    a.is_buffer = true;
    a.bytes.resize(static_cast<std::size_t>(config::parse_quantity(text.substr(6), config::Unit::bytes)));
  } else if (text.starts_with("file:")) {
    a.is_buffer = true;
    const std::optional<std::string> content = read_file(text.substr(5), most_argument_bytes);
    if (!content)
      fail_at({text.substr(5)}, ErrorKind::bad_input, "HDL-APP-03", "cannot be read: {}", std::strerror(errno));
    a.bytes.assign(content->begin(), content->end());
  } else if (text.starts_with("fp32:")) {
    float value = 0;
    if (!number_after(5, value)) refuse_argument(text);
    a.number = sdk::float_argument(value);
  } else if (text.starts_with("0x")) {
    if (!number_after(2, a.number, 16)) refuse_argument(text);
  } else if (std::int64_t value = 0; number_after(0, value)) {
    a.number = static_cast<std::uint64_t>(value);
  } else {
    refuse_argument(text);
  }
  return a;
}

ExitCode run_program(const ProgramRun& run) {
  const auto began = std::chrono::steady_clock::now();
  require_writable(run.common.json);
  const Target target = find_target(run.target);
  const hdl_mode mode = run.common.mode.empty() ? target.standard_mode : parse_mode(run.common.mode);
  check_instruments(run.common, mode, run.target == "sim");
  const isa::ProgramImage image = load_program(run.program);
  const isa::Entry& entry = find_entry(image, run.entry);
  std::vector<Placed> arguments;
  for (const std::string& text : run.args) arguments.push_back({parse_argument(text), {}, {}});
  parse_dumps(run.dumps, arguments);
  require_arguments(entry, arguments.size(), run.program);

  Instruments instruments(run.common);
  Hazards hazards;
  sdk::Device device(target.api,
                     {chip_for(target, run.common, run.chip_given), run.common.set, mode, run.common.host_threads});
  std::vector<std::uint64_t> words;
  for (Placed& p : arguments) {
    if (p.argument.is_buffer) p.buffer = device.upload(p.argument.bytes);
    words.push_back(p.argument.is_buffer ? p.buffer.address() : p.argument.number);
  }
  const sdk::LoadedImage loaded = device.load(image);
  const sdk::Counters before = device.counters();
  device.run(loaded, entry.name, words);
  const sdk::Counters spent = device.counters() - before;
  instruments.finish();
  for (const Placed& p : arguments) {
    if (p.dump.empty()) continue;
    const std::vector<std::uint8_t> bytes = p.buffer.read_as<std::uint8_t>();
    write_file(p.dump, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - began;
  const Report report = make_report(spent, device.chip(), mode, host.count());
  if (!run.common.json.empty()) {
    nlohmann::json json = to_json(report, "run");
    json["program"] = run.program;
    json["entry"] = entry.name;
    for (const auto& [name, counter] : spent.rows) json["counters"][name] = counter.value;
    add_jitter(json, run.common);
    instruments.add_profile(json, device.chip());
    instruments.add_prints(json);
    hazards.add_to(json);
    write_json(run.common.json, json);
  }
  if (run.common.json == "-") return hazards.report(success);
  std::string text = fmt::format("{} on {}, {} mode", image.name, report.chip, report.mode);
  if (report.timed()) text += fmt::format(": {} cycles, {}", grouped(report.cycles), time_text(report.time_ns));
  print_result(text + "\n" + utilization_text(report) + totals_text(report) + "\n" +
               instruments.profile(device.chip()) + hazards.text());
  return hazards.report(success);
}

}  // namespace heddle::app

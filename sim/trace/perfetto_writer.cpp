// SPDX-License-Identifier: Apache-2.0
// Field numbers are those of Perfetto's published schema: protos/perfetto/trace/trace_packet.proto,
// track_event/{track_event,track_descriptor,process_descriptor,thread_descriptor,counter_descriptor,debug_annotation,
// source_location}.proto and interned_data/interned_data.proto (perfetto.dev/docs/reference/trace-packet-proto).
#include "sim/trace/perfetto_writer.hpp"

#include <fmt/format.h>

namespace heddle::trace {
namespace {

namespace trace_ {
constexpr std::uint32_t packet = 1;
}
namespace packet_ {
constexpr std::uint32_t timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                        track_descriptor = 60;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;  // of sequence_flags
}  // namespace packet_
namespace descriptor_ {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8;
constexpr std::uint32_t process_pid = 1, process_name = 6;
constexpr std::uint32_t thread_pid = 1, thread_tid = 2, thread_name = 5;
constexpr std::uint32_t counter_unit_name = 6;
}  // namespace descriptor_
namespace event_ {
constexpr std::uint32_t annotations = 4, type = 9, name_iid = 10, track_uuid = 11, source_location_iid = 34,
                        double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, counter_value = 4;  // of type
}  // namespace event_
namespace annotation_ {
constexpr std::uint32_t name_iid = 1, int_value = 4, string_value_iid = 17;
}
namespace interned_ {
constexpr std::uint32_t event_names = 2, annotation_names = 3, source_locations = 4, annotation_texts = 29;
constexpr std::uint32_t iid = 1, text = 2;               // of each entry
constexpr std::uint32_t file_name = 2, line_number = 4;  // of a source location
}  // namespace interned_

constexpr std::size_t most_interned = std::size_t{1} << 16;
constexpr std::uint64_t sequence = 1;
// uuids: of processes and of tracks.
constexpr std::uint64_t process_uuid(std::uint32_t process) { return std::uint64_t{1} << 32 | process; }

// Timestamps are whole nanoseconds; both ends of a slice are rounded down alike, so slices that follow each other still
// do.
std::uint64_t nanoseconds(TimeFs t) { return static_cast<std::uint64_t>(t.value() / 1'000'000); }

}  // namespace

void PerfettoWriter::packet(const Message& packet) {
  Message framed;
  framed.message(trace_::packet, packet);
  file_.write(framed.data());
}

void PerfettoWriter::process(std::uint32_t process, std::string_view name) {
  Message p, descriptor, out;
  p.number(descriptor_::process_pid, process).bytes(descriptor_::process_name, name);
  descriptor.number(descriptor_::uuid, process_uuid(process)).message(descriptor_::process, p);
  out.number(packet_::sequence_id, sequence).message(packet_::track_descriptor, descriptor);
  packet(out);
}

void PerfettoWriter::track(std::uint32_t track, std::uint32_t process, std::string_view name) {
  // Thread numbers are unique in the whole trace, and none is a process's: the first thread would take its name.
  constexpr std::uint64_t first_thread = std::uint64_t{1} << 20;
  Message thread, descriptor, out;
  thread.number(descriptor_::thread_pid, process)
      .number(descriptor_::thread_tid, first_thread + track)
      .bytes(descriptor_::thread_name, name);
  descriptor.number(descriptor_::uuid, track)
      .number(descriptor_::parent_uuid, process_uuid(process))
      .message(descriptor_::thread, thread);
  out.number(packet_::sequence_id, sequence).message(packet_::track_descriptor, descriptor);
  packet(out);
}

void PerfettoWriter::counter(std::uint32_t counter, std::uint32_t process, std::string_view name,
                             std::string_view unit) {
  Message c, descriptor, out;
  c.bytes(descriptor_::counter_unit_name, unit);
  descriptor.number(descriptor_::uuid, counter)
      .bytes(descriptor_::name, name)
      .number(descriptor_::parent_uuid, process_uuid(process))
      .message(descriptor_::counter, c);
  out.number(packet_::sequence_id, sequence).message(packet_::track_descriptor, descriptor);
  packet(out);
}

// Memory stays flat: with too many strings the numbering starts anew.
void PerfettoWriter::forget_when_large() {
  if (names_.size() + texts_.size() + places_.size() + keys_.size() < most_interned) return;
  names_.clear();
  keys_.clear();
  texts_.clear();
  places_.clear();
  fresh_.clear();
  cleared_ = true;
}

std::uint64_t PerfettoWriter::intern(Table& table, std::uint32_t field, std::string_view text) {
  const auto found = table.find(text);
  if (found != table.end()) return found->second;
  const std::uint64_t iid = table.size() + 1;
  table.emplace(text, iid);
  Message entry;
  entry.number(interned_::iid, iid).bytes(interned_::text, text);
  fresh_.message(field, entry);
  return iid;
}

std::uint64_t PerfettoWriter::intern_place(std::string_view file, std::uint32_t line) {
  std::string key = fmt::format("{}:{}", file, line);
  const auto found = places_.find(key);
  if (found != places_.end()) return found->second;
  const std::uint64_t iid = places_.size() + 1;
  places_.emplace(std::move(key), iid);
  Message entry;
  entry.number(interned_::iid, iid).bytes(interned_::file_name, file).number(interned_::line_number, line);
  fresh_.message(interned_::source_locations, entry);
  return iid;
}

void PerfettoWriter::event_packet(TimeFs time, const Message& event) {
  Message out;
  out.number(packet_::timestamp, nanoseconds(time))
      .number(packet_::sequence_id, sequence)
      .number(packet_::sequence_flags, packet_::needs_state | (cleared_ ? packet_::state_cleared : 0));
  cleared_ = false;
  if (!fresh_.data().empty()) out.message(packet_::interned_data, fresh_);
  fresh_.clear();
  out.message(packet_::track_event, event);
  packet(out);
}

void PerfettoWriter::slice(const Slice& s) {
  forget_when_large();
  Message event;
  event.number(event_::type, event_::slice_begin)
      .number(event_::track_uuid, s.track)
      .number(event_::name_iid, intern(names_, interned_::event_names, s.name));
  for (const Arg& a : s.args) {
    Message annotation;
    annotation.number(annotation_::name_iid, intern(keys_, interned_::annotation_names, a.key));
    if (a.text.empty())
      annotation.number(annotation_::int_value, static_cast<std::uint64_t>(a.number));
    else
      annotation.number(annotation_::string_value_iid, intern(texts_, interned_::annotation_texts, a.text));
    event.message(event_::annotations, annotation);
  }
  if (!s.file.empty()) event.number(event_::source_location_iid, intern_place(s.file, s.line));
  for (const std::uint64_t id : s.flows_out) event.fixed64(event_::flow_ids, id);
  for (const std::uint64_t id : s.flows_in) event.fixed64(event_::terminating_flow_ids, id);
  event_packet(s.begin, event);
  end(s.track, s.end);
}

void PerfettoWriter::begin(std::uint32_t track, TimeFs time, std::string_view name) {
  forget_when_large();
  Message event;
  event.number(event_::type, event_::slice_begin)
      .number(event_::track_uuid, track)
      .number(event_::name_iid, intern(names_, interned_::event_names, name));
  event_packet(time, event);
}

void PerfettoWriter::end(std::uint32_t track, TimeFs time) {
  Message event;
  event.number(event_::type, event_::slice_end).number(event_::track_uuid, track);
  event_packet(time, event);
}

void PerfettoWriter::value(std::uint32_t counter, std::uint32_t, std::string_view, TimeFs time, double value) {
  Message event;
  event.number(event_::type, event_::counter_value)
      .number(event_::track_uuid, counter)
      .real(event_::double_counter_value, value);
  event_packet(time, event);
}

}  // namespace heddle::trace

# SPDX-License-Identifier: Apache-2.0
"""Reads a trace with Perfetto's own published schema (PyPI: perfetto) and checks what it says of itself.

    check_trace.py TRACE.pftrace TRACE.json CYCLES PERIOD_FS

The two are of the same run. Then the .pftrace is cut in the middle, as a killed run leaves it, and read again.
"""
import json
import sys

from google.protobuf.message import DecodeError
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema


def read(data):
    """Packet by packet, as Perfetto does: whole packets up to where the bytes end."""
    packets, at = [], 0
    while at < len(data):
        assert data[at] == 0x0A, f"byte {at} begins no packet"
        size, shift, place = 0, 0, at + 1
        while place < len(data):
            size |= (data[place] & 0x7F) << shift
            shift += 7
            place += 1
            if data[place - 1] < 0x80:
                break
        if place + size > len(data):
            break
        packet = schema.TracePacket()
        packet.ParseFromString(data[place:place + size])
        packets.append(packet)
        at = place + size
    return packets


def check(packets, whole):
    names, tracks, open_slices, slices = {}, {}, {}, []
    begun, ended, counters = set(), set(), 0
    for p in packets:
        if p.sequence_flags & 1:
            names = {}
        names.update({n.iid: n.name for n in p.interned_data.event_names})
        if p.HasField("track_descriptor"):
            tracks[p.track_descriptor.uuid] = p.track_descriptor
            if p.track_descriptor.parent_uuid:
                assert p.track_descriptor.parent_uuid in tracks
            continue
        e = p.track_event
        assert e.track_uuid in tracks, "an event on a track that was not described"
        if e.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            assert e.name_iid in names
            open_slices.setdefault(e.track_uuid, []).append((p.timestamp, names[e.name_iid]))
            begun.update(e.flow_ids)
            ended.update(e.terminating_flow_ids)
        elif e.type == schema.TrackEvent.TYPE_SLICE_END:
            start, name = open_slices[e.track_uuid].pop()
            assert p.timestamp >= start
            slices.append((e.track_uuid, name, start, p.timestamp))
        else:
            assert e.type == schema.TrackEvent.TYPE_COUNTER and tracks[e.track_uuid].HasField("counter")
            counters += 1
    if whole:
        assert not any(open_slices.values()), "slices without an end"
        assert counters > 0
        assert ended and ended <= begun, "an arrow from nowhere"
    return tracks, slices


def main():
    data = open(sys.argv[1], "rb").read()
    cycles, period_fs = int(sys.argv[3]), int(sys.argv[4])
    whole = schema.Trace()
    whole.ParseFromString(data)
    packets = read(data)
    assert len(packets) == len(whole.packet)
    tracks, slices = check(packets, True)
    threads = {t.thread.thread_name for t in tracks.values() if t.HasField("thread")}
    for name in ("launches", "kernels", "sequencer stalls", "mxu0 matmul", "mxu0 load", "vpu0", "dma0"):
        assert name in threads, f"no track {name}"
    named = {t.name: t for t in tracks.values() if t.HasField("counter")}
    for name, unit in (("HBM read", "GB/s"), ("HBM written", "GB/s"), ("HBM channel 0 busy", "%"),
                       ("HBM channel 0 row hits", "%"), ("dma0 queue", "instructions"), ("scratchpad used", "bytes"),
                       ("accumulators used", "bytes")):
        assert name in named, f"no counter {name}"
        assert named[name].counter.unit_name == unit, f"{name} counts {named[name].counter.unit_name}"
    assert any(name.startswith("link ") for name in named), "no counter of a link"
    launch = [s for s in slices if tracks[s[0]].thread.thread_name == "launches" and s[1] != "launch overhead"]
    assert len(launch) == 1
    assert abs((launch[0][3] - launch[0][2]) - cycles * period_fs / 1e6) <= 1, "the launch's slice is not the run"
    matmuls = sum(1 for s in slices if s[1] == "mxu.matmul")
    assert matmuls > 0

    events = json.load(open(sys.argv[2]))
    assert sum(1 for e in events if e["ph"] == "X" and e["name"] == "mxu.matmul") == matmuls
    complete = sum(1 for e in events if e["ph"] in "XE")
    assert complete == len(slices), f"{complete} slices in JSON, {len(slices)} in Perfetto's format"

    half = len(data) // 2
    _, fewer = check(read(data[:half]), False)
    assert 0 < len(fewer) < len(slices)
    print(f"{len(packets)} packets, {len(slices)} slices, {len(tracks)} tracks; {len(fewer)} slices in the first half")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, DecodeError) as e:
        sys.exit(f"FAILED: {e!r}")

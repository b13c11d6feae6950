"""Checks a file of --format perfetto, and prints the names in it.
  read_trace.py FILE"""
import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
spans, arrows = {}, {"s": {}, "f": {}}
for e in events:
    if e["ph"] == "X":
        spans.setdefault((e["pid"], e["tid"]), []).append(e)
    elif e["ph"] in arrows:
        assert e["id"] not in arrows[e["ph"]], e
        arrows[e["ph"]][e["id"]] = e
for row, of_row in spans.items():
    assert row in rows, of_row[0]
    for before, after in zip(of_row, of_row[1:]):
        assert before["ts"] + before["dur"] <= after["ts"] + 1e-6, (before, after)
assert arrows["s"].keys() == arrows["f"].keys()
for number, begin in arrows["s"].items():
    end = arrows["f"][number]
    assert begin["ts"] <= end["ts"] and (begin["name"], begin["cat"]) == (end["name"], end["cat"]), (begin, end)
    assert any(e["ts"] <= begin["ts"] <= e["ts"] + e["dur"] for e in spans[begin["pid"], begin["tid"]]), begin
    assert any(e["ts"] == end["ts"] for e in spans[end["pid"], end["tid"]]), end
print("rows: " + "; ".join(rows.values()))
print("operations: " + "; ".join(sorted({e["name"] for of_row in spans.values() for e in of_row})))
print("no row overlaps, and the arrows match")

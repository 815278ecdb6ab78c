# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the outputs of one simulation against each other: DIR."""

import csv
import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1])
report = json.loads((directory / "r.json").read_text())
why = report["explanation"]
latency = why["latency_ps"]
assert round(report["latency_s"] * 1e12) == latency
for key in ("causes", "kinds"):
    assert sum(cause["ps"] for cause in why[key]) == latency, key
now = 0
for task in why["critical_path"]:
    assert task["start_ps"] == now, task
    now = task["end_ps"]
    assert sum(cause["ps"] for cause in task["causes"]) == now - task["start_ps"]
assert now == latency


def table(name):
    with open(directory / "csv" / name, newline="") as file:
        return list(csv.DictReader(file))


tasks = table("tasks.csv")
assert max(int(task["end_ps"]) for task in tasks) == latency
assert sum(task["critical"] == "1" for task in tasks) == len(why["critical_path"])
assert [row["name"] for row in table("resources.csv")] == [
    resource["name"] for resource in report["resources"]]
assert [int(row["live_peak_bytes"]) for row in table("memories.csv")] == [
    memory["live_peak_bytes"] for memory in report["memories"]]
assert len(table("layers.csv")) == len(report["layers"])

for name in ("m.dot", "t.dot"):
    text = (directory / name).read_text()
    assert text.startswith("digraph ") and text.endswith("}\n"), name
assert (directory / "t.dot").read_text().count("[label=") == len(tasks)

trace = json.loads((directory / "trace.json").read_text())["traceEvents"]
arrows = {phase: sorted(event["id"] for event in trace if event["ph"] == phase)
          for phase in "sf"}
assert arrows["s"] == arrows["f"] and len(set(arrows["s"])) == len(arrows["s"])
assert any(event["ph"] == "s" and event["name"] == "sends" for event in trace)
sram = {}
for event in trace:
    if event["ph"] == "C" and event["name"] == "SRAM in use":
        sram[event["pid"]] = max(sram.get(event["pid"], 0), event["args"]["bytes"])
peaks = [memory["live_peak_bytes"] for memory in report["memories"]
         if memory["name"].endswith(".sram") and memory["live_peak_bytes"] > 0]
assert sorted(sram.values()) == sorted(peaks)

chakra = sorted(path.name for path in directory.glob("c.*.et"))
chiplets = [memory for memory in report["memories"] if memory["name"].endswith(".sram")]
assert chakra == [f"c.{rank}.et" for rank in range(len(chiplets))]

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the report of an estimate against that of a simulation."""

import json
import pathlib
import sys

estimate, simulation = (
    json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3]
)
assert list(estimate) == list(simulation), (list(estimate), list(simulation))
TIMED = {
    "network",
    "latency_s",
    "bound_ratio",
    "resources",
    "operations",
    "events",
    "wall_s",
}
for name in set(estimate) - TIMED:
    assert estimate[name] == simulation[name], name
ENGINES = {"compute", "dma", "send", "receive", "channel"}
for ours, theirs in zip(estimate["resources"], simulation["resources"], strict=True):
    assert ours["name"] == theirs["name"], (ours, theirs)
    if ours["kind"] not in ENGINES:
        assert ours["busy_s"] == theirs["busy_s"], (ours, theirs)
for ours, theirs in zip(estimate["operations"], simulation["operations"], strict=True):
    assert ours["kind"] == theirs["kind"], (ours, theirs)
    assert ours["tasks"] == theirs["tasks"], (ours, theirs)
ratio = estimate["latency_s"] / simulation["latency_s"]
assert 0.99 < ratio < 1.01, ratio

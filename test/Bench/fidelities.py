#!/usr/bin/env python3
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the networks `flow` and `packet` on whole forward passes.

For each model and preset: latency in both, seconds and events of the simulation
(`wall_s` and `events` of the report) and peak memory of the process; then by how
much the ratio of neighbouring presets differs.

    fidelities.py BIN_DIR [MODEL ...]     (default: all of share/mozart/models)
    fidelities.py BIN_DIR smoke           one program of the tests
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MACHINES = {
    "olmoe-1b-7b": "mozart-olmoe",
    "qwen3-30b-a3b": "mozart-qwen3-30b",
    "deepseek-moe-16b": "mozart-deepseek-moe-16b",
}
PRESETS = ["baseline", "overlap", "dedup", "layout"]
NETWORKS = ["flow", "packet"]


def simulate(tool, program, network, extra=()):
    """The report, and the peak of the process's memory in MB."""
    command = [tool, "--simulate", f"--network={network}", *extra, program]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return json.loads(text), usage.ru_maxrss / 1024


def show(name, reports):
    for network in NETWORKS:
        report, megabytes = reports[network]
        print(f"{name:28} {network:7} {report['latency_s']:.6f} s  "
              f"simulated in {report['wall_s']:.2f} s, "
              f"{report['events']} events, {megabytes:.0f} MB", flush=True)


def compare(bin_dir, model, scratch):
    latency = {}
    for preset in PRESETS:
        program = scratch / f"{model}.{preset}.mlir"
        subprocess.run(
            [bin_dir / "mozart-opt", SOURCE / f"share/mozart/models/{model}.mlir",
             f"--mozart-compile=machine={MACHINES[model]} preset={preset}",
             "-o", program], check=True)
        reports = {n: simulate(bin_dir / "mozart-translate", program, n)
                   for n in NETWORKS}
        show(f"{model} {preset}", reports)
        for network in NETWORKS:
            latency[network, preset] = reports[network][0]["latency_s"]
        program.unlink()
    for before, after in zip(PRESETS, PRESETS[1:]):
        flow, packet = (latency[n, before] / latency[n, after] for n in NETWORKS)
        print(f"{model} {before} / {after}: flow {flow:.4f}, packet "
              f"{packet:.4f}, {100 * (packet / flow - 1):+.3f} %", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bin_dir = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["smoke"]:
        routing = SOURCE / "test/Target/Simulate/Inputs/one-layer.jsonl"
        program = SOURCE / "test/Phases/one-layer-scheduled.mlir"
        show("one-layer", {
            n: simulate(bin_dir / "mozart-translate", program, n,
                        [f"--routing={routing}"]) for n in NETWORKS})
        return
    with tempfile.TemporaryDirectory() as scratch:
        for model in sys.argv[2:] or MACHINES:
            compare(bin_dir, model, pathlib.Path(scratch))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how far estimates are from simulations, over presets and models.

    python3 test/Bench/estimate_table.py [--bin=build/release/bin] [model ...]

Compiles each model for its machine with each preset, simulates and estimates
the program with the same routing, and prints a Markdown table: latencies, the
error of the estimate, the ratio to the preset before and its error, and what
both took. Without models: all that ship with the library, at full size.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = ("baseline", "overlap", "dedup", "layout")
MACHINES = {
    "olmoe-1b-7b": "mozart-olmoe",
    "qwen3-30b-a3b": "mozart-qwen3-30b",
    "deepseek-moe-16b": "mozart-deepseek-moe-16b",
}


def run(*command: object) -> None:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")


def report(tools: pathlib.Path, how: str, program: pathlib.Path) -> dict:
    output = program.with_suffix(f".{how}.json")
    run(tools / "mozart-translate", f"--{how}", program, "-o", output)
    return json.loads(output.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("models", nargs="*", metavar="model")
    options = parser.parse_args()
    for model in options.models:
        if model not in MACHINES:
            parser.error(f"unknown model '{model}'; known: {', '.join(MACHINES)}")

    print("| model | preset | simulated | estimated | error", end=" ")
    print("| ratio to the preset before | error | time of both |")
    print("|---|---|---|---|---|---|---|---|")
    errors, ratio_errors, speed_ups = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        for model in options.models or MACHINES:
            before = None
            for preset in PRESETS:
                program = pathlib.Path(directory) / f"{model}.{preset}.mlir"
                run(
                    options.bin / "mozart-opt",
                    ROOT / f"share/mozart/models/{model}.mlir",
                    f"--mozart-compile=machine={MACHINES[model]} preset={preset}",
                    "-o",
                    program,
                )
                exact = report(options.bin, "simulate", program)
                estimate = report(options.bin, "estimate", program)
                now = exact["latency_s"], estimate["latency_s"]
                error = now[1] / now[0] - 1
                errors.append(abs(error))
                speed_ups.append(exact["wall_s"] / estimate["wall_s"])
                ratios = "| |"
                if before:
                    ratio, ratio_error = (
                        now[0] / before[0],
                        now[1] / before[1] / (now[0] / before[0]) - 1,
                    )
                    ratio_errors.append(abs(ratio_error))
                    ratios = f"| {ratio:.4f} | {ratio_error:+.3%}"
                before = now
                print(
                    f"| {model} | {preset} | {now[0]:.6f} s | {now[1]:.6f} s "
                    f"| {error:+.3%} {ratios} "
                    f"| {exact['wall_s']:.3f} / {estimate['wall_s']:.3f} s |",
                    flush=True,
                )
    print(
        f"\nError: median {statistics.median(errors):.3%}, worst {max(errors):.3%}; "
        f"of ratios, worst {max(ratio_errors):.3%}. Speed-up: median "
        f"{statistics.median(speed_ups):.1f}, least {min(speed_ups):.1f}."
    )


if __name__ == "__main__":
    main()

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table that quickstart.sh prints."""

import json
import subprocess
import sys

import conftest
import pytest

SCRIPT = conftest.SOURCE_DIR / "tools" / "report_table.py"
REPORT = {
    "model": "m",
    "preset": "layout",
    "latency_s": 0.0123456,
    "lower_bound_s": 0.006,
    "binding_bound": "dram",
    "bound_ratio": 2.0576,
    "layers": [{"c_t": 6.5, "g_t": 3}, {"c_t": 7.0, "g_t": 3.5}],
}


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def save(path, **changes):
    path.write_text(json.dumps({**REPORT, **changes}))
    return path


def test_one_line_for_each_report(tmp_path):
    first = save(tmp_path / "a.json", preset="baseline", latency_s=1.5)
    second = save(tmp_path / "b.json")
    done = run("--to-come=best", first, second)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["model", "preset", "latency", "C_T", "G_T", "bound", "bound", "by",
         "ratio"],
        ["m", "baseline", "1.5", "s", "6.75", "3.25", "6", "ms", "dram", "2.06"],
        ["m", "layout", "12.35", "ms", "6.75", "3.25", "6", "ms", "dram", "2.06"],
        ["m", "best", "to", "come"],
    ]
    assert lines[5:] == ["Reports:", f"  {first}", f"  {second}"]


def test_markdown(tmp_path):
    done = run("--markdown", save(tmp_path / "a.json", latency_s=4.2e-7))
    assert done.stdout.splitlines() == [
        "| model | preset | latency | C_T | G_T | bound | bound by | ratio |",
        "|---|---|---:|---:|---:|---:|---|---:|",
        "| m | layout | 420 ns | 6.75 | 3.25 | 6 ms | dram | 2.06 |",
    ]


def test_ties(tmp_path):
    reports = [save(tmp_path / f"{index}.json", preset=preset, model=model,
                    latency_s=latency)
               for index, (model, preset, latency) in enumerate([
                   ("m", "a", 1.0), ("m", "b", 1.0199), ("m", "c", 1.0201),
                   ("n", "a", 1.0)])]
    lines = run(*reports).stdout.splitlines()
    assert [line for line in lines if line.startswith("tie: ")] == [
        "tie: m a and b (2.0 % apart)",
        "tie: m b and c (0.0 % apart)",
    ]
    markdown = run("--markdown", *reports).stdout.splitlines()
    assert markdown[6:] == ["", "tie: m a and b (2.0 % apart)",
                            "tie: m b and c (0.0 % apart)"]


def test_model_without_experts(tmp_path):
    done = run(save(tmp_path / "a.json", layers=[]))
    assert done.stdout.splitlines()[1].split() == [
        "m", "layout", "12.35", "ms", "-", "-", "6", "ms", "dram", "2.06"]


@pytest.mark.parametrize("changes,message", [
    ({"latency_s": "1"}, "'latency_s' is '1', expected a float"),
    ({"latency_s": True}, "'latency_s' is True, expected a float"),
    ({"latency_s": float("nan")}, "'latency_s' is nan, expected a float"),
    ({"preset": None}, "'preset' is None, expected a str"),
    ({"layers": {}}, "'layers' is {}, expected a list"),
    ({"layers": [{"c_t": 1.0}]}, "'g_t' is None, expected a float"),
    ({"layers": [7]}, "'c_t' is None, expected a float"),
])
def test_broken_report(tmp_path, changes, message):
    path = save(tmp_path / "a.json", **changes)
    done = run(path)
    assert done.returncode == 1
    assert f"{path}: {message}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("text,message", [
    ("{", "Expecting property name"),
    ("[]", "expected a JSON object"),
    (None, "No such file"),
])
def test_no_report(tmp_path, text, message):
    path = tmp_path / "a.json"
    if text is not None:
        path.write_text(text)
    done = run(path)
    assert done.returncode == 1
    assert message in done.stderr and str(path) in done.stderr

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replicas, moves, drift and frontier of mozart-place."""

import csv
import io
import json

import numpy as np
import placement_reference as reference
import pytest
from test_mozart_place import GOOD, draw, save

SEARCH = ["--profile={good}", *GOOD, "--algorithm=search"]
ERRORS = {
    "no threads": ([*SEARCH, "--threads=0"], ["0 threads"]),
    "threads of a drift": ([*SEARCH, "--evaluate={good}", "--drift", "--threads=2"],
                           ["--threads is for placing"]),
    "no group cap": ([*SEARCH, "--group-load-cap=0"], ["--group-load-cap=0"]),
    "negative weight": ([*SEARCH, "--receive-weight=-1"], ["a weight of -1"]),
    "receive by algorithm1": (["--profile={good}", *GOOD, "--receive-weight=1"],
                              ["does not search", "--receive-weight"]),
    "few slots": ([*SEARCH, "--slots=1"], ["1 slots", "expected 2"]),
    "no slots": ([*SEARCH, "--slots=0"], ["--slots=0", "at least 1"]),
    "replicas beyond slots": ([*SEARCH, "--slots=3", "--max-replicas=5"],
                              ["5 replicas", "hold 4 beside the 8 experts"]),
    "replicas without slots": ([*SEARCH, "--max-replicas=1"], ["no slots for them"]),
    "negative replicas": ([*SEARCH, "--slots=3", "--max-replicas=-1"],
                          ["--max-replicas=-1"]),
    "slots twice": ([*SEARCH, "--slots=3", "--chiplet-bytes=9", "--expert-bytes=1"],
                    ["say the same"]),
    "bytes of what": ([*SEARCH, "--chiplet-bytes=9"], ["needs --expert-bytes"]),
    "bytes for what": ([*SEARCH, "--expert-bytes=9"], ["--expert-bytes is for"]),
    "no bytes": ([*SEARCH, "--chiplet-bytes=9", "--expert-bytes=0"],
                 ["--expert-bytes=0"]),
    "few bytes": ([*SEARCH, "--chiplet-bytes=9", "--expert-bytes=10"],
                  ["hold no expert"]),
    "replicas by algorithm1": (["--profile={good}", *GOOD, "--slots=3"],
                               ["makes no replicas", "--slots"]),
    "keep by algorithm1": (["--profile={good}", *GOOD, "--keep=x"],
                           ["does not search", "--keep"]),
    "moves from nowhere": ([*SEARCH, "--max-moves=1"], ["needs --keep"]),
    "negative moves": ([*SEARCH, "--keep=x", "--max-moves=-1"], ["--max-moves=-1"]),
    "missing file to keep": ([*SEARCH, "--keep={bad}"], ["cannot read"]),
    "drift of one trace": ([*SEARCH, "--drift"], ["two traces"]),
    "drift with a value": ([*SEARCH, "--drift=1"], ["takes no value"]),
    "drift with a file": ([*SEARCH, "--evaluate={good}", "--drift"], ["leave out -o"]),
    "frontier and cap": ([*SEARCH, "--frontier=1.1", "--load-cap=1.1"],
                         ["leave out --load-cap"]),
    "frontier below the mean": ([*SEARCH, "--frontier=1.1,0.9"], ["'0.9'"]),
    "frontier without numbers": ([*SEARCH, "--frontier=1.1,"], ["load cap ''"]),
    "frontier by algorithm1": (["--profile={good}", *GOOD, "--frontier=inf"],
                               ["does not search", "--frontier"]),
    "padded frontier": ([*SEARCH, "--frontier=inf", "--pad"], ["--pad is for"]),
    "placement and algorithm": ([*SEARCH, "--placement=x"],
                                ["nothing is placed", "--algorithm"]),
    "placement and slots": (["--profile={good}", *GOOD, "--placement=x", "--slots=3"],
                            ["nothing is placed", "--slots"]),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_leave_no_file(tool, tmp_path, case):
    arguments, parts = ERRORS[case]
    good = save(tmp_path / "good.npy", draw(20, 2, 2, 8, seed=6))
    output = tmp_path / "out" / "placement.json"
    output.parent.mkdir()
    filled = [a.format(good=good, bad=tmp_path / "bad") for a in arguments]
    done = tool("mozart-place", "-o", output, *filled)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("mozart-place: error: ")
    for part in parts:
        assert part in done.stderr
    assert list(output.parent.iterdir()) == []


def chiplets_of(places, slots, experts):
    """The chiplets of each expert, of a map with `slots` places a chiplet."""
    result = [set() for _ in range(experts)]
    for place, expert in enumerate(places):
        result[expert].add(place // slots)
    assert all(result)
    return [sorted(chiplets) for chiplets in result]


def test_replicas_are_chosen_by_the_rule(tool, tmp_path):
    ids = draw(500, 2, 3, 16, seed=20)
    ids[::7, 0, 1] = -1
    output = tmp_path / "placement.json"
    done = tool("mozart-place", f"--profile={save(tmp_path / 'a.npy', ids)}",
                "--experts=16", "--chiplets=4", "--groups=2", "--slots=6",
                "--algorithm=search", "--load-cap=1.2", "--pad", "-o", output)
    assert done.returncode == 0, done.stderr
    assert "has replicas: expert" in done.stderr
    found = json.loads(done.stdout)
    map_ = json.loads(output.read_text())
    assert list(map_) == ["physical_to_logical_map"]
    for layer, places in enumerate(map_["physical_to_logical_map"]):
        assert len(places) == 24
        of = chiplets_of(places, 6, 16)
        assert found["replicas"][layer] == sum(len(c) - 1 for c in of)
        expected = reference.replica_statistics(ids[:, layer], of, [0, 0, 1, 1])
        assert found["profile"]["layers"][layer] == pytest.approx(expected, rel=1e-12)
        assert expected["load_max_over_mean"] <= 1.2


def test_bytes_are_slots(tool, tmp_path):
    profile = save(tmp_path / "a.npy", draw(200, 1, 3, 16, seed=21))
    arguments = [f"--profile={profile}", "--experts=16", "--chiplets=4",
                 "--algorithm=search"]
    slots = tool("mozart-place", *arguments, "--slots=5")
    size = tool("mozart-place", *arguments, "--chiplet-bytes=599", "--expert-bytes=100")
    assert slots.returncode == 0, slots.stderr
    assert slots.stdout == size.stdout


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("slots", [[], ["--slots=6"]])
def test_placements_are_read_back(tool, tmp_path, form, slots):
    profile = save(tmp_path / "a.npy", draw(300, 2, 3, 16, seed=22))
    machine = [f"--profile={profile}", "--experts=16", "--chiplets=4"]
    output, again = tmp_path / f"p.{form}", tmp_path / f"q.{form}"
    placed = tool("mozart-place", *machine, "--algorithm=search", *slots, "-o", output)
    assert placed.returncode == 0, placed.stderr
    counted = tool("mozart-place", *machine, f"--placement={output}", "-o", again)
    assert counted.returncode == 0, counted.stderr
    assert again.read_bytes() == output.read_bytes()
    found = json.loads(counted.stdout)
    assert found["profile"] == json.loads(placed.stdout)["profile"]
    assert "algorithm" not in found


def test_a_table_of_experts(tool, tmp_path):
    profile = save(tmp_path / "a.npy", draw(300, 1, 3, 4, seed=22))
    output = tmp_path / "p.csv"
    done = tool("mozart-place", f"--profile={profile}", "--experts=4", "--chiplets=2",
                "--algorithm=contiguous", "-o", output)
    assert done.returncode == 0, done.stderr
    assert output.read_text() == "Expert,Node\n0,0\n1,0\n2,1\n3,1\n"


BAD_PLACEMENTS = {
    "missing": ("p.csv", "Expert,Node\n0,0\n1,0\n3,1\n", "no line for expert 2"),
    "missing in json": ("p.json", '{"physical_to_logical_map": [[0, 1, 3, 3]]}',
                        "expert 2 without a chiplet"),
    "doubled": ("p.csv", "Expert,Node\n0,0\n1,0\n2,1\n3,1\n3,1\n",
                "expert 3 on node 1 already"),
    "unknown": ("p.csv", "Expert,Node\n0,0\n1,0\n2,1\n4,1\n", "expert '4'"),
    "no chiplet": ("p.csv", "Expert,Node\n0,0\n1,0\n2,1\n3,2\n", "node '2'"),
    "layers": ("p.csv", "Layer,Expert,Node\n" + "".join(
        f"{layer},{e},{e // 2}\n" for layer in range(3) for e in range(4)), "layers"),
    "uneven": ("p.json", '{"physical_to_logical_map": [[0, 1, 2, 3, 0]]}',
               "5 places do not divide by 2 chiplets"),
}


@pytest.mark.parametrize("case", BAD_PLACEMENTS)
@pytest.mark.parametrize("role", ["placement", "keep"])
def test_bad_placements(tool, tmp_path, case, role):
    name, text, message = BAD_PLACEMENTS[case]
    (tmp_path / name).write_text(text)
    profile = save(tmp_path / "a.npy", draw(50, 2, 2, 4, seed=23))
    arguments = [f"--profile={profile}", "--experts=4", "--chiplets=2",
                 f"--{role}={tmp_path / name}"]
    if role == "keep":
        arguments.append("--algorithm=search")
    done = tool("mozart-place", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr


def test_moves_are_few_and_counted(tool, tmp_path):
    profile = save(tmp_path / "a.npy", draw(300, 2, 3, 16, seed=24))
    machine = [f"--profile={profile}", "--experts=16", "--chiplets=4"]
    old, output = tmp_path / "old.csv", tmp_path / "new.csv"
    before = tool("mozart-place", *machine, "--algorithm=random", "-o", old)
    assert before.returncode == 0, before.stderr
    last = json.loads(before.stdout)["profile"]["mean"]["c_t"]
    for moves in [0, 2, 4, 16]:
        done = tool("mozart-place", *machine, "--algorithm=search", f"--keep={old}",
                    f"--max-moves={moves}", "--expert-bytes=1000", "-o", output)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        rows = set(old.read_text().split())
        moved = [row for row in output.read_text().split() if row not in rows]
        assert sum(found["experts_moved"]) == len(moved)
        assert max(found["experts_moved"]) <= moves
        assert found["bytes_moved"] == 1000 * len(moved)
        assert found["profile"]["mean"]["c_t"] <= last
        last = found["profile"]["mean"]["c_t"]
    done = tool("mozart-place", *machine, "--algorithm=search", f"--keep={old}",
                "--max-moves=2", f"--expert-bytes={2**62}")
    assert done.returncode == 1
    assert "more bytes than 64 bits" in done.stderr


def test_drift(tool, tmp_path):
    ids = draw(1200, 2, 3, 16, seed=25)
    a, b = save(tmp_path / "a.npy", ids[:800]), save(tmp_path / "b.npy", ids[800:])
    arguments = [f"--profile={a}", f"--evaluate={b}", "--experts=16", "--chiplets=4",
                 "--algorithm=search"]
    drift = json.loads(tool("mozart-place", *arguments, "--drift").stdout)["drift"]
    placed = json.loads(tool("mozart-place", *arguments).stdout)
    refit = json.loads(tool("mozart-place", f"--profile={b}", *arguments[2:]).stdout)
    assert (drift["profile_tokens"], drift["evaluation_tokens"]) == (800, 400)
    for layer, entry in enumerate(drift["layers"]):
        assert entry["profile"] == placed["profile"]["layers"][layer]
        assert entry["evaluation"] == placed["evaluation"]["layers"][layer]
        assert entry["evaluation_refit"] == refit["profile"]["layers"][layer]
        curve = entry["learning_curve"]
        assert [p["profile_tokens"] for p in curve] == [128, 256, 512, 800]
        good = [p["evaluation"]["c_t"] <= 1.01 * entry["evaluation"]["c_t"] for p in curve]
        enough = min(i for i in range(4) if all(good[i:]))
        assert entry["profile_tokens_enough"] == curve[enough]["profile_tokens"]
    assert drift["profile_tokens_enough"] == max(
        entry["profile_tokens_enough"] for entry in drift["layers"])


def test_frontier(tool, tmp_path):
    ids = draw(600, 2, 3, 16, seed=26)
    a, b = save(tmp_path / "a.npy", ids[:300]), save(tmp_path / "b.npy", ids[300:])
    arguments = [f"--profile={a}", f"--evaluate={b}", "--experts=16", "--chiplets=4",
                 "--algorithm=search"]
    output = tmp_path / "frontier.csv"
    done = tool("mozart-place", *arguments, "--frontier=1,1.2,inf", "-o", output)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(output.read_text())))
    assert [(r["load_cap"], r["layer"]) for r in rows] == [
        (cap, layer) for cap in ["1", "1.2", "inf"] for layer in ["0", "1", "mean"]]
    plain = json.loads(tool("mozart-place", *arguments, "--load-cap=1.2").stdout)
    for name, value in plain["evaluation"]["mean"].items():
        assert float(rows[5][f"evaluation_{name}"]) == pytest.approx(value, abs=1e-6)
    assert float(rows[5]["profile_c_t"]) >= float(rows[8]["profile_c_t"])
    # Not met, it has no figures and is remarked upon.
    if rows[0]["profile_c_t"] == "":
        assert "remark: load cap 1, layer 0" in done.stderr


def test_experts_that_never_fire_are_placed(tool, tmp_path):
    ids = draw(100, 1, 2, 8, seed=27)
    profile = save(tmp_path / "a.npy", ids)
    for algorithm in ["algorithm1", "load", "search"]:
        output = tmp_path / "p.csv"
        done = tool("mozart-place", f"--profile={profile}", "--experts=12",
                    "--chiplets=4", f"--algorithm={algorithm}", "-o", output)
        assert done.returncode == 0, done.stderr
        assert "experts are in no token's set" in done.stderr
        assert len(output.read_text().split()) == 13


def test_sets_may_be_smaller_where_padding_says_so(tool, tmp_path):
    ids = draw(200, 1, 3, 12, seed=28)
    ids[::2, :, 2] = -1
    profile = save(tmp_path / "a.npy", ids)
    done = tool("mozart-place", f"--profile={profile}", "--experts=12", "--chiplets=4",
                "--algorithm=search", "--slots=4", "--load-cap=1.3")
    assert done.returncode == 0, done.stderr
    assert np.isfinite(json.loads(done.stdout)["profile"]["mean"]["c_t"])


def test_threads_place_alike(tool, tmp_path):
    profile = save(tmp_path / "a.npy", draw(200, 5, 3, 12, seed=29))
    arguments = [f"--profile={profile}", "--experts=12", "--chiplets=4",
                 "--algorithm=search", "--slots=4"]
    outputs = []
    for threads in [1, 2, 8]:
        output = tmp_path / f"{threads}.csv"
        done = tool("mozart-place", *arguments, f"--threads={threads}", "-o", output)
        assert done.returncode == 0, done.stderr
        outputs.append((output.read_bytes(), done.stdout, done.stderr))
    assert outputs[0] == outputs[1] == outputs[2]


def test_weights_and_caps_are_heeded(tool, tmp_path):
    ids = draw(600, 1, 3, 16, seed=30)
    profile = save(tmp_path / "a.npy", ids)
    arguments = [f"--profile={profile}", "--experts=16", "--chiplets=4", "--groups=2",
                 "--algorithm=search"]

    def place(*more):
        done = tool("mozart-place", *arguments, *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["profile"]["mean"]

    plain, even = place(), place("--receive-weight=100")
    assert even["receive_max_over_mean"] < plain["receive_max_over_mean"]
    assert even["c_t"] >= plain["c_t"]
    groups = place("--chiplet-weight=0", "--group-weight=1")
    assert groups["g_t"] <= plain["g_t"]
    capped = tmp_path / "p.json"
    place("--group-load-cap=1.05", "-o", capped)
    places = json.loads(capped.read_text())["physical_to_logical_map"][0]
    load = reference.chosen(ids[:, 0], 16).sum(0)
    assert max(load[places[:8]].sum(), load[places[8:]].sum()) <= 1.05 * load.sum() / 2

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mozart-place's search can be asked to minimise, and to keep."""

import json

import numpy as np
import pytest
from test_mozart_place import draw, save


def place(tool, tmp_path, *options, layers=1, machine="--chiplets=8"):
    ids = draw(600, layers, 3, 32, seed=7)
    output = tmp_path / "placement.json"
    done = tool("mozart-place", f"--profile={save(tmp_path / 'a.npy', ids)}",
                "--experts=32", machine, "--algorithm=search", "-o", output,
                *options)
    return done, output


def statistics(tool, tmp_path, *options, **keywords):
    done, _ = place(tool, tmp_path, *options, **keywords)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["profile"]["mean"]


def test_the_busiest_receive_has_a_price(tool, tmp_path):
    plain = statistics(tool, tmp_path)
    even = statistics(tool, tmp_path, "--receive-weight=30")
    assert even["receive_max_over_mean"] < plain["receive_max_over_mean"]
    assert even["c_t"] >= plain["c_t"]


def test_groups_have_a_cap(tool, tmp_path):
    done, output = place(tool, tmp_path, "--groups=2", "--group-load-cap=1.02")
    assert done.returncode == 0, done.stderr
    ids = np.load(tmp_path / "a.npy")[:, 0]
    first = json.loads(output.read_text())["physical_to_logical_map"][0][:16]
    share = np.isin(ids, first).sum() / ids.size
    assert abs(share - 0.5) <= 0.01 + 1e-9


def test_levels_and_hops_are_those_of_the_machine(tool, tmp_path):
    machine = "--machine=toy"
    plain = statistics(tool, tmp_path, machine=machine)
    asked = statistics(tool, tmp_path, "--hop-weight=1", "--level-weight=1",
                       machine=machine)
    assert asked["c_t"] >= plain["c_t"]


def test_threads_change_nothing(tool, tmp_path):
    done, output = place(tool, tmp_path, layers=5)
    assert done.returncode == 0, done.stderr
    one = done.stdout, output.read_text()
    done, output = place(tool, tmp_path, "--threads=4", layers=5)
    assert (done.stdout, output.read_text()) == one


@pytest.mark.parametrize("options,words", [
    (["--hop-weight=1"], ["--hop-weight", "without --machine"]),
    (["--level-weight=1"], ["--level-weight", "without --machine"]),
    (["--receive-weight=-1"], ["weight of -1 for the busiest chiplet"]),
    (["--group-load-cap=0.5"], ["0.5 for switch groups"]),
    (["--threads=0"], ["0 threads"]),
    (["--receive-weight=1", "--algorithm=load"], ["--receive-weight", "'load'"]),
])
def test_errors(tool, tmp_path, options, words):
    done, output = place(tool, tmp_path, *options)
    assert done.returncode == 1
    for word in words:
        assert word in done.stderr
    assert not output.exists()

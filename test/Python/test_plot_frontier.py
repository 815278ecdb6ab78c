# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plot of frontiers."""

import subprocess
import sys
from xml.etree import ElementTree

import conftest
import pytest

SCRIPT = conftest.SOURCE_DIR / "tools" / "plot_frontier.py"
HEADER = ("load_cap,layer,replicas,profile_c_t,profile_g_t,profile_load_max_over_mean,"
          "profile_receive_max_over_mean,evaluation_c_t,evaluation_g_t,"
          "evaluation_load_max_over_mean,evaluation_receive_max_over_mean\n")
UNMET = "1,0,,,,,,,,,\n1,mean,,,,,,,,,\n"
POINTS = ("1.1,mean,0,3.0,2.0,1.1,1.2,3.1,2.0,1.12,1.25\n"
          "inf,mean,0,2.5,1.8,2.0,1.6,2.6,1.8,2.05,1.65\n")
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def test_a_point_for_each_cap_that_is_met(tmp_path):
    first, second = tmp_path / "none & all.csv", tmp_path / "slots5.csv"
    first.write_text(HEADER + UNMET + POINTS)
    # The second was not evaluated.
    second.write_text(HEADER + "1.2,mean,4,2.2,1.5,1.2,1.3,,,,\n")
    done = run(first, second, "-o", tmp_path / "plot.svg")
    assert done.returncode == 0, done.stderr
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    circles = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SVG}circle")]
    assert len(circles) == 6  # three points in two panels
    (capped, uncapped, other) = circles[:3]
    assert capped[0] < uncapped[0] and capped[1] < uncapped[1] < other[1]
    words = [t.text for t in root.iter(f"{SVG}text")]
    assert "none & all (evaluation)" in words and "slots5 (profile)" in words
    assert words.count("1.1") >= 2 and words.count("inf") == 2


@pytest.mark.parametrize("text,message", [
    ("", "no line whose layer is 'mean'"),
    (HEADER, "no line whose layer is 'mean'"),
    (HEADER + UNMET, "no load cap was met"),
    (HEADER + POINTS.replace("2.05", "x"), "line 3: 'evaluation_load_max_over_mean' is 'x'"),
    (None, "No such file"),
])
def test_errors(tmp_path, text, message):
    path = tmp_path / "a.csv"
    if text is not None:
        path.write_text(text)
    done = run(path, "-o", tmp_path / "plot.svg")
    assert done.returncode == 1
    assert done.stderr.startswith(f"plot_frontier.py: {path}") and message in done.stderr
    assert not (tmp_path / "plot.svg").exists()


def test_output_that_cannot_be_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + POINTS)
    done = run(path, "-o", tmp_path / "none" / "plot.svg")
    assert done.returncode == 1
    assert "none/plot.svg" in done.stderr

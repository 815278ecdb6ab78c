#!/usr/bin/env python3
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots frontiers of mozart-place: C_T against load, and against receive.

    python3 tools/plot_frontier.py frontier.csv [more.csv ...] -o frontier.svg

One line for each file, named after it; a point for each load cap that was met,
with its cap beside it. Points are means over layers on the trace that was
evaluated, or on the profile where none was. The plot is SVG, and needs nothing
but Python.
"""

import argparse
import csv
import dataclasses
import html
import math
import pathlib
import sys
from typing import Dict, List, Optional, Sequence, Tuple

FIGURES = ("c_t", "load_max_over_mean", "receive_max_over_mean")
PANELS = (
    ("load_max_over_mean", "load of the busiest chiplet / mean"),
    ("receive_max_over_mean", "tokens received by the busiest chiplet / mean"),
)
COLORS = ("#1b6ca8", "#c8553d", "#3c8d5a", "#8a5aa8", "#a0802c", "#555555")
WIDTH, HEIGHT = 460, 360  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 46  # its margins


class FrontierError(Exception):
    """A file that is no frontier; says which and what is wrong."""


@dataclasses.dataclass(frozen=True)
class Point:
    """The means over layers under one load cap."""

    cap: str
    figures: Dict[str, float]


@dataclasses.dataclass(frozen=True)
class Frontier:
    """What one file holds of one trace."""

    name: str
    trace: str
    points: List[Point]


def read_number(row: Dict[str, str], name: str, where: str) -> float:
    text = row.get(name)
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FrontierError(f"{where}: '{name}' is {text!r}, expected a number")
    return value


def read_frontier(path: pathlib.Path) -> Frontier:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise FrontierError(f"{path}: {error}") from error
    means = [(i, row) for i, row in enumerate(rows) if row.get("layer") == "mean"]
    if not means:
        raise FrontierError(
            f"{path}: no line whose layer is 'mean', expected the output of "
            "mozart-place --frontier"
        )
    met = [(i, row) for i, row in means if row.get("profile_c_t")]
    if not met:
        raise FrontierError(f"{path}: no load cap was met, so there is nothing to plot")
    trace = "evaluation" if all(row.get("evaluation_c_t") for _, row in met) else "profile"
    points = [
        Point(
            row.get("load_cap") or "?",
            {
                figure: read_number(row, f"{trace}_{figure}", f"{path}, line {i + 2}")
                for figure in FIGURES
            },
        )
        for i, row in met
    ]
    return Frontier(path.stem, trace, points)


def ticks(low: float, high: float) -> List[float]:
    """About five round numbers that span [low, high]."""
    span = max(high - low, 1e-6)
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


@dataclasses.dataclass(frozen=True)
class Axis:
    """Ticks, and where they are: from the first at `start` to the last at `end`."""

    ticks: List[float]
    start: float
    end: float

    def at(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(words)}</text>'


def draw_axes(x: Axis, y: Axis, label: str) -> List[str]:
    out = []
    for tick in x.ticks:
        out.append(f'<path class="grid" d="M{x.at(tick):.1f} {y.end}V{y.start}"/>')
        out.append(text(x.at(tick), y.start + 16, f"{tick:g}"))
    for tick in y.ticks:
        out.append(f'<path class="grid" d="M{x.start} {y.at(tick):.1f}H{x.end}"/>')
        out.append(text(x.start - 6, y.at(tick) + 4, f"{tick:g}", "end"))
    out.append(text((x.start + x.end) / 2, y.start + 36, label))
    middle = (y.start + y.end) / 2
    turned = f' transform="rotate(-90 {x.start - 40:.1f} {middle:.1f})"'
    out.append(text(x.start - 40, middle, "C_T: chiplets a token is sent to", more=turned))
    return out


def draw_line(frontier: Frontier, figure: str, x: Axis, y: Axis, color: str) -> List[str]:
    points = sorted(frontier.points, key=lambda point: point.figures[figure])
    places = [(x.at(p.figures[figure]), y.at(p.figures["c_t"])) for p in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    out = [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>']
    for point, (a, b) in zip(points, places):
        out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>')
        out.append(text(a + 5, b - 5, point.cap, "start", f' fill="{color}"'))
    return out


def panel(frontiers: Sequence[Frontier], index: int) -> List[str]:
    figure, label = PANELS[index]

    def values(name: str) -> Tuple[float, float]:
        found = [p.figures[name] for f in frontiers for p in f.points]
        return min(found), max(found)

    left = index * WIDTH
    x = Axis(ticks(*values(figure)), left + LEFT, left + WIDTH - RIGHT)
    y = Axis(ticks(*values("c_t")), HEIGHT - BOTTOM, TOP)
    out = draw_axes(x, y, label)
    for i, frontier in enumerate(frontiers):
        color = COLORS[i % len(COLORS)]
        out += draw_line(frontier, figure, x, y, color)
        if index == 0:
            name = f"{frontier.name} ({frontier.trace})"
            out.append(text(x.end - 4, TOP + 14 + 15 * i, name, "end", f' fill="{color}"'))
    return out


def plot(frontiers: Sequence[Frontier]) -> str:
    size = f'width="{WIDTH * len(PANELS)}" height="{HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        'font-family="sans-serif" font-size="11">',
        "<style>.grid{stroke:#ddd}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index in range(len(PANELS)):
        lines += panel(frontiers, index)
    return "\n".join([*lines, "</svg>", ""])


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("frontiers", nargs="+", type=pathlib.Path, metavar="CSV")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="SVG")
    options = parser.parse_args(arguments)
    try:
        drawing = plot([read_frontier(path) for path in options.frontiers])
        options.output.write_text(drawing, encoding="utf-8")
    except (FrontierError, OSError) as error:
        print(f"plot_frontier.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints reports of simulations as one table, and names their files.

    python3 tools/report_table.py [--markdown] [--to-come=best] report.json ...

Latency and bound are those of one step of the model (all micro-batches); the
bound is what no program could beat, the ratio latency over bound. C_T and G_T
are means over MoE layers: chiplets and switch groups that a token is sent to.
Latencies of one model that are closer than 2 % are named as ties: the network's
fidelities agree no better than that.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import sys
from typing import Any, Dict, List, Optional, Sequence

COLUMNS = ("model", "preset", "latency", "C_T", "G_T", "bound", "bound by", "ratio")
LEFT_ALIGNED = {"model", "preset", "bound by"}


# Fidelities of the network agree in ratios of latencies within this.
TIE = 0.02


class ReportError(Exception):
    """A report that cannot be read; says which file and what is wrong."""


@dataclasses.dataclass(frozen=True)
class Report:
    """What the table shows of a report. Times in seconds."""

    path: pathlib.Path
    model: str
    preset: str
    latency_s: float
    lower_bound_s: float
    binding_bound: str
    bound_ratio: float
    c_t: Optional[float]
    g_t: Optional[float]


def field(data: Dict[str, Any], name: str, kind: type, path: pathlib.Path) -> Any:
    value = data.get(name)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is float and not math.isfinite(value)):
        raise ReportError(
            f"{path}: '{name}' is {value!r}, expected a {kind.__name__} as in a "
            "report of mozart-translate --simulate"
        )
    return value


def mean(layers: List[Any], name: str, path: pathlib.Path) -> Optional[float]:
    """The mean over MoE layers; none for a model without any."""
    if not layers:
        return None
    values = [
        field(layer if isinstance(layer, dict) else {}, name, float, path)
        for layer in layers
    ]
    return math.fsum(values) / len(values)


def read_report(path: pathlib.Path) -> Report:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise ReportError(f"{path}: expected a JSON object")
    layers = data.get("layers", [])
    if not isinstance(layers, list):
        raise ReportError(f"{path}: 'layers' is {layers!r}, expected a list")
    return Report(
        path=path,
        model=field(data, "model", str, path),
        preset=field(data, "preset", str, path),
        latency_s=field(data, "latency_s", float, path),
        lower_bound_s=field(data, "lower_bound_s", float, path),
        binding_bound=field(data, "binding_bound", str, path),
        bound_ratio=field(data, "bound_ratio", float, path),
        c_t=mean(layers, "c_t", path),
        g_t=mean(layers, "g_t", path),
    )


def duration(seconds: float) -> str:
    """Four digits in the unit that suits them."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= scale:
            break
    return f"{seconds / scale:.4g} {unit}"


def number(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.2f}"


def row(report: Report) -> Dict[str, str]:
    return {
        "model": report.model,
        "preset": report.preset,
        "latency": duration(report.latency_s),
        "C_T": number(report.c_t),
        "G_T": number(report.g_t),
        "bound": duration(report.lower_bound_s),
        "bound by": report.binding_bound,
        "ratio": number(report.bound_ratio),
    }


def rows_of(reports: Sequence[Report], to_come: Sequence[str]) -> List[Dict[str, str]]:
    """A row for each report and, behind each model's, one for each preset that is
    still to come."""
    rows = []
    for index, report in enumerate(reports):
        rows.append(row(report))
        last = index + 1 == len(reports) or reports[index + 1].model != report.model
        if last:
            for preset in to_come:
                coming = {"model": report.model, "preset": preset}
                rows.append({**coming, "latency": "to come"})
    return rows


def ties_of(reports: Sequence[Report]) -> List[str]:
    """A line for each two reports of a model that are closer than TIE."""
    lines = []
    for index, first in enumerate(reports):
        for second in reports[index + 1 :]:
            low, high = sorted((first.latency_s, second.latency_s))
            if first.model == second.model and high - low < TIE * low:
                lines.append(
                    f"tie: {first.model} {first.preset} and {second.preset} "
                    f"({100 * (high - low) / low:.1f} % apart)"
                )
    return lines


def plain_table(rows: Sequence[Dict[str, str]]) -> str:
    table = [dict(zip(COLUMNS, COLUMNS)), *rows]
    widths = {c: max(len(r.get(c, "")) for r in table) for c in COLUMNS}

    def line(cells: Dict[str, str]) -> str:
        texts = []
        for column in COLUMNS:
            text, width = cells.get(column, ""), widths[column]
            texts.append(text.ljust(width) if column in LEFT_ALIGNED else text.rjust(width))
        return "  ".join(texts).rstrip()

    return "\n".join(map(line, table))


def markdown_table(rows: Sequence[Dict[str, str]]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |"]
    lines.append("|" + "|".join("---" if c in LEFT_ALIGNED else "---:" for c in COLUMNS) + "|")
    for cells in rows:
        lines.append("| " + " | ".join(cells.get(c, "") for c in COLUMNS) + " |")
    return "\n".join(lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true", help="as a Markdown table")
    parser.add_argument(
        "--to-come",
        metavar="PRESET",
        action="append",
        default=[],
        help="a preset that does not exist yet",
    )
    options = parser.parse_args(arguments)
    try:
        reports = [read_report(path) for path in options.reports]
    except ReportError as error:
        print(f"report_table.py: {error}", file=sys.stderr)
        return 1
    rows = rows_of(reports, options.to_come)
    print(markdown_table(rows) if options.markdown else plain_table(rows))
    ties = ties_of(reports)
    if ties:
        print("\n" + "\n".join(ties))
    if not options.markdown:
        print("\nReports:")
        for report in reports:
            print(f"  {report.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

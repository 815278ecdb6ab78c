# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project keeps its promises, and the checker finds each broken one."""

import importlib.util
import pathlib
import sys

import conftest
import pytest


def load_checker():
    path = conftest.SOURCE_DIR / "tools" / "check_hygiene.py"
    spec = importlib.util.spec_from_file_location("check_hygiene", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


checker = load_checker()


def test_project_is_clean():
    assert checker.check(conftest.SOURCE_DIR) == []


def test_project_has_passes_to_check():
    arguments = {one.argument for one in checker.read_passes(conftest.SOURCE_DIR)}
    assert {"moe-place-experts", "convert-nop-to-chiplet"} <= arguments


LICENCE = "// " + checker.LICENCE + "\n"
PASSES_TD = (
    LICENCE
    + """include "mlir/Pass/PassBase.td"
def MoESortRows : Pass<"moe-sort-rows"> {
  let summary = "Sorts rows";
  let description = [{ By length. }];
}
def ConvertMoEToNoP : Pass<"convert-moe-to-nop"> {
  let summary = "Routes";
  let description = [{ Along the tree. }];
}
"""
)
CLEAN = {
    "include/mozart/Passes.td": PASSES_TD,
    "lib/SortRows.cpp": LICENCE + "#define GEN_PASS_DEF_MOESORTROWS\n",
    "lib/Conversion/MoEToNoP.cpp": LICENCE + "#define GEN_PASS_DEF_CONVERTMOETONOP\n",
    "test/sort-rows.mlir": "// RUN: mozart-opt --moe-sort-rows %s\n",
    "test/sort-rows-errors.mlir": "// RUN: mozart-opt --moe-sort-rows %s \\\n"
    "// RUN:   --verify-diagnostics\n// expected-error @+1 {{no rows}}\n",
    "test/convert-moe-to-nop.mlir": "// RUN: mozart-opt %s \\\n"
    "// RUN: --pass-pipeline='builtin.module(convert-moe-to-nop)'\n",
    "test/convert-moe-to-nop-errors.mlir": "// RUN: not mozart-opt "
    "--convert-moe-to-nop %s | FileCheck %s\n// CHECK: error: no machine\n",
    "tools/run.py": "# " + checker.LICENCE + "\n",
    "docs/index.md": "Start with /usr/share/doc and build/work/out.\n",
}


@pytest.fixture
def tree(tmp_path):
    """Writes a small clean project, changed where `changes` say; None deletes."""

    def write(changes) -> pathlib.Path:
        for name, text in {**CLEAN, **changes}.items():
            file = tmp_path / name
            if text is None:
                file.unlink(missing_ok=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write


def test_small_project_is_clean(tree):
    assert checker.check(tree({})) == []


LATER, HOME = checker.LEFTOVERS[0], checker.HOMES[0]
PLANTED = {
    "no summary": (
        {"include/mozart/Passes.td": PASSES_TD.replace("Sorts rows", "")},
        "pass 'moe-sort-rows' has no summary",
    ),
    "no description": (
        {"include/mozart/Passes.td": PASSES_TD.replace(" By length. ", " ")},
        "pass 'moe-sort-rows' has no description",
    ),
    "no source": (
        {"lib/SortRows.cpp": None, "lib/Rows.cpp": CLEAN["lib/SortRows.cpp"]},
        "has no source of its name that defines it; expected 'sortrows.cpp'",
    ),
    "source defines another pass": (
        {"lib/SortRows.cpp": LICENCE + "#define GEN_PASS_DEF_MOESORTROWSTWICE\n"},
        "has no source of its name that defines it; expected 'sortrows.cpp'",
    ),
    "no source of a conversion": (
        {"lib/Conversion/MoEToNoP.cpp": None},
        "has no source of its name that defines it; expected 'moetonop.cpp'",
    ),
    "no test": (
        {"test/sort-rows.mlir": None},
        "expected 'sort-rows.mlir' under test with --moe-sort-rows in a RUN line",
    ),
    "test runs another pass": (
        {"test/sort-rows.mlir": "// RUN: mozart-opt --moe-sort-rows-twice %s\n"},
        "expected 'sort-rows.mlir' under test with --moe-sort-rows in a RUN line",
    ),
    "pass only mentioned": (
        {"test/sort-rows.mlir": "// RUN: true\n// For --moe-sort-rows.\n"},
        "expected 'sort-rows.mlir' under test with --moe-sort-rows in a RUN line",
    ),
    "no error test": (
        {"test/sort-rows-errors.mlir": None},
        "expected 'sort-rows-errors.mlir' under test",
    ),
    "error test without errors": (
        {"test/sort-rows-errors.mlir": "// RUN: mozart-opt --moe-sort-rows %s\n"},
        "'sort-rows-errors.mlir' refuses nothing",
    ),
    "other error test without errors": (
        {"test/ops-errors.mlir": "// RUN: mozart-opt %s\n"},
        "ops-errors.mlir is named for errors and expects no refusal",
    ),
    "no licence": ({"lib/Other.cpp": "int x;\n"}, "lib/Other.cpp does not name"),
    "no licence in a script": ({"quickstart.sh": "ls\n"}, "quickstart.sh does not"),
    "long source": (
        {"lib/Long.cpp": LICENCE + "\n" * 600},
        "lib/Long.cpp has 601 lines, expected at most 600",
    ),
    "long test": (
        {"test/Unit/LongTest.cpp": LICENCE + "\n" * 800},
        "test/Unit/LongTest.cpp has 801 lines, expected at most 800",
    ),
    "work left": ({"docs/index.md": f"\n{LATER}: write\n"}, "docs/index.md:2 contains"),
    "one machine": ({"docs/index.md": f"`{HOME}me`\n"}, "docs/index.md:1 names"),
    "not text": ({"docs/odd.md": b"\xff\xfe\x00"}, "docs/odd.md is not UTF-8"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_violation_is_found(tree, name):
    changes, message = PLANTED[name]
    found = checker.check(tree(changes))
    assert any(message in line for line in found), found
    # One cause, one or a few findings: not everything is wrong at once.
    assert len(found) <= 2, found

#!/usr/bin/env python3
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what every part of the project promises, and names what breaks it.

One pass, one file, one name: `moe-place-experts` is described in its
Passes.td, defined in PlaceExperts.cpp, run by place-experts.mlir and refused
by place-experts-errors.mlir. Sources are of a readable size and carry the
licence; nothing is left for later.

    python3 tools/check_hygiene.py [directory]
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Dict, Iterator, List, Optional

# Words that promise work instead of doing it, and directories of one machine.
# Built from parts, so that this file does not contain what it looks for.
LEFTOVERS = tuple(
    "".join(parts)
    for parts in (("TO", "DO"), ("FIX", "ME"), ("XFA", "IL"), ("DISA", "BLED_"))
)
HOMES = tuple("/" + name + "/" for name in ("home", "root", "work", "Users"))

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LICENSED = {".cpp", ".h", ".td", ".py", ".proto", ".sh"}
LICENSED_FILES = {"quickstart.sh", ".ci/run"}
MAX_LINES = {".cpp": 600, ".h": 600, ".td": 600, ".py": 600, ".sh": 600}
# A table of cases may be longer than code that has to be understood.
MAX_TEST_LINES = 800
SKIPPED = {"build", ".git", "__pycache__", ".pytest_cache"}
BINARY = {".npy", ".png", ".npz", ".bc", ".mlirbc"}

DIALECT_PREFIXES = ("wafer", "moe", "nop", "chiplet", "mozart")


@dataclasses.dataclass(frozen=True)
class Pass:
    """A pass as its Passes.td declares it."""

    record: str
    argument: str
    summary: str
    description: str
    declared_in: str

    @property
    def bare_name(self) -> str:
        """The argument without the prefix of a dialect."""
        prefix, _, rest = self.argument.partition("-")
        return rest if prefix in DIALECT_PREFIXES and rest else self.argument

    @property
    def source_stem(self) -> str:
        """The name of its source, in lower case: `convert-a-to-b` -> `atob`."""
        name = self.bare_name
        if name.startswith("convert-"):
            name = name[len("convert-") :]
        return name.replace("-", "").lower()


def files_of(root: pathlib.Path) -> Iterator[pathlib.Path]:
    """All files of the project, in a fixed order; not what builds make."""
    # In a second working tree of a repository, `.git` is a file.
    for directory, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n not in SKIPPED)
        for file in sorted(set(files) - SKIPPED):
            yield pathlib.Path(directory) / file


def find_tblgen() -> str:
    """The tablegen that can print records; its include directory is found from it."""
    given = os.environ.get("MOZART_LLVM_TBLGEN")
    if given:
        return given
    for name in ("llvm-tblgen-22", "llvm-tblgen"):
        found = shutil.which(name)
        if found:
            return found
    raise SystemExit(
        "found no llvm-tblgen-22; install llvm-22 or set MOZART_LLVM_TBLGEN"
    )


def read_passes(root: pathlib.Path, tblgen: Optional[str] = None) -> List[Pass]:
    """Every pass of every Passes.td below `root`."""
    tblgen = tblgen or find_tblgen()
    llvm_include = pathlib.Path(tblgen).resolve().parent.parent / "include"
    passes: List[Pass] = []
    for file in files_of(root):
        if file.name != "Passes.td":
            continue
        text = subprocess.run(
            [tblgen, "--dump-json", "-I", root / "include", "-I", llvm_include, file],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        records = json.loads(text)
        for name in records["!instanceof"].get("PassBase", []):
            record = records[name]
            passes.append(
                Pass(
                    name,
                    record["argument"],
                    record["summary"].strip(),
                    record["description"].strip(),
                    file.relative_to(root).as_posix(),
                )
            )
    return passes


def run_lines(text: str) -> str:
    """What lit runs of a test."""
    return "\n".join(
        line.split("RUN:", 1)[1] for line in text.splitlines() if "RUN:" in line
    )


def names_pass(commands: str, argument: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(argument)}(?![\w-])", commands) is not None


def refusals(text: str) -> int:
    """Times that a test expects a refusal: an error, found by --verify-diagnostics
    or by FileCheck, or the remark of a pass that leaves its input as it is."""
    return len(re.findall(r"expected-(?:error|remark)|[A-Z-]+:.*error:", text))


def check_passes(
    root: pathlib.Path, passes: Optional[List[Pass]] = None
) -> Iterator[str]:
    sources = [f for f in files_of(root / "lib") if f.suffix == ".cpp"]
    tests: Dict[str, List[pathlib.Path]] = {}
    for file in files_of(root / "test"):
        if file.suffix in (".mlir", ".test"):
            tests.setdefault(file.stem, []).append(file)
    for one in read_passes(root) if passes is None else passes:
        where = f"{one.declared_in}: pass '{one.argument}'"
        for part in ("summary", "description"):
            if not getattr(one, part):
                yield f"{where} has no {part}"
        named = [f for f in sources if f.stem.lower() == one.source_stem]
        define = f"GEN_PASS_DEF_{one.record.upper()}"
        if not any(define in f.read_text().split() for f in named):
            yield (
                f"{where} has no source of its name that defines it; expected "
                f"'{one.source_stem}.cpp' (in any case) under lib with {define}"
            )
        for stem in (one.bare_name, one.bare_name + "-errors"):
            texts = [f.read_text() for f in tests.get(stem, [])]
            running = [t for t in texts if names_pass(run_lines(t), one.argument)]
            if not running:
                yield (
                    f"{where} has no test of its name that runs it; expected "
                    f"'{stem}.mlir' under test with --{one.argument} in a RUN line"
                )
            elif stem.endswith("-errors") and not any(map(refusals, running)):
                yield f"{where}: '{stem}.mlir' refuses nothing"


def check_error_tests(root: pathlib.Path) -> Iterator[str]:
    for file in files_of(root / "test"):
        if file.suffix not in (".mlir", ".test") or "-errors" not in file.stem:
            continue
        if refusals(file.read_text()) == 0:
            yield f"{file.relative_to(root)} is named for errors and expects no refusal"


def check_sources(root: pathlib.Path) -> Iterator[str]:
    for file in files_of(root):
        name = file.relative_to(root).as_posix()
        if file.suffix in BINARY:
            continue
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            yield f"{name} is not UTF-8"
            continue
        if file.suffix in LICENSED or name in LICENSED_FILES:
            if not any(LICENCE in line for line in lines[:10]):
                yield f"{name} does not name its licence; expected '{LICENCE}' at the top"
        limit = MAX_LINES.get(file.suffix)
        if limit and name.startswith("test/"):
            limit = MAX_TEST_LINES
        if limit and len(lines) > limit:
            yield f"{name} has {len(lines)} lines, expected at most {limit}; split it"
        for number, line in enumerate(lines, 1):
            for word in LEFTOVERS:
                if word in line:
                    yield f"{name}:{number} contains '{word}'; do it or drop it"
            for home in HOMES:
                if re.search(rf"(?<![\w.$}}/-]){home}", line):
                    yield f"{name}:{number} names '{home}', a directory of one machine"


def check(root: pathlib.Path) -> List[str]:
    """Everything that is wrong below `root`."""
    return [
        *check_passes(root),
        *check_error_tests(root),
        *check_sources(root),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "directory",
        nargs="?",
        type=pathlib.Path,
        default=pathlib.Path(__file__).resolve().parents[1],
    )
    found = check(parser.parse_args().directory)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what the documentation tells readers to run.

Every ```sh block of a page is run, one page in one shell and a directory of its
own that looks like the source tree after a build. A ```text block right behind
it is what it prints: its lines in this order; a line may begin with `...`, for
whatever comes before. Blocks marked `sh set-up` prepare a machine; what they
say must be what quickstart.sh does itself.
"""

import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Iterator, List, Optional

import conftest
import pytest

SOURCE = conftest.SOURCE_DIR
PAGES = sorted(
    page.relative_to(SOURCE).as_posix()
    for page in [*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md")]
)
SET_UP = {
    "./quickstart.sh",
    "./quickstart.sh test",
    "cmake --preset release",
    "cmake --build --preset release",
    "ctest --preset release",
}
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A fenced block: its info string, its text, and where it ends."""

    info: str
    text: str
    begin: int
    end: int


def blocks_of(page: str) -> List[Block]:
    return [
        Block(m.group(1).strip(), m.group(2), m.start(), m.end())
        for m in FENCE.finditer(page)
    ]


@dataclass
class Command:
    """A block to run and what it should print, if the page says."""

    script: str
    expected: Optional[str] = None


def commands_of(page: str) -> List[Command]:
    commands, previous = [], None
    for block in blocks_of(page):
        if block.info == "sh":
            commands.append(Command(block.text))
        elif block.info == "text" and previous is not None and previous.info == "sh":
            if page[previous.end : block.begin].strip() == "":
                commands[-1].expected = block.text
        previous = block
    return commands


def missing_line(expected: str, printed: str) -> Optional[str]:
    """The first line of `expected` that `printed` lacks, in order."""
    lines = iter(printed.splitlines())
    for wanted in expected.splitlines():
        if wanted.startswith("..."):
            found = any(line.endswith(wanted[3:]) for line in lines)
        else:
            found = any(line == wanted for line in lines)
        if not found:
            return wanted
    return None


def run_page(page: str, directory: pathlib.Path, environment=None) -> Iterator[str]:
    """Runs a page's commands in one shell; yields what is wrong."""
    mark = "---- end of block"
    commands = commands_of(page)
    script = "set -euo pipefail\n" + "".join(
        f"{command.script}\nprintf '%s\\n' '{mark}'\n" for command in commands
    )
    done = subprocess.run(["bash", "-c", script], cwd=directory, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    printed = done.stdout.split(mark + "\n")
    if done.returncode != 0:
        failed = commands[min(len(printed), len(commands)) - 1]
        yield f"exit code {done.returncode} of\n{failed.script}\n{done.stderr}"
        return
    for command, output in zip(commands, printed):
        if command.expected is None:
            continue
        line = missing_line(command.expected, output)
        if line is not None:
            yield f"no line '{line}' printed by\n{command.script}\nbut\n{output}"


@pytest.fixture
def built_tree(tmp_path):
    """The source tree with the tools of this build as those of preset release."""
    for entry in SOURCE.iterdir():
        if entry.name != "build":
            (tmp_path / entry.name).symlink_to(entry)
    binaries = os.environ.get("MOZART_BIN_DIR", SOURCE / "build" / "release" / "bin")
    (tmp_path / "build" / "release").mkdir(parents=True)
    (tmp_path / "build" / "release" / "bin").symlink_to(binaries)
    # `python3` of a reader has NumPy; that of this test does.
    python = tmp_path / "build" / "python"
    python.mkdir()
    (python / "python3").symlink_to(os.path.realpath(sys.executable))
    environment = dict(os.environ, PATH=f"{python}:{os.environ['PATH']}")
    return tmp_path, environment


@pytest.mark.parametrize(
    "name", [p for p in PAGES if commands_of((SOURCE / p).read_text())]
)
def test_commands_work(built_tree, name):
    directory, environment = built_tree
    wrong = list(run_page((SOURCE / name).read_text(), directory, environment))
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", PAGES)
def test_set_up_is_what_quickstart_does(name):
    for block in blocks_of((SOURCE / name).read_text()):
        if block.info == "sh set-up":
            assert set(block.text.strip().splitlines()) <= SET_UP
        assert block.info in ("sh", "sh set-up", "text", "mlir", "json", ""), block.info


def test_quickstart_runs_the_set_up():
    script = (SOURCE / "quickstart.sh").read_text()
    for command in ("cmake --preset release", "cmake --build --preset release",
                    "ctest --preset release"):
        assert command in script
    assert os.access(SOURCE / "quickstart.sh", os.X_OK)
    assert "quickstart.sh\" test" in (SOURCE / ".ci" / "run").read_text()


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    page = SOURCE / name
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name} links to {target}"


def test_results_are_what_quickstart_prints(built_tree):
    """The table of README.md is that of this build."""
    directory, environment = built_tree
    wanted = re.search(r"<!-- results:.*?-->\n(.*?)<!-- end of results -->",
                       (SOURCE / "README.md").read_text(), re.DOTALL).group(1)
    script = r"""
set -euo pipefail
for preset in baseline overlap dedup layout; do
  build/release/bin/mozart-opt share/mozart/models/olmoe-1b-7b.mlir \
    --mozart-compile="machine=mozart-olmoe preset=$preset" -o "$preset.mlir"
  build/release/bin/mozart-translate --simulate "$preset.mlir" -o "$preset.json"
done
python3 tools/report_table.py --markdown --to-come=best \
  baseline.json overlap.json dedup.json layout.json
"""
    printed = subprocess.run(["bash", "-c", script], cwd=directory, env=environment,
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    assert wanted == printed, (
        "README.md holds other results than this build; if the change is meant, "
        f"replace its table by\n{printed}"
    )


def test_pages_are_found():
    assert {"README.md", "docs/index.md", "docs/Dialects/MoE.md"} <= set(PAGES)
    assert commands_of((SOURCE / "docs" / "tutorial.md").read_text())


# The runner itself: each kind of mistake is found.


@pytest.mark.parametrize("page,wrong", [
    ("```sh\necho a\n```\n```text\na\n```\n", None),
    ("```sh\nA=1\n```\ntext\n```sh\necho $A\n```\n\n```text\n1\n```\n", None),
    ("```sh\necho a; echo b; echo c\n```\n```text\na\nc\n```\n", None),
    ("```sh\necho in front\n```\n```text\n...front\n```\n", None),
    ("```sh set-up\nfalse\n```\n", None),
    ("```sh\necho a\n```\nOther text.\n```text\nb\n```\n", None),
    ("```sh\nfalse\n```\n", "exit code 1 of\nfalse"),
    ("```sh\ntrue\n```\n```sh\ncat nothing-here\n```\n", "of\ncat nothing-here"),
    ("```sh\nfalse | true\n```\n", "exit code 1"),
    ("```sh\necho $UNSET_BY_ALL\n```\n", "exit code 1"),
    ("```sh\necho a\n```\n```text\nb\n```\n", "no line 'b'"),
    ("```sh\necho b; echo a\n```\n```text\na\nb\n```\n", "no line 'b'"),
    ("```sh\necho aa\n```\n```text\na\n```\n", "no line 'a'"),
])
def test_runner(tmp_path, page, wrong):
    found = list(run_page(page, tmp_path))
    if wrong is None:
        assert found == []
    else:
        assert len(found) == 1 and wrong in found[0]

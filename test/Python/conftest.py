# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests in Python share.

MOZART_BIN_DIR names the directory of the tools (ctest sets it),
MOZART_DATA_DIR that of real routing, where it is not where it is looked for.
"""

import os
import pathlib
import subprocess

import pytest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def tool():
    """Runs a tool of this build; returns the completed process."""
    bin_dir = os.environ.get("MOZART_BIN_DIR",
                             str(SOURCE_DIR / "build" / "release" / "bin"))

    def run(name, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([os.path.join(bin_dir, name), *map(str, arguments)],
                              stderr=subprocess.PIPE, text=True, check=False,
                              **options)

    return run


@pytest.fixture
def real_routing():
    """The directory of real routing; skips the test where there is none."""
    given = os.environ.get("MOZART_DATA_DIR")
    path = (pathlib.Path(given) if given
            else SOURCE_DIR.parent / "shared" / "data" / "routing")
    if not path.is_dir():
        pytest.skip(f"no real routing in {path}; set MOZART_DATA_DIR")
    return path

# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of a test of errors of --import-hf-config.

  check_errors.py cases.test inputs-directory scratch-directory

A case is a line "# CASE: base.json changes and options" and one "# ERROR: message" below.
Each must exit with 1, print one error, at a line and column of the configuration and
beginning with this message ("..." stands for any text, a "$" at the end for the end of
the line), and leave no output file.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import edit  # noqa: E402

ONE_ERROR = re.compile(r"^\S*case\.json:[0-9]+:[0-9]+: error: (.*)$", re.MULTILINE)


def pattern(message: str) -> str:
    end = "$" if message.endswith("$") else ""
    parts = message.removesuffix("$").split("...")
    return "^" + ".*".join(map(re.escape, parts)) + end


def failure(case: str, expected: str, inputs: pathlib.Path, scratch: pathlib.Path):
    """What is wrong with a case, or None."""
    base, *words = shlex.split(case)
    options = [w for w in words if w.startswith("--") and w != "--nest"]
    config = json.loads((inputs / base).read_text())
    for change in words:
        if change not in options:
            config = edit.edit(config, change)
    source, output = scratch / "case.json", scratch / "case.mlir"
    source.write_text(json.dumps(config, indent=2) + "\n")
    command = ["mozart-translate", "--import-hf-config", str(source), "-o", str(output)]
    run = subprocess.run(command + options, capture_output=True, text=True)
    errors = ONE_ERROR.findall(run.stderr)
    if run.returncode != 1:
        return f"exit code {run.returncode}, expected 1"
    if len(errors) != 1 or run.stderr.count("error:") != 1:
        return "expected one error at a place of the configuration"
    if not re.search(pattern(expected), errors[0]):
        return f"found: {errors[0]}"
    if output.exists():
        return "an output file is left"
    return None


test, inputs, scratch = map(pathlib.Path, sys.argv[1:])
cases = re.findall(r"^# CASE: (.*)\n# ERROR: (.*)$", test.read_text(), re.MULTILINE)
failed = 0
for case, expected in cases:
    problem = failure(case, expected, inputs, scratch)
    if problem:
        failed += 1
        print(f"{case}\n  expected: {expected}\n  {problem}")
print(f"{len(cases)} cases, {failed} failed")
sys.exit(1 if failed or not cases else 0)

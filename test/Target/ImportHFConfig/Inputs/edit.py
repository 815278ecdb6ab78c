# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a configuration with some keys changed.

  edit.py base.json key=JSON ...   sets a key (a.b is key b of the object a)
  edit.py base.json key- ...       removes it
  edit.py base.json --nest ...     puts what there is so far under text_config
"""

import json
import sys


def edit(config: dict, change: str) -> dict:
    if change == "--nest":
        return {"text_config": config}
    path, _, value = change.partition("=")
    *outer, key = path.removesuffix("-").split(".")
    target = config
    for name in outer:
        target = target[name]
    if path.endswith("-"):
        del target[key]
    else:
        target[key] = json.loads(value)
    return config


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        config = json.load(file)
    for change in sys.argv[2:]:
        config = edit(config, change)
    print(json.dumps(config, indent=2))

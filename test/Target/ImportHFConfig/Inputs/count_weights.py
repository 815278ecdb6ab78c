# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the weights of a module: the elements of all arguments marked moe.param.

  count_weights.py module.mlir              one number
  count_weights.py module.mlir V H N        N matrices [V, H] more (embedding, head),
                                            in billions with two digits
"""

import math
import re
import sys


def count(text: str) -> int:
    shapes = re.findall(r"tensor<([0-9x]+)x\w+> \{moe\.param = ", text)
    return sum(math.prod(int(extent) for extent in s.split("x")) for s in shapes)


total = count(open(sys.argv[1]).read())
if len(sys.argv) == 2:
    print(total)
else:
    vocabulary, hidden, matrices = map(int, sys.argv[2:])
    print(f"{(total + vocabulary * hidden * matrices) / 1e9:.2f}")

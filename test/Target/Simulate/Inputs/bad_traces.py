# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes routing traces that must be refused into the directory given."""

import sys
from pathlib import Path

import numpy as np

directory = Path(sys.argv[1])
good = np.array([[0, 1], [1, 2], [2, 1], [0, 2]], dtype=np.uint8)
np.save(directory / "fortran.npy", np.asfortranarray(good))
np.save(directory / "object.npy", good.astype(object))
np.save(directory / "empty.npy", good[:0])
np.save(directory / "k3.npy", np.array([[0, 1, 2]] * 4, dtype=np.uint8))
np.save(directory / "id7.npy", np.where(good == 2, 7, good).astype(np.uint8))
np.save(directory / "layers2.npy", np.stack([good, good], axis=1))
np.save(directory / "whole.npy", good)
contents = (directory / "whole.npy").read_bytes()
(directory / "truncated.npy").write_bytes(contents[:-3])

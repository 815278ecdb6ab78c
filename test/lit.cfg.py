# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the tests of this directory."""

import os
from pathlib import Path

import lit.formats

config.name = "Mozart"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Python", "Inputs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(config.mozart_binary_dir) / "test")

config.environment["PATH"] = os.pathsep.join(
    [
        str(Path(config.mozart_binary_dir) / "bin"),
        str(Path(config.llvm_prefix) / "bin"),
        config.environment["PATH"],
    ]
)
config.environment["LC_ALL"] = "C.UTF-8"
config.substitutions.append(("%mozart_source", config.mozart_source_dir))
config.substitutions.append(("%python", config.python))
config.substitutions.append(
    ("%mozart_plugin", str(Path(config.mozart_binary_dir) / "lib" / "MozartPlugin.so"))
)
# Stock MLIR from linalg to the LLVM dialect, and its runner, without the lines
# that say where a printed array is and of what shape.
config.substitutions.append(
    (
        "%stock_lowering",
        "mlir-opt --convert-elementwise-to-linalg"
        " --one-shot-bufferize='bufferize-function-boundaries"
        " function-boundary-type-conversion=identity-layout-map'"
        " --convert-linalg-to-loops --expand-strided-metadata --lower-affine"
        " --convert-scf-to-cf --convert-math-to-llvm --convert-math-to-libm"
        " --arith-expand=include-bf16 --convert-arith-to-llvm"
        " --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm"
        " --reconcile-unrealized-casts",
    )
)
config.substitutions.append(
    (
        "%stock_runner",
        "mlir-runner --entry-point-result=void -e main"
        " --shared-libs=%mlir_libs/libmlir_runner_utils.so"
        " --shared-libs=%mlir_libs/libmlir_c_runner_utils.so"
        " | grep -v 'Unranked Memref'",
    )
)
config.substitutions.append(("%mlir_libs", str(Path(config.llvm_prefix) / "lib")))
if Path(config.data_dir).is_dir():
    config.available_features.add("routing-data")
    config.substitutions.append(("%routing_data", config.data_dir))
if config.sanitize:
    config.available_features.add("sanitizer")

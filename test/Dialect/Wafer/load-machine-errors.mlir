// RUN: split-file %s %t
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine= 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no machine is named; expected machine=<name or path>

// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=mozart-olmo 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'mozart-olmo' is not a path (with a '/' or ending in .mlir), and not one of the presets 'mozart-deepseek-moe-16b', 'mozart-olmoe', 'mozart-qwen3-30b', 'toy'
// RUN: not mozart-opt %S/Inputs/pair.mlir --wafer-load-machine=machine=pear 2>&1 | FileCheck %s --check-prefix=PEAR
// PEAR: error: 'pear' is not a machine of this module, not a path (with a '/' or ending in .mlir), and not one of the presets

// RUN: not mozart-opt %t/function.mlir --wafer-load-machine=machine=toy 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: function.mlir:2:1: error: 'toy' is a func.func, expected a wafer.machine

// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%t/nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot read '{{.*}}nowhere.mlir': No such file or directory

// Errors of a machine file are reported in it.
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%S/Inputs/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: broken.mlir:1:29: error: expected operation name
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%S/Inputs/headless.mlir 2>&1 | FileCheck %s --check-prefix=HEADLESS
// HEADLESS: headless.mlir:1:1: error: 'wafer.machine' op machine 'headless': no chiplet hosts attention
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%S/Inputs/foreign.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: foreign.mlir:2:{{[0-9]+}}: error: Dialect `func' not found for custom op 'func.func'

// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%S/Inputs/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: '{{.*}}two.mlir' holds 2 machines among 2 ops, expected one wafer.machine and nothing else
// RUN: not mozart-opt %t/empty.mlir --wafer-load-machine=machine=%t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: '{{.*}}empty.mlir' holds 0 machines among 0 ops, expected one wafer.machine and nothing else

// Another machine of the same name.
// RUN: sed 's/wires = 8/wires = 9/' %S/Inputs/pair.mlir > %t/pair.mlir
// RUN: not mozart-opt %S/Inputs/pair.mlir --wafer-load-machine=machine=%t/pair.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: Inputs/pair.mlir:3:1: error: 'pair' differs from the machine of that name in '{{.*}}pair.mlir'; rename one of them
// OTHER: pair.mlir:3:1: note: the other machine
// RUN: not mozart-opt %t/other.mlir --wafer-load-machine=machine=%t/pair.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: other.mlir:1:1: error: 'pair' differs from the machine of that name

//--- empty.mlir
//--- function.mlir

func.func private @toy()
//--- other.mlir
func.func private @pair()

// A preset, before whatever the module holds; its name is the preset's.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy | FileCheck %s --check-prefixes=TOY,ALL
// RUN: mozart-opt %s --wafer-load-machine=machine=mozart-olmoe | FileCheck %s --check-prefixes=OLMOE,PAPER,ALL
// RUN: mozart-opt %s --wafer-load-machine=machine=mozart-qwen3-30b | FileCheck %s --check-prefixes=QWEN,PAPER,ALL
// RUN: mozart-opt %s --wafer-load-machine=machine=mozart-deepseek-moe-16b | FileCheck %s --check-prefixes=DEEPSEEK,PAPER,ALL

// A preset is the file of the same name.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy -o %t.preset
// RUN: mozart-opt %s --wafer-load-machine=machine=%mozart_source/share/mozart/machines/toy.mlir -o %t.path
// RUN: diff %t.preset %t.path

// A path needs a '/' or '.mlir'; a second load of the same machine changes nothing,
// nor does the name of a machine that the module has.
// RUN: cd %S/Inputs && mozart-opt %s --wafer-load-machine=machine=pair.mlir -o %t.once
// RUN: mozart-opt %t.once --wafer-load-machine=machine=%S/Inputs/pair.mlir | diff - %t.once
// RUN: mozart-opt %t.once --wafer-load-machine=machine=pair | diff - %t.once
// RUN: cp %S/Inputs/pair.mlir %t.d && mozart-opt %s --wafer-load-machine=machine=%t.d | diff - %t.once
// RUN: FileCheck %s --check-prefixes=PAIR,ALL < %t.once

// A machine of the module comes before a preset of the same name.
// RUN: sed 's/@pair/@toy/' %S/Inputs/pair.mlir | mozart-opt --wafer-load-machine=machine=toy | FileCheck %s --check-prefix=OWN

// PAIR: wafer.machine @pair tree {
// TOY: wafer.machine @toy tree {
// TOY-COUNT-4: wafer.chiplet @c{{[0-3]}} hosts experts
// OLMOE: #wafer.wires<wires = 60,
// OLMOE: #wafer.wires<wires = 160,
// OLMOE: wafer.machine @"mozart-olmoe" tree {
// QWEN: #wafer.wires<wires = 71,
// QWEN: #wafer.wires<wires = 189,
// QWEN: wafer.machine @"mozart-qwen3-30b" tree {
// DEEPSEEK: #wafer.wires<wires = 63,
// DEEPSEEK: #wafer.wires<wires = 168,
// DEEPSEEK: wafer.machine @"mozart-deepseek-moe-16b" tree {
// PAPER-COUNT-16: wafer.chiplet @c{{[0-9]+}} hosts experts
// OWN: wafer.machine @toy tree {
// OWN-NEXT: @root
// OWN-NEXT: @c0
// OWN-NEXT: wafer.link

// ALL: func.func private @model()
func.func private @model()

//===- Passes.td - Passes on machines -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_TD
#define MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WaferLoadMachine : Pass<"wafer-load-machine", "::mlir::ModuleOp"> {
  let summary = "Puts a machine into the module";
  let description = [{
    Resolves `machine` and clones its `wafer.machine` to the front of the module, so
    that the module says all that later passes need to know. The name is, in this
    order:

    1. a machine that the module holds already: nothing changes;
    2. a path, if it contains a `/` or ends in `.mlir`: the file holds one
       `wafer.machine` and nothing else;
    3. a preset that comes with the library, such as `toy` or `mozart-olmoe`.

    A machine of the same name with the same facts is left as it is; one with other
    facts is an error.
  }];
  let options = [
    Option<"machine", "machine", "std::string", /*default=*/"",
           "Name in the module, path, or name of a preset">];
  let dependentDialects = ["::mozart::wafer::WaferDialect"];
}

#endif // MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_TD

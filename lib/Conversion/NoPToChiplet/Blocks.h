//===- Blocks.h - A model cut into blocks that run one after another -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_CONVERSION_NOPTOCHIPLET_BLOCKS_H
#define MOZART_LIB_CONVERSION_NOPTOCHIPLET_BLOCKS_H

#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Machine/MachineModel.h"

namespace mozart {

/// A layer's way to its experts and back. Emitted once for each token slice.
struct ExchangeChain {
  mlir::Operation *dispatch = nullptr; ///< nop.scatter or nop.multicast
  nop::LocalOp local;                  ///< the experts
  mlir::Operation *combine = nullptr;  ///< nop.gather or nop.reduce
  moe::CombineOp sum;                  ///< after a gather: the sum on the root

  /// What the model goes on with: the result of `sum`, else of `combine`.
  mlir::Value result() {
    return (sum ? sum.getOperation() : combine)->getResult(0);
  }
};

/// Ops whose weights are on chip together; all micro-batches go through a block
/// before the next one starts.
struct ModelBlock {
  std::vector<mlir::Operation *> ops;
};

/// The model function as the lowering sees it.
struct ModelPlan {
  std::vector<ModelBlock> blocks;
  /// By dispatch op.
  llvm::DenseMap<mlir::Operation *, ExchangeChain> chains;
  /// Ops that a chain covers, other than its dispatch.
  llvm::DenseSet<mlir::Operation *> covered;
  /// Equal token slices of every exchange.
  int64_t slices = 1;
  /// The values between blocks wait in the root's DRAM.
  bool spill = false;
};

/// How much room a plan leaves for loads ahead of time.
struct PlanOptions {
  /// 0: the fewest that fit.
  int64_t slices = 0;
  /// Weights of this many blocks, 1 or 2, should fit at once, where possible.
  int64_t weightCopies = 1;
};

/// Cuts `function` into blocks and decides on slices and spilling, so that each
/// chiplet's SRAM holds the weights of a block and what one micro-batch needs.
/// Reports what is unsupported, or which chiplet is too small, and fails.
mlir::FailureOr<ModelPlan> planModel(mlir::func::FuncOp function,
                                     const MachineModel &machine,
                                     const PlanOptions &options);

/// Whether `value` is an argument that is the same for all micro-batches: one
/// with `moe.param`, or that chiplets hold the experts of.
bool isWeight(mlir::Value value);

/// Bytes of a tensor or routing value of static size.
int64_t getValueBytes(mlir::Type type);

/// A row type of one of `slices` equal token slices; other types stay.
mlir::Type getSliceType(mlir::Type type, int64_t slices);

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_NOPTOCHIPLET_BLOCKS_H

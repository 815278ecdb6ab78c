//===- ProgramWriter.h - Emits buffers and tasks of a program -----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_CONVERSION_NOPTOCHIPLET_PROGRAMWRITER_H
#define MOZART_LIB_CONVERSION_NOPTOCHIPLET_PROGRAMWRITER_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

#include "mlir/IR/Builders.h"

namespace mozart {

/// Builds the body of a program. Every task waits for the tasks that wrote what
/// it reads, and for nothing else.
class ProgramWriter {
public:
  ProgramWriter(mlir::OpBuilder builder) : builder(builder) {}

  mlir::Value alloc(mlir::Location loc, const llvm::Twine &name,
                    mlir::Type contents, chiplet::MemoryKind memory,
                    int64_t index);
  mlir::Value input(mlir::Location loc, const llvm::Twine &name,
                    int64_t argument, mlir::Type contents, int64_t memory,
                    std::optional<int64_t> microBatch,
                    llvm::ArrayRef<int64_t> experts);
  mlir::Value view(mlir::Location loc, mlir::Value buffer, mlir::Type contents,
                   int64_t row);

  void load(mlir::Location loc, const llvm::Twine &name, mlir::Value source,
            mlir::Value target);
  void store(mlir::Location loc, const llvm::Twine &name, mlir::Value source,
             mlir::Value target);
  void output(mlir::Location loc, mlir::Value buffer, int64_t result,
              int64_t microBatch);

  /// A compute task whose body `fill` emits from the body's arguments.
  void
  compute(mlir::Location loc, const llvm::Twine &name, int64_t node,
          mlir::ValueRange reads, mlir::ValueRange writes,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                            mlir::ValueRange)>
              fill);

  /// Facts that both exchanges need.
  struct Exchange {
    std::string name;
    int64_t node = 0;
    chiplet::Form form = chiplet::Form::Pairs;
    chiplet::Via via = chiplet::Via::Root;
    int64_t layer = 0, microBatch = 0, tokenBegin = 0;
    moe::PlacementAttr placement;
  };
  void dispatch(mlir::Location loc, const Exchange &exchange, mlir::Value input,
                mlir::Value routing, mlir::ValueRange writes);
  void combine(mlir::Location loc, const Exchange &exchange,
               mlir::ValueRange inputs, mlir::Value routing,
               mlir::Value output);

private:
  /// Events of the tasks that wrote any of `reads`, without repetition.
  llvm::SmallVector<mlir::Value> waitsFor(mlir::ValueRange reads) const;
  chiplet::MoverAttr channel();
  void recordWrites(mlir::ValueRange writes, mlir::Value event);

  mlir::OpBuilder builder;
  /// Events that wrote a buffer or a view of it, in order.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> writers;
};

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_NOPTOCHIPLET_PROGRAMWRITER_H

//===- ExchangeLoops.h - Exchanges as loops over rows -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_LIB_CONVERSION_NOPTOLINALG_EXCHANGELOOPS_H
#define MOZART_LIB_CONVERSION_NOPTOLINALG_EXCHANGELOOPS_H

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mozart {

/// Builds what an exchange does on or for one node. Routings are tables of ids
/// [T,k] and gate weights [T,k]; experts of a node are global ids, ascending.
/// Shapes are static.
class ExchangeLoops {
public:
  ExchangeLoops(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::TypedValue<moe::RoutingType> routing);

  struct Pairs {
    mlir::Value rows, counts;
  };
  /// One row of `input` per pair of a token and one of `experts`, in order
  /// (expert, token, slot), at the front of a tensor of `type`; pairs of each.
  Pairs scatter(mlir::Value input, mlir::RankedTensorType type,
                mlir::ArrayRef<int64_t> experts);

  struct Tokens {
    mlir::Value rows, routing;
  };
  /// One row of `input` per token that has one of `experts`, in order, and the
  /// slots of these tokens with the experts' positions as ids.
  Tokens multicast(mlir::Value input, mlir::ArrayRef<int64_t> experts);

  struct NodeRows {
    mlir::Value rows;
    std::vector<int64_t> experts;
  };
  /// The reverse of `scatter` on all `nodes`: rows of all pairs in order
  /// (expert, token, slot), at the front of a tensor of `type`.
  mlir::Value gather(mlir::ArrayRef<NodeRows> nodes,
                     mlir::RankedTensorType type);

  /// The reverse of `multicast`: a row for each token, zero where it has none
  /// of the node's experts.
  mlir::Value spread(const NodeRows &node, mlir::RankedTensorType type);

  /// The sum of two tensors, rounded to their element type.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);

private:
  mlir::ImplicitLocOpBuilder b;
  moe::RoutingType routing;
  mlir::Value ids, weights;

  using Values = mlir::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;

  mlir::Value index(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value next(mlir::Value position);
  mlir::Value filled(mlir::RankedTensorType type, mlir::TypedAttr value);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value table(mlir::ArrayRef<int64_t> values);
  mlir::Value expertAt(mlir::Value experts, mlir::Value position);
  mlir::Value readRow(mlir::Value rows, mlir::Value at);
  mlir::Value writeRow(mlir::Value rows, mlir::Value row, mlir::Value at);
  /// `body` for 0 .. count - 1, with what it carries from step to step.
  Values loop(int64_t count, mlir::ValueRange carried, Body body);
  /// What `then` makes of the values where `condition` holds, else the values.
  Values when(mlir::Value condition, mlir::ValueRange values,
              llvm::function_ref<Values()> then);
  /// `then` for each (token, slot) that goes to the global id `expert`.
  Values forPairsOf(mlir::Value expert, mlir::ValueRange carried, Body then);
  /// Local ids by global id: -1 for experts elsewhere.
  mlir::Value localIds(mlir::ArrayRef<int64_t> experts);
  mlir::Value localIdOfSlot(mlir::Value locals, mlir::Value token,
                            mlir::Value slot);
  /// Whether a token has an expert of the table.
  mlir::Value isHere(mlir::Value locals, mlir::Value token);
  /// The first row of each expert in the order of moe.dispatch.
  mlir::Value firstRows();
};

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_NOPTOLINALG_EXCHANGELOOPS_H

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
/// Shapes are static. A pair of a token and an expert belongs to the node that
/// the rule of ReplicaChoice.h gives it to, among those that have the expert.
class ExchangeLoops {
public:
  ExchangeLoops(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::TypedValue<moe::RoutingType> routing,
                moe::PlacementAttr placement);

  struct Node {
    int64_t index = -1;
    std::vector<int64_t> experts;
  };

  struct Pairs {
    mlir::Value rows, counts;
  };
  /// One row of `input` per pair of the node, in order (expert, token, slot),
  /// at the front of a tensor of `type`; pairs of each expert.
  Pairs scatter(mlir::Value input, mlir::RankedTensorType type,
                const Node &node);

  struct Tokens {
    mlir::Value rows, routing;
  };
  /// One row of `input` per token that has a pair of the node, in order, and
  /// the slots of these pairs with the experts' positions as ids.
  Tokens multicast(mlir::Value input, const Node &node);

  struct NodeRows {
    mlir::Value rows;
    Node node;
  };
  /// The reverse of `scatter` on all `nodes`: rows of all pairs in order
  /// (expert, token, slot), at the front of a tensor of `type`.
  mlir::Value gather(mlir::ArrayRef<NodeRows> nodes,
                     mlir::RankedTensorType type);

  /// The reverse of `multicast`: a row for each token, zero where it has no
  /// pair of the node.
  mlir::Value spread(const NodeRows &node, mlir::RankedTensorType type);

  /// The sum of two tensors, rounded to their element type.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);

private:
  mlir::ImplicitLocOpBuilder b;
  moe::RoutingType routing;
  mlir::Value ids, weights;
  /// [T,k], the node of each pair; null where every expert is on one node.
  mlir::Value homes;

  using Values = mlir::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  using PairBody =
      llvm::function_ref<Values(mlir::Value, mlir::Value, mlir::ValueRange)>;

  mlir::Value index(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value next(mlir::Value position);
  mlir::Value filled(mlir::RankedTensorType type, mlir::TypedAttr value);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value table(mlir::ArrayRef<int64_t> values);
  mlir::Value expertAt(mlir::Value experts, mlir::Value position);
  mlir::Value equal(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isNotNegative(mlir::Value value);
  mlir::Value readRow(mlir::Value rows, mlir::Value at);
  mlir::Value writeRow(mlir::Value rows, mlir::Value row, mlir::Value at);
  /// `body` for 0 .. count - 1, with what it carries from step to step.
  Values loop(int64_t count, mlir::ValueRange carried, Body body);
  /// What `then` makes of the values where `condition` holds, else the values.
  Values when(mlir::Value condition, mlir::ValueRange values,
              llvm::function_ref<Values()> then);
  /// The global id of a slot; -1 for padding and, where a node is given, for
  /// pairs of other nodes.
  mlir::Value idOfSlot(mlir::Value token, mlir::Value slot, const Node *node);
  /// `then` for each (token, slot) that goes to the global id `expert`; of
  /// `node` alone where that is not null.
  Values forPairsOf(mlir::Value expert, const Node *node,
                    mlir::ValueRange carried, PairBody then);
  /// Local ids by global id: -1 for experts elsewhere.
  mlir::Value localIds(const Node &node);
  mlir::Value localIdOfSlot(mlir::Value locals, mlir::Value token,
                            mlir::Value slot, const Node &node);
  /// Whether a token has a pair of the node, whose local ids are `locals`.
  mlir::Value isHere(mlir::Value locals, mlir::Value token, const Node &node);
  /// The first row of each expert in the order of moe.dispatch.
  mlir::Value firstRows();

  // ReplicaLoops.cpp: which of several nodes a pair belongs to.

  /// The experts that several nodes have, and these nodes, padded with -1.
  struct Replicas {
    mlir::Value experts; ///< [R], ascending
    mlir::Value nodes;   ///< [R,M], ascending
    int64_t count = 0, most = 0;
  };
  /// [T,k]: the node of each pair, -1 for padding.
  mlir::Value chooseHomes(moe::PlacementAttr placement);
  mlir::Value soleHomes(mlir::ArrayRef<std::vector<int64_t>> nodesOf);
  Replicas makeReplicas(mlir::ArrayRef<std::vector<int64_t>> nodesOf);
  /// Of the expert at `replica`: 1 for each node to which the token goes
  /// already by `chosen` [T,k], or for each of its nodes where there is none,
  /// else 0, as i32 [M]; and how many are 1.
  Values candidates(const Replicas &replicas, mlir::Value replica,
                    mlir::Value token, mlir::Value chosen);
  mlir::Value chooseNode(const Replicas &replicas, mlir::Value replica,
                         mlir::Value token, mlir::Value chosen);
};

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_NOPTOLINALG_EXCHANGELOOPS_H

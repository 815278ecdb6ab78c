//===- ReplicaLoops.cpp - Which replica a pair goes to, as loops ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule of mozart/Routing/ReplicaChoice.h, written as IR: experts on one
// node decide first, the others follow in ascending order of their ids.
//
//===----------------------------------------------------------------------===//

#include "ExchangeLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mozart;

Value ExchangeLoops::chooseHomes(moe::PlacementAttr placement) {
  std::vector<std::vector<int64_t>> nodesOf = placement.getNodesOf();
  Replicas replicas = makeReplicas(nodesOf);
  return loop(
      routing.getTokens(), soleHomes(nodesOf),
      [&](Value token, ValueRange ofTokens) {
        return loop(
            replicas.count, ofTokens, [&](Value replica, ValueRange outer) {
              Value expert = expertAt(replicas.experts, replica);
              return loop(
                  routing.getK(), outer, [&](Value slot, ValueRange homes) {
                    Value same = equal(idOfSlot(token, slot, nullptr), expert);
                    return when(same, homes, [&]() -> Values {
                      Value node =
                          chooseNode(replicas, replica, token, homes[0]);
                      return {tensor::InsertOp::create(
                          b, node, homes[0], ValueRange{token, slot})};
                    });
                  });
            });
      })[0];
}

/// Nodes of the pairs whose expert is on one node; -1 elsewhere.
Value ExchangeLoops::soleHomes(ArrayRef<std::vector<int64_t>> nodesOf) {
  SmallVector<int64_t> sole;
  for (const std::vector<int64_t> &nodes : nodesOf)
    sole.push_back(nodes.size() == 1 ? nodes[0] : -1);
  Value soleOf = table(sole);
  Value none =
      filled(cast<RankedTensorType>(ids.getType()), b.getI32IntegerAttr(-1));
  return loop(routing.getTokens(), none, [&](Value token, ValueRange outer) {
    return loop(
        routing.getK(), outer, [&](Value slot, ValueRange homes) -> Values {
          Value id = idOfSlot(token, slot, nullptr);
          return when(isNotNegative(id), homes, [&]() -> Values {
            Value expert = arith::IndexCastOp::create(b, b.getIndexType(), id);
            return {tensor::InsertOp::create(b, expertAt(soleOf, expert),
                                             homes[0],
                                             ValueRange{token, slot})};
          });
        });
  })[0];
}

ExchangeLoops::Replicas
ExchangeLoops::makeReplicas(ArrayRef<std::vector<int64_t>> nodesOf) {
  Replicas replicas;
  SmallVector<int64_t> experts;
  for (auto [expert, nodes] : llvm::enumerate(nodesOf)) {
    if (nodes.size() == 1)
      continue;
    experts.push_back(expert);
    replicas.most = std::max<int64_t>(replicas.most, nodes.size());
  }
  SmallVector<int32_t> padded;
  for (int64_t expert : experts) {
    padded.append(nodesOf[expert].begin(), nodesOf[expert].end());
    padded.resize((padded.size() + replicas.most - 1) / replicas.most *
                      replicas.most,
                  -1);
  }
  replicas.count = experts.size();
  replicas.experts = table(experts);
  replicas.nodes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get({replicas.count, replicas.most},
                                   b.getI32Type()),
             ArrayRef<int32_t>(padded)));
  return replicas;
}

ExchangeLoops::Values ExchangeLoops::candidates(const Replicas &replicas,
                                                Value replica, Value token,
                                                Value chosen) {
  auto type = RankedTensorType::get({replicas.most}, b.getI32Type());
  // Marks the nodes for which `holds`, and counts them.
  auto mark = [&](llvm::function_ref<Value(Value node)> holds) {
    return loop(replicas.most, {zeros(type), index(0)},
                [&](Value place, ValueRange carried) -> Values {
                  Value node = tensor::ExtractOp::create(
                      b, replicas.nodes, ValueRange{replica, place});
                  Value real = isNotNegative(node);
                  Value marked = arith::AndIOp::create(b, real, holds(node));
                  Value bit = arith::ExtUIOp::create(b, b.getI32Type(), marked);
                  return {tensor::InsertOp::create(b, bit, carried[0], place),
                          arith::AddIOp::create(b, carried[1],
                                                arith::IndexCastOp::create(
                                                    b, b.getIndexType(), bit))};
                });
  };
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Values visited = mark([&](Value node) {
    return loop(routing.getK(), no, [&](Value slot, ValueRange any) -> Values {
      Value other =
          tensor::ExtractOp::create(b, chosen, ValueRange{token, slot});
      return {arith::OrIOp::create(b, any[0], equal(other, node))};
    })[0];
  });
  return when(equal(visited[1], index(0)), visited,
              [&] { return mark([&](Value) { return yes; }); });
}

Value ExchangeLoops::chooseNode(const Replicas &replicas, Value replica,
                                Value token, Value chosen) {
  Values found = candidates(replicas, replica, token, chosen);
  Value place = arith::RemUIOp::create(b, token, found[1]);
  // Counts candidates until the one at `place`.
  return loop(replicas.most, {i32(-1), index(0)},
              [&](Value position, ValueRange carried) -> Values {
                Value bit = tensor::ExtractOp::create(b, found[0], position);
                return when(equal(bit, i32(1)), carried, [&]() -> Values {
                  Value node = tensor::ExtractOp::create(
                      b, replicas.nodes, ValueRange{replica, position});
                  return {arith::SelectOp::create(b, equal(carried[1], place),
                                                  node, carried[0]),
                          next(carried[1])};
                });
              })[0];
}

//===- ExchangeLoops.cpp - Exchanges as loops over rows -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mozart;

ExchangeLoops::ExchangeLoops(OpBuilder &builder, Location loc,
                             TypedValue<moe::RoutingType> routing,
                             moe::PlacementAttr placement)
    : b(loc, builder), routing(routing.getType()) {
  int64_t shape[] = {this->routing.getTokens(), this->routing.getK()};
  auto unpack = moe::UnpackOp::create(
      b, RankedTensorType::get(shape, b.getI32Type()),
      RankedTensorType::get(shape, this->routing.getGateType()), routing);
  ids = unpack.getIds();
  weights = unpack.getWeights();
  if (!placement.isPartition())
    homes = chooseHomes(placement);
}

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

Value ExchangeLoops::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value ExchangeLoops::i32(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value ExchangeLoops::next(Value position) {
  return arith::AddIOp::create(b, position, index(1));
}

Value ExchangeLoops::filled(RankedTensorType type, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(b, value);
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::FillOp::create(b, scalar, empty).getResult(0);
}

Value ExchangeLoops::zeros(RankedTensorType type) {
  return filled(type, b.getZeroAttr(type.getElementType()));
}

Value ExchangeLoops::table(ArrayRef<int64_t> values) {
  SmallVector<int32_t> narrow(values);
  return arith::ConstantOp::create(b, b.getI32TensorAttr(narrow));
}

Value ExchangeLoops::expertAt(Value experts, Value position) {
  return tensor::ExtractOp::create(b, experts, position);
}

Value ExchangeLoops::equal(Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, rhs);
}

Value ExchangeLoops::isNotNegative(Value value) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, value, i32(0));
}

Value ExchangeLoops::readRow(Value rows, Value at) {
  int64_t width = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  OpFoldResult offsets[] = {at, b.getIndexAttr(0)};
  OpFoldResult sizes[] = {b.getIndexAttr(1), b.getIndexAttr(width)};
  OpFoldResult strides[] = {b.getIndexAttr(1), b.getIndexAttr(1)};
  return tensor::ExtractSliceOp::create(b, rows, offsets, sizes, strides);
}

Value ExchangeLoops::writeRow(Value rows, Value row, Value at) {
  int64_t width = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  OpFoldResult offsets[] = {at, b.getIndexAttr(0)};
  OpFoldResult sizes[] = {b.getIndexAttr(1), b.getIndexAttr(width)};
  OpFoldResult strides[] = {b.getIndexAttr(1), b.getIndexAttr(1)};
  return tensor::InsertSliceOp::create(b, row, rows, offsets, sizes, strides);
}

ExchangeLoops::Values ExchangeLoops::loop(int64_t count, ValueRange carried,
                                          Body body) {
  OpBuilder::InsertionGuard guard(b);
  Value lower = index(0), upper = index(count), step = index(1);
  auto loop = scf::ForOp::create(b, lower, upper, step, carried);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

ExchangeLoops::Values ExchangeLoops::when(Value condition, ValueRange values,
                                          llvm::function_ref<Values()> then) {
  OpBuilder::InsertionGuard guard(b);
  auto branch =
      scf::IfOp::create(b, values.getTypes(), condition, /*withElse=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, values);
  return Values(branch.getResults());
}

Value ExchangeLoops::idOfSlot(Value token, Value slot, const Node *node) {
  Value id = tensor::ExtractOp::create(b, ids, ValueRange{token, slot});
  if (!homes || !node)
    return id;
  Value home = tensor::ExtractOp::create(b, homes, ValueRange{token, slot});
  return arith::SelectOp::create(b, equal(home, i32(node->index)), id, i32(-1));
}

ExchangeLoops::Values ExchangeLoops::forPairsOf(Value expert, const Node *node,
                                                ValueRange carried,
                                                PairBody then) {
  return loop(routing.getTokens(), carried, [&](Value token, ValueRange outer) {
    return loop(routing.getK(), outer, [&](Value slot, ValueRange values) {
      Value same = equal(idOfSlot(token, slot, node), expert);
      return when(same, values, [&] { return then(token, slot, values); });
    });
  });
}

Value ExchangeLoops::localIds(const Node &node) {
  SmallVector<int64_t> locals(routing.getExperts(), -1);
  for (auto [local, expert] : llvm::enumerate(node.experts))
    locals[expert] = local;
  return table(locals);
}

Value ExchangeLoops::localIdOfSlot(Value locals, Value token, Value slot,
                                   const Node &node) {
  Value id = idOfSlot(token, slot, &node);
  Value real = isNotNegative(id);
  // Padding reads entry 0, and the select drops it.
  Value entry = arith::MaxSIOp::create(b, id, i32(0));
  Value position = arith::IndexCastOp::create(b, b.getIndexType(), entry);
  Value local = expertAt(locals, position);
  return arith::SelectOp::create(b, real, local, i32(-1));
}

Value ExchangeLoops::isHere(Value locals, Value token, const Node &node) {
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  return loop(routing.getK(), no, [&](Value slot, ValueRange any) -> Values {
    Value here = isNotNegative(localIdOfSlot(locals, token, slot, node));
    return {arith::OrIOp::create(b, any[0], here)};
  })[0];
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

ExchangeLoops::Pairs ExchangeLoops::scatter(Value input, RankedTensorType type,
                                            const Node &node) {
  int64_t here = node.experts.size();
  auto countsType = RankedTensorType::get({here}, b.getIndexType());
  Value ofNode = table(node.experts);
  Values result = loop(
      here, {zeros(type), zeros(countsType), index(0)},
      [&](Value local, ValueRange carried) -> Values {
        Value expert = expertAt(ofNode, local), before = carried[2];
        Values filled = forPairsOf(
            expert, &node, {carried[0], before},
            [&](Value token, Value, ValueRange values) -> Values {
              Value row = readRow(input, token);
              return {writeRow(values[0], row, values[1]), next(values[1])};
            });
        Value count = arith::SubIOp::create(b, filled[1], before);
        Value counts = tensor::InsertOp::create(b, count, carried[1], local);
        return {filled[0], counts, filled[1]};
      });
  return {result[0], result[1]};
}

ExchangeLoops::Tokens ExchangeLoops::multicast(Value input, const Node &node) {
  Value locals = localIds(node);
  Value noIds =
      filled(cast<RankedTensorType>(ids.getType()), b.getI32IntegerAttr(-1));
  Value noWeights = zeros(cast<RankedTensorType>(weights.getType()));
  Value noRows = zeros(cast<RankedTensorType>(input.getType()));
  // Slots go to the row of the next token that is here; a token that is not
  // writes none.
  Values result = loop(
      routing.getTokens(), {noRows, noIds, noWeights, index(0)},
      [&](Value token, ValueRange carried) -> Values {
        Value position = carried[3];
        Values slots = loop(
            routing.getK(), {carried[1], carried[2]},
            [&](Value slot, ValueRange values) -> Values {
              Value local = localIdOfSlot(locals, token, slot, node);
              Value here = isNotNegative(local);
              return when(here, values, [&]() -> Values {
                Value weight = tensor::ExtractOp::create(
                    b, weights, ValueRange{token, slot});
                Value at[] = {position, slot};
                return {tensor::InsertOp::create(b, local, values[0], at),
                        tensor::InsertOp::create(b, weight, values[1], at)};
              });
            });
        Values rows = when(
            isHere(locals, token, node), {carried[0], position},
            [&]() -> Values {
              return {writeRow(carried[0], readRow(input, token), position),
                      next(position)};
            });
        return {rows[0], slots[0], slots[1], rows[1]};
      });
  auto localType = moe::RoutingType::get(b.getContext(), routing.getTokens(),
                                         routing.getK(), node.experts.size(),
                                         routing.getGateType(), /*local=*/true);
  Value packed = moe::PackOp::create(b, localType, result[1], result[2]);
  return {result[0], packed};
}

Value ExchangeLoops::firstRows() {
  auto type = RankedTensorType::get({routing.getExperts()}, b.getIndexType());
  Values all = loop(
      routing.getExperts(), {zeros(type), index(0)},
      [&](Value position, ValueRange carried) -> Values {
        Value first =
            tensor::InsertOp::create(b, carried[1], carried[0], position);
        Value expert = arith::IndexCastOp::create(b, b.getI32Type(), position);
        Values end = forPairsOf(expert, nullptr, carried[1],
                                [&](Value, Value, ValueRange values) -> Values {
                                  return {next(values[0])};
                                });
        return {first, end[0]};
      });
  return all[0];
}

Value ExchangeLoops::gather(ArrayRef<NodeRows> nodes, RankedTensorType type) {
  Value first = firstRows(), result = zeros(type);
  for (const auto &[rows, node] : nodes) {
    // A lambda cannot capture what is bound.
    Value rowsOfNode = rows;
    const Node *here = &node;
    Value ofNode = table(node.experts);
    Values filled =
        loop(node.experts.size(), {result, index(0)},
             [&](Value local, ValueRange carried) -> Values {
               Value expert = expertAt(ofNode, local);
               Value global =
                   arith::IndexCastOp::create(b, b.getIndexType(), expert);
               Value target = tensor::ExtractOp::create(b, first, global);
               auto move = [&](ValueRange values) -> Values {
                 Value row = readRow(rowsOfNode, values[1]);
                 return {writeRow(values[0], row, values[2]), next(values[1])};
               };
               Values moved = forPairsOf(
                   expert, nullptr, {carried[0], carried[1], target},
                   [&](Value token, Value slot, ValueRange values) -> Values {
                     Values done =
                         homes
                             ? when(equal(idOfSlot(token, slot, here), expert),
                                    values.take_front(2),
                                    [&] { return move(values); })
                             : move(values);
                     return {done[0], done[1], next(values[2])};
                   });
               return {moved[0], moved[1]};
             });
    result = filled[0];
  }
  return result;
}

Value ExchangeLoops::spread(const NodeRows &node, RankedTensorType type) {
  Value locals = localIds(node.node);
  return loop(
      routing.getTokens(), {zeros(type), index(0)},
      [&](Value token, ValueRange carried) -> Values {
        return when(isHere(locals, token, node.node), carried, [&]() -> Values {
          Value row = readRow(node.rows, carried[1]);
          return {writeRow(carried[0], row, token), next(carried[1])};
        });
      })[0];
}

Value ExchangeLoops::add(Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::AddOp::create(b, type, ValueRange{lhs, rhs}, empty)
      .getResult(0);
}

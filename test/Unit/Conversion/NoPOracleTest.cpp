//===- NoPOracleTest.cpp - No pass changes what a layer computes ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random layers run as models, as placed models, and in every form that the
// conversion to exchanges and the passes on them can give them, in any order
// and with any left out. Rows of experts are the same to the bit in all of
// them; so only sums may differ, by their order and by where they are rounded.
//
//===----------------------------------------------------------------------===//

#include "Conversion/RandomLayer.h"
#include "Target/OracleTestSupport.h"

#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Sim/ElementCodec.h"
#include "mozart/Sim/ValueCompare.h"
#include "mozart/Target/Oracle.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "absl/strings/str_join.h"

#include <map>

using namespace mozart;
using namespace mozart::test;

namespace {

/// `module` after `passes`, or null with a failure of the test.
mlir::OwningOpRef<mlir::ModuleOp> after(mlir::ModuleOp module,
                                        const std::string &passes) {
  static bool registered = (registerAllPasses(), true);
  (void)registered;
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::PassManager manager(&context());
  if (failed(mlir::parsePassPipeline(passes, manager)) ||
      failed(manager.run(*copy))) {
    ADD_FAILURE() << "cannot run " << passes;
    return nullptr;
  }
  return copy;
}

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

/// Runs @layer, or what is called `function`. Empty with a failure of the test.
std::vector<double> run(mlir::ModuleOp module, const std::vector<Value> &inputs,
                        const char *function = "layer") {
  absl::StatusOr<std::vector<Value>> results =
      runOracle(module, function, inputs);
  if (!results.ok()) {
    ADD_FAILURE() << results.status();
    return {};
  }
  return results->front().elements;
}

/// Runs @layer of a module with nop ops.
std::vector<double> runRouted(mlir::ModuleOp module,
                              const std::vector<Value> &inputs) {
  mlir::OwningOpRef<mlir::ModuleOp> lowered =
      after(module, "convert-nop-to-linalg");
  return lowered ? run(*lowered, inputs) : std::vector<double>();
}

/// All ways to run some of the passes of the nop dialect in some order.
std::vector<std::string> passOrders() {
  const std::string passes[] = {"nop-deduplicate", "nop-multicast-in-switch",
                                "nop-reduce-in-switch"};
  std::vector<std::string> orders;
  for (int chosen = 0; chosen < 8; ++chosen) {
    std::vector<std::string> order;
    for (int i = 0; i < 3; ++i)
      if (chosen >> i & 1)
        order.push_back(passes[i]);
    do
      orders.push_back(absl::StrJoin(order, ","));
    while (std::next_permutation(order.begin(), order.end()));
  }
  return orders;
}

/// What a module sends and how.
struct Form {
  bool tokens = false, copiesInSwitch = false, addsInSwitch = false;
};

Form formOf(mlir::ModuleOp module) {
  Form form;
  module.walk([&](nop::MulticastOp op) {
    form.tokens = true;
    form.copiesInSwitch |= op.getVia() == nop::Via::Switch;
  });
  module.walk([&](nop::ReduceOp op) {
    form.addsInSwitch |= op.getVia() == nop::Via::Switch;
  });
  return form;
}

class NoPOracle : public testing::TestWithParam<int> {};

TEST_P(NoPOracle, KeepsEveryLayer) {
  RandomLayer layer(GetParam());
  SCOPED_TRACE(layer.source);
  mlir::OwningOpRef<mlir::ModuleOp> model = parse(layer.source);
  mlir::OwningOpRef<mlir::ModuleOp> sums = parse(layer.source + layer.terms);
  ASSERT_TRUE(model && sums);
  std::vector<double> expected = run(*model, layer.inputs);
  std::vector<double> terms = run(*sums, layer.inputs, "terms");
  ASSERT_EQ(expected.size(), layer.tokens * layer.width);
  ASSERT_EQ(terms.size(), expected.size());

  std::string place = "moe-place-experts{algorithm=random seed=5}";
  if (layer.placedByPass) {
    mlir::OwningOpRef<mlir::ModuleOp> placed =
        after(*model, "mozart-verify-model," + place + ",mozart-verify-placed");
    ASSERT_TRUE(placed);
    EXPECT_EQ(run(*placed, layer.inputs), expected);
    model = std::move(placed);
  }

  std::string verify = layer.routes ? ",mozart-verify-routed" : "";
  std::map<std::string, std::string> seen;
  for (const std::string &order : passOrders()) {
    std::string passes = "convert-moe-to-nop";
    if (!order.empty())
      passes += "," + order;
    SCOPED_TRACE(passes);
    mlir::OwningOpRef<mlir::ModuleOp> routed = after(*model, passes + verify);
    ASSERT_TRUE(routed);
    if (!seen.emplace(print(*routed), passes).second)
      continue;
    std::vector<double> found = runRouted(*routed, layer.inputs);
    if (formOf(*routed).tokens)
      EXPECT_EQ(compareWithBound(found, expected, terms, layer.k,
                                 roundingUnit(layer.element)),
                absl::OkStatus());
    else
      EXPECT_EQ(found, expected);
  }
  // Pairs; tokens by the root; and where a switch can and has something to
  // share, both or one of the two ways by it.
  EXPECT_TRUE(seen.size() == 2 || seen.size() == 5) << seen.size();
}

INSTANTIATE_TEST_SUITE_P(Random, NoPOracle, testing::Range(0, 60));

/// What the layers above must have among them.
TEST(NoPOracleLayers, HaveEveryFeature) {
  std::map<std::string, int> count;
  for (int seed = 0; seed < 60; ++seed) {
    RandomLayer layer(seed);
    auto add = [&](const std::string &feature, bool has) {
      count[feature] += has;
    };
    for (int depth = 1; depth <= 3; ++depth)
      add("depth " + std::to_string(depth), layer.depth == depth);
    for (int k = 1; k <= 4; ++k)
      add("k = " + std::to_string(k), layer.k == k);
    for (int body = 0; body < 4; ++body)
      add("body " + std::to_string(body), static_cast<int>(layer.body) == body);
    for (ElementType element : {ElementType::F16, ElementType::BF16,
                                ElementType::F32, ElementType::F64})
      add("element " + std::to_string(static_cast<int>(element)),
          layer.element == element);
    add("idle expert", layer.hasIdleExpert());
    add("padding slot", layer.hasPaddingSlot());
    add("padding token", layer.padsTokens);
    add("idle chiplet", layer.hasIdleChiplet());
    add("uneven", layer.isUneven());
    add("replicas", layer.hasReplicas());
    add("placed by the pass", layer.placedByPass);
    add("routes", layer.routes);
    add("unable switches", layer.depth > 1 && !layer.ableSwitches);
    mlir::OwningOpRef<mlir::ModuleOp> model = parse(layer.source);
    std::string passes = "convert-moe-to-nop,nop-deduplicate,"
                         "nop-multicast-in-switch,nop-reduce-in-switch";
    if (layer.placedByPass)
      passes = "moe-place-experts{algorithm=random seed=5}," + passes;
    mlir::OwningOpRef<mlir::ModuleOp> routed = after(*model, passes);
    ASSERT_TRUE(routed);
    Form form = formOf(*routed);
    add("tokens", form.tokens);
    add("copies in switches", form.copiesInSwitch);
    add("sums in switches", form.addsInSwitch);
  }
  for (const auto &[feature, times] : count)
    EXPECT_GE(times, 5) << feature;
}

//===----------------------------------------------------------------------===//
// Mistakes show
//===----------------------------------------------------------------------===//

/// A layer of 8 experts on 4 chiplets, with every form of exchange.
class NoPOracleMistakes : public testing::Test {
protected:
  void SetUp() override {
    for (int seed = 0; seed < 10000; ++seed) {
      layer.emplace(seed);
      if (layer->isUneven() && !layer->hasReplicas() && !layer->routes &&
          layer->depth == 2 && layer->ableSwitches && layer->k >= 2 &&
          layer->tokens >= 4 && layer->element == ElementType::F32 &&
          layer->body == RandomLayer::Body::Swiglu && layer->hasIdleChiplet())
        break;
    }
    model = parse(layer->source);
    expected = run(*model, layer->inputs);
  }

  mlir::OwningOpRef<mlir::ModuleOp> routed(bool tokens) {
    return after(*model, tokens ? "convert-moe-to-nop,nop-deduplicate"
                                : "convert-moe-to-nop");
  }

  void expectOtherNumbers(mlir::ModuleOp module) {
    std::vector<double> found = runRouted(module, layer->inputs);
    ASSERT_EQ(found.size(), expected.size());
    double worst = 0;
    for (size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - expected[i]));
    EXPECT_GT(worst, 1e-3);
  }

  std::optional<RandomLayer> layer;
  mlir::OwningOpRef<mlir::ModuleOp> model;
  std::vector<double> expected;
};

/// Weights of one matrix go to other experts of the same nodes: types do not
/// tell, the lowering does.
TEST_F(NoPOracleMistakes, OfAShardAreRefused) {
  for (bool tokens : {false, true}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = routed(tokens);
    nop::ShardOp shard;
    module->walk([&](nop::ShardOp op) { shard = op; });
    moe::PlacementAttr placement = shard.getPlacement();
    std::vector<std::vector<int64_t>> nodesOf = placement.getNodesOf();
    std::rotate(nodesOf.begin(), nodesOf.begin() + 1, nodesOf.end());
    shard.setPlacementAttr(
        moe::PlacementAttr::get(&context(), placement.getMachine(), nodesOf));
    ASSERT_NE(shard.getPlacement(), placement);
    ASSERT_TRUE(succeeded(shard.verify()));
    std::string error;
    mlir::ScopedDiagnosticHandler handler(&context(),
                                          [&](mlir::Diagnostic &diagnostic) {
                                            error += diagnostic.str();
                                            return mlir::success();
                                          });
    mlir::PassManager manager(&context());
    ASSERT_TRUE(
        succeeded(mlir::parsePassPipeline("convert-nop-to-linalg", manager)));
    EXPECT_TRUE(failed(manager.run(*module)));
    EXPECT_NE(error.find("inputs of different placements"), std::string::npos)
        << error;
  }
}

/// Two weights of one type change places on every node.
TEST_F(NoPOracleMistakes, OfAnOperand) {
  for (bool tokens : {false, true}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = routed(tokens);
    module->walk([&](moe::ExpertsOp op) {
      mlir::Value gate = op.getWeights()[0], up = op.getWeights()[1];
      op.getWeightsMutable()[0].set(up);
      op.getWeightsMutable()[1].set(gate);
    });
    expectOtherNumbers(*module);
  }
}

/// The experts that a routing names, each taken for the next one.
mlir::Value shiftExperts(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value routing) {
  auto type = mlir::cast<moe::RoutingType>(routing.getType());
  int64_t shape[] = {type.getTokens(), type.getK()};
  auto idsType = mlir::RankedTensorType::get(shape, builder.getI32Type());
  auto parts = moe::UnpackOp::create(
      builder, loc, idsType,
      mlir::RankedTensorType::get(shape, type.getGateType()), routing);
  auto constant = [&](int64_t value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(
        builder, loc,
        mlir::DenseElementsAttr::get(mlir::ShapedType(idsType),
                                     builder.getI32IntegerAttr(value)));
  };
  mlir::Value ids = parts.getIds();
  mlir::Value next = mlir::arith::RemSIOp::create(
      builder, loc, mlir::arith::AddIOp::create(builder, loc, ids, constant(1)),
      constant(type.getExperts()));
  mlir::Value real = mlir::arith::CmpIOp::create(
      builder, loc, mlir::arith::CmpIPredicate::sge, ids, constant(0));
  ids = mlir::arith::SelectOp::create(builder, loc, real, next, ids);
  return moe::PackOp::create(builder, loc, type, ids, parts.getWeights());
}

/// One exchange of a layer goes by another routing of the same type.
TEST_F(NoPOracleMistakes, OfAnExchange) {
  auto spoil = [&](bool tokens, auto isSpoiled) {
    mlir::OwningOpRef<mlir::ModuleOp> module = routed(tokens);
    int spoiled = 0;
    module->walk([&](mlir::Operation *op) {
      if (!isSpoiled(op))
        return;
      mlir::OpBuilder builder(op);
      op->setOperand(1, shiftExperts(builder, op->getLoc(), op->getOperand(1)));
      ++spoiled;
    });
    EXPECT_EQ(spoiled, 1);
    expectOtherNumbers(*module);
  };
  spoil(false,
        [](mlir::Operation *op) { return mlir::isa<nop::ScatterOp>(op); });
  spoil(false,
        [](mlir::Operation *op) { return mlir::isa<nop::GatherOp>(op); });
  spoil(true,
        [](mlir::Operation *op) { return mlir::isa<nop::MulticastOp>(op); });
  spoil(true, [](mlir::Operation *op) { return mlir::isa<nop::ReduceOp>(op); });
}

} // namespace

//===- OracleKernelsTest.cpp - Two implementations of every model op ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering to linalg and the kernels of the value engine were written
// apart. Here they run the same op on the same random numbers.
//
//===----------------------------------------------------------------------===//

#include "OracleTestSupport.h"

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Target/Oracle.h"

#include "absl/strings/str_replace.h"

#include <numeric>
#include <random>

using namespace mozart;
using namespace mozart::test;

namespace {

/// An op on all arguments, in order ($0, ... in hexadecimal); F stands for the
/// element type.
struct OpCase {
  const char *name, *op, *types;
};

void PrintTo(const OpCase &opCase, std::ostream *os) { *os << opCase.name; }

class OracleKernelsTest
    : public testing::TestWithParam<std::tuple<OpCase, std::string>> {};

const OpCase kCases[] = {
    {"rms", "moe.norm rms $0, $1 epsilon 1.0e-3",
     "(tensor<5x6xF>, tensor<6xF>) -> tensor<5x6xF>"},
    {"layer", "moe.norm layer $0, $1 bias $2 epsilon 1.0e-3",
     "(tensor<5x6xF>, tensor<6xF>, tensor<6xF>) -> tensor<5x6xF>"},
    {"layer_without_bias", "moe.norm layer $0, $1 epsilon 1.0e-3",
     "(tensor<5x6xF>, tensor<6xF>) -> tensor<5x6xF>"},
    {"linear", "moe.linear $0, $1",
     "(tensor<5x6xF>, tensor<6x3xF>) -> tensor<5x3xF>"},
    {"linear_bias", "moe.linear $0, $1 bias $2",
     "(tensor<5x6xF>, tensor<6x3xF>, tensor<3xF>) -> tensor<5x3xF>"},
    {"router", "moe.router $0, $1",
     "(tensor<5x6xF>, tensor<6x3xF>) -> tensor<5x3xF>"},
    {"router_wider", "moe.router $0, $1 bias $2",
     "(tensor<5x6xF>, tensor<6x3xf64>, tensor<3xf64>) -> tensor<5x3xf64>"},
    {"attention",
     "moe.attention $0 weights($1, $2, $3, $4) sequences 2 heads <query = 2, "
     "kv = 2, dim = 4, scale = 0.5>",
     "(tensor<6x5xF>, tensor<5x8xF>, tensor<5x8xF>, tensor<5x8xF>, "
     "tensor<8x5xF>) -> tensor<6x5xF>"},
    {"attention_grouped_half",
     "moe.attention $0 weights($1, $2, $3, $4) biases($5, $6, $7) "
     "output_bias $8 qk_norms($9, $a) sequences 2 heads <query = 4, kv = 2, "
     "dim = 4, scale = 0.5> rope <style = half, theta = 100.0, dim = 4>",
     "(tensor<6x5xF>, tensor<5x16xF>, tensor<5x8xF>, tensor<5x8xF>, "
     "tensor<16x5xF>, tensor<16xF>, tensor<8xF>, tensor<8xF>, tensor<5xF>, "
     "tensor<4xF>, tensor<4xF>) -> tensor<6x5xF>"},
    {"attention_whole_norms_interleaved",
     "moe.attention $0 weights($1, $2, $3, $4) qk_norms($5, $6) sequences 1 "
     "heads <query = 4, kv = 2, dim = 6, scale = 0.4, causal = false, "
     "qk_norm_per_head = false, qk_norm_epsilon = 0.01> rope <style = "
     "interleaved, theta = 100.0, dim = 4, factor = 2.0, magnitude = 1.5>",
     "(tensor<4x5xF>, tensor<5x24xF>, tensor<5x12xF>, tensor<5x12xF>, "
     "tensor<24x5xF>, tensor<24xF>, tensor<12xF>) -> tensor<4x5xF>"},
    {"attention_yarn",
     "moe.attention $0 weights($1, $2, $3, $4) sequences 1 heads <query = 2, "
     "kv = 1, dim = 8, scale = 0.3> rope <style = half, theta = 10000.0, dim "
     "= 8, factor = 4.0, yarn_original_length = 64, yarn_beta_fast = 8.0, "
     "magnitude = 0.9>",
     "(tensor<7x5xF>, tensor<5x16xF>, tensor<5x8xF>, tensor<5x8xF>, "
     "tensor<16x5xF>) -> tensor<7x5xF>"},
    {"latent",
     "moe.latent_attention $0 weights($1, $2, $3, $4, $5, $6, $7) sequences 2 "
     "heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value "
     "= 3, scale = 0.4> rope <style = interleaved, theta = 100.0, dim = 4>",
     "(tensor<6x7xF>, tensor<7x6xF>, tensor<6xF>, tensor<6x12xF>, "
     "tensor<7x9xF>, tensor<5xF>, tensor<5x10xF>, tensor<6x7xF>) -> "
     "tensor<6x7xF>"},
    {"latent_full_queries",
     "moe.latent_attention $0 weights($1, $2, $3, $4, $5) sequences 1 heads "
     "<query = 3, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4, "
     "causal = false> rope <style = half, theta = 100.0, dim = 2>",
     "(tensor<4x7xF>, tensor<7x18xF>, tensor<7x9xF>, tensor<5xF>, "
     "tensor<5x15xF>, tensor<9x7xF>) -> tensor<4x7xF>"},
    {"latent_without_rope",
     "moe.latent_attention $0 weights($1, $2, $3, $4, $5) sequences 1 heads "
     "<query = 1, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>",
     "(tensor<4x7xF>, tensor<7x6xF>, tensor<7x9xF>, tensor<5xF>, "
     "tensor<5x5xF>, tensor<3x7xF>) -> tensor<4x7xF>"},
    {"ffn_swiglu", "moe.ffn $0 weights($1, $2, $3) <activation = swiglu>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<4x6xF>, tensor<6x4xF>) -> "
     "tensor<5x4xF>"},
    {"ffn_geglu_gated",
     "moe.ffn shared $0 weights($1, $2, $3) output_gate $4 <activation = "
     "geglu>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<4x6xF>, tensor<6x4xF>, "
     "tensor<4x1xF>) -> tensor<5x4xF>"},
    {"ffn_clamped",
     "moe.ffn $0 weights($1, $2, $3) biases($4, $5, $6) <activation = "
     "clamped_swiglu, limit = 0.3, alpha = 1.5>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<4x6xF>, tensor<6x4xF>, "
     "tensor<6xF>, tensor<6xF>, tensor<4xF>) -> tensor<5x4xF>"},
    {"ffn_gelu",
     "moe.ffn $0 weights($1, $2) biases($3, $4) <activation = gelu>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<6x4xF>, tensor<6xF>, tensor<4xF>) "
     "-> tensor<5x4xF>"},
    {"ffn_gelu_tanh", "moe.ffn $0 weights($1, $2) <activation = gelu_tanh>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<6x4xF>) -> tensor<5x4xF>"},
    {"ffn_relu", "moe.ffn $0 weights($1, $2) <activation = relu>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<6x4xF>) -> tensor<5x4xF>"},
    {"ffn_silu", "moe.ffn $0 weights($1, $2) <activation = silu>",
     "(tensor<5x4xF>, tensor<4x6xF>, tensor<6x4xF>) -> tensor<5x4xF>"},
    {"route_softmax", "moe.route $0 <k = 2, score = softmax> layer 0",
     "(tensor<9x5xF>) -> !moe.routing<9x2 of 5, F>"},
    {"route_softmax_renormalized",
     "moe.route $0 padding $1 <k = 3, score = softmax, renormalize = true, "
     "renormalize_epsilon = 0.125, scale = 2.5> layer 0",
     "(tensor<9x5xF>, tensor<9xi1>) -> !moe.routing<9x3 of 5, F>"},
    {"route_after",
     "moe.route $0 selection_bias $1 <k = 3, score = softmax, order = "
     "after_selection> layer 0",
     "(tensor<9x5xF>, tensor<5xF>) -> !moe.routing<9x3 of 5, F>"},
    {"route_sigmoid_after",
     "moe.route $0 <k = 3, score = sigmoid, order = after_selection, "
     "renormalize = true> layer 0",
     "(tensor<9x5xF>) -> !moe.routing<9x3 of 5, F>"},
    {"route_groups",
     "moe.route $0 <k = 3, score = softmax, groups = 4, kept_groups = 2, scale "
     "= 1.5> layer 0",
     "(tensor<9x12xF>) -> !moe.routing<9x3 of 12, F>"},
    {"route_groups_top_two",
     "moe.route $0 selection_bias $1 padding $2 <k = 4, score = sigmoid, "
     "renormalize = true, scale = 2.5, groups = 4, kept_groups = 2, "
     "group_score = top_two_sum> layer 0",
     "(tensor<9x12xF>, tensor<12xF>, tensor<9xi1>) -> !moe.routing<9x4 of 12, "
     "F>"},
    {"dispatch", "moe.dispatch $0 by $1 layer 0",
     "(tensor<7x3xF>, !moe.routing<7x3 of 5, F>) -> (tensor<21x3xF>, "
     "tensor<5xindex>)"},
    {"dispatch_local", "moe.dispatch $0 by $1 layer 0",
     "(tensor<7x3xF>, !moe.routing<7x3 of 2, F, local>) -> (tensor<21x3xF>, "
     "tensor<2xindex>)"},
    {"experts",
     "moe.experts $0 counts $1 weights($2, $3, $4) <activation = swiglu> layer "
     "0",
     "(tensor<9x3xF>, tensor<4xindex>, tensor<4x3x5xF>, tensor<4x3x5xF>, "
     "tensor<4x5x3xF>) -> tensor<9x3xF>"},
    {"experts_biases",
     "moe.experts $0 counts $1 weights($2, $3) biases($4, $5) <activation = "
     "silu> layer 0",
     "(tensor<9x3xF>, tensor<4xindex>, tensor<4x3x5xF>, tensor<4x5x3xF>, "
     "tensor<4x5xF>, tensor<4x3xF>) -> tensor<9x3xF>"},
    {"combine", "moe.combine $0 by $1 layer 0",
     "(tensor<21x3xF>, !moe.routing<7x3 of 5, F>) -> tensor<7x3xF>"},
    {"combine_wider", "moe.combine $0 by $1 layer 0",
     "(tensor<21x3xF>, !moe.routing<7x3 of 5, f32>) -> tensor<7x3xF>"},
};

/// A module with the op as function @f.
std::string moduleOf(const OpCase &opCase, const std::string &element) {
  std::string types =
      absl::StrReplaceAll(opCase.types, {{"xF", absl::StrCat("x", element)},
                                         {", F", absl::StrCat(", ", element)}});
  std::string inputs = types.substr(1, types.find(") ->") - 1);
  std::string results = types.substr(types.find("-> ") + 3);
  std::string arguments, op = opCase.op;
  // Commas inside <> separate parts of a type, not types.
  int depth = 0, number = 0;
  std::string type;
  for (char c : inputs + ",") {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      absl::StrAppend(&arguments, number ? ", " : "", "%", number, ": ", type);
      op = absl::StrReplaceAll(op, {{absl::StrCat("$", absl::Hex(number)),
                                     absl::StrCat("%", number)}});
      ++number;
      type.clear();
    } else {
      type += c;
    }
  }
  bool two = results.front() == '(';
  std::string bare = two ? results.substr(1, results.size() - 2) : results;
  return absl::StrCat("func.func @f(", arguments, ") -> (", bare, ") {\n%r",
                      two ? ":2" : "", " = ", op, " : ", types, "\nreturn ",
                      two ? "%r#0, %r#1" : "%r", " : ", bare, "\n}");
}

/// Numbers in [-1, 1) that do not depend on the system's distributions.
double draw(std::mt19937_64 &random) {
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
}

Value randomRouting(const ValueType &type, std::mt19937_64 &random) {
  Value value = *makeValue(type);
  int64_t slots = type.shape[1];
  for (int64_t token = 0; token < type.shape[0]; ++token) {
    std::vector<int32_t> ids(type.experts);
    std::iota(ids.begin(), ids.end(), 0);
    ids.resize(std::max<int64_t>(slots, type.experts), kPaddingId);
    for (size_t i = ids.size(); i-- > 1;)
      std::swap(ids[i], ids[random() % (i + 1)]);
    for (int64_t slot = 0; slot < slots; ++slot) {
      bool padding = ids[slot] == kPaddingId || random() % 4 == 0;
      value.slots(token)[slot] = padding ? kPaddingId : ids[slot];
      value.row(token)[slot] =
          padding ? 0.0 : 0.25 * static_cast<double>(1 + random() % 8);
    }
  }
  return value;
}

Value randomValue(const ValueType &type, int64_t rows,
                  std::mt19937_64 &random) {
  if (type.kind == ValueType::Kind::Routing)
    return randomRouting(type, random);
  std::vector<double> elements;
  for (int64_t i = 0; i < type.elements(); ++i) {
    if (type.element == ElementType::I1) {
      elements.push_back(random() % 3 == 0);
    } else if (type.element == ElementType::Index) {
      // Counts: some zero, and some rows left over.
      auto count = static_cast<int64_t>(random() % 4);
      count = std::min(count, rows);
      rows -= count;
      elements.push_back(static_cast<double>(count));
    } else {
      elements.push_back(draw(random));
    }
  }
  return tensor(type.shape, elements, type.element);
}

double toleranceOf(ElementType element) {
  switch (element) {
  case ElementType::F64:
    return 1e-12;
  case ElementType::F32:
    return 1e-5;
  case ElementType::F16:
    return 2e-3;
  default:
    return 1.6e-2;
  }
}

TEST_P(OracleKernelsTest, AgreesWithTheKernel) {
  auto [opCase, element] = GetParam();
  auto module = parse(moduleOf(opCase, element));
  ASSERT_TRUE(module);
  KernelStep step;
  module->walk([&](moe::KernelOpInterface op) {
    step = op.getKernel();
    for (mlir::Type type : op->getResultTypes())
      step.resultTypes.push_back(*moe::getValueType(op.getLoc(), type));
  });
  auto compiled = CompiledFunction::compile(*module, "f");
  ASSERT_TRUE(compiled.ok()) << compiled.status();

  std::mt19937_64 random(1);
  for (int run = 0; run < 5; ++run) {
    std::vector<Value> inputs;
    std::vector<const Value *> operands;
    for (const ValueType &type : compiled->argumentTypes()) {
      step.inputs.push_back(static_cast<int32_t>(inputs.size()));
      inputs.push_back(
          randomValue(type, compiled->argumentTypes().front().rows(), random));
    }
    for (const Value &input : inputs)
      operands.push_back(&input);
    auto expected = evaluateKernel(step, operands);
    ASSERT_TRUE(expected.ok()) << expected.status();
    auto found = compiled->run(inputs);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i) {
      const Value &one = (*found)[i], &other = (*expected)[i];
      EXPECT_EQ(one.type.shape, other.type.shape);
      EXPECT_EQ(one.ids, other.ids);
      ASSERT_EQ(one.elements.size(), other.elements.size());
      double tolerance = toleranceOf(one.type.element);
      for (size_t j = 0; j < one.elements.size(); ++j)
        ASSERT_NEAR(one.elements[j], other.elements[j],
                    tolerance * (1 + std::abs(other.elements[j])))
            << "result " << i << " element " << j;
    }
    step.inputs.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(AllOps, OracleKernelsTest,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values("f64", "f32", "f16",
                                                          "bf16")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  "_" + std::get<1>(info.param);
                         });

} // namespace

//===- KernelChecks.cpp - Operands of one kernel step ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel is described by the named dimensions of its operands and results.
// A dimension gets its size from the operand that mentions it first, or from
// the kernel's parameters; every later mention must agree.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace mozart;

const char *mozart::kernelName(KernelKind kind) {
  switch (kind) {
  case KernelKind::Norm:
    return "norm";
  case KernelKind::Add:
    return "add";
  case KernelKind::Linear:
    return "linear";
  case KernelKind::Attention:
    return "attention";
  case KernelKind::LatentAttention:
    return "latent_attention";
  case KernelKind::Router:
    return "router";
  case KernelKind::Route:
    return "route";
  case KernelKind::Dispatch:
    return "dispatch";
  case KernelKind::Experts:
    return "experts";
  case KernelKind::Combine:
    return "combine";
  case KernelKind::Ffn:
    return "ffn";
  case KernelKind::Custom:
    return "custom";
  }
  return "unknown";
}

static const char *elementName(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  case ElementType::I1:
    return "i1";
  case ElementType::I32:
    return "i32";
  case ElementType::Index:
    return "index";
  }
  return "unknown";
}

std::string mozart::describeType(const ValueType &type) {
  if (type.kind == ValueType::Kind::Routing)
    return absl::StrCat(type.local ? "local routing<" : "routing<",
                        absl::StrJoin(type.shape, "x"), " of ", type.experts,
                        " x ", elementName(type.element), ">");
  return absl::StrCat("tensor<", absl::StrJoin(type.shape, "x"),
                      type.shape.empty() ? "" : "x", elementName(type.element),
                      ">");
}

namespace {

/// What an operand's elements are.
enum class Content { Floats, Counts, Mask, Routing };

/// An operand or result: name for messages, content, named dimensions.
struct Slot {
  const char *name;
  Content content;
  std::vector<std::string> dims;
};

struct Signature {
  std::vector<Slot> inputs, results;
};

} // namespace

static bool isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ||
         type == ElementType::F32 || type == ElementType::F64;
}

static const char *contentName(Content content) {
  switch (content) {
  case Content::Floats:
    return "floats";
  case Content::Counts:
    return "index";
  case Content::Mask:
    return "i1";
  case Content::Routing:
    return "a routing";
  }
  return "unknown";
}

namespace {

class StepChecker {
public:
  StepChecker(const KernelStep &step, absl::Span<const ValueType> inputs)
      : step(step), inputs(inputs) {}

  absl::Status run() {
    if (step.kind == KernelKind::Custom)
      return custom();
    Signature signature = describe();
    if (!error.ok())
      return error;
    check("operand", signature.inputs, inputs);
    if (error.ok())
      check("result", signature.results, step.resultTypes);
    if (error.ok())
      relations();
    return error;
  }

private:
  const KernelStep &step;
  absl::Span<const ValueType> inputs;
  std::map<std::string, int64_t> sizes;
  absl::Status error;

  void fail(absl::string_view what) {
    if (error.ok())
      error = absl::InvalidArgumentError(
          absl::StrCat("kernel '", kernelName(step.kind), "': ", what));
  }

  void require(bool holds, absl::string_view what) {
    if (!holds)
      fail(what);
  }

  void positive(const char *name, int64_t value) {
    if (value <= 0)
      fail(absl::StrCat(name, " is ", value, "; expected a positive number"));
  }

  /// Names a size that the parameters fix: the product of `factors`.
  void fix(const char *name, std::initializer_list<int64_t> factors) {
    int64_t product = 1;
    for (int64_t factor : factors)
      if (__builtin_mul_overflow(product, factor, &product))
        return fail(absl::StrCat(name, " passes 2^63"));
    sizes[name] = product;
  }

  void fixSum(const char *name, int64_t factor,
              std::initializer_list<int64_t> terms) {
    int64_t sum = 0;
    for (int64_t term : terms)
      if (__builtin_add_overflow(sum, term, &sum))
        return fail(absl::StrCat(name, " passes 2^63"));
    fix(name, {factor, sum});
  }

  absl::Status custom() {
    require(!step.custom.name.empty(), "has no name; expected the name of a "
                                       "registered kernel");
    require(step.custom.flopsPerRow >= 0 && step.custom.bytesPerRow >= 0,
            "has a negative cost a row; expected zero or more");
    require(!inputs.empty(), "has no operand; expected at least one, whose "
                             "rows it works on");
    return error;
  }

  static Slot floats(const char *name, std::vector<std::string> dims) {
    return {name, Content::Floats, std::move(dims)};
  }

  Signature describe() {
    switch (step.kind) {
    case KernelKind::Norm:
      return norm();
    case KernelKind::Add:
      return add();
    case KernelKind::Linear:
      return withBias({{floats("x", {"T", "H"}), floats("w", {"H", "N"})},
                       {floats("y", {"T", "N"})}},
                      {"N"});
    case KernelKind::Router:
      return withBias({{floats("x", {"T", "H"}), floats("w", {"H", "E"})},
                       {floats("logits", {"T", "E"})}},
                      {"E"});
    case KernelKind::Attention:
      return attention();
    case KernelKind::LatentAttention:
      return latentAttention();
    case KernelKind::Route:
      return route();
    case KernelKind::Dispatch:
      return {{floats("x", {"T", "H"}),
               {"routing", Content::Routing, {"T", "k", "E"}}},
              {floats("rows", {"R", "H"}), {"counts", Content::Counts, {"E"}}}};
    case KernelKind::Experts:
      return experts();
    case KernelKind::Combine:
      return {{floats("rows", {"R", "H"}),
               {"routing", Content::Routing, {"T", "k", "E"}}},
              {floats("y", {"T", "H"})}};
    case KernelKind::Ffn:
      return ffn();
    case KernelKind::Custom:
      break;
    }
    fail("is not a kernel");
    return {};
  }

  Signature withBias(Signature signature, std::vector<std::string> dims) {
    if (inputs.size() > signature.inputs.size())
      signature.inputs.push_back(floats("bias", std::move(dims)));
    return signature;
  }

  Signature norm() {
    return withBias({{floats("x", {"T", "H"}), floats("weight", {"H"})},
                     {floats("y", {"T", "H"})}},
                    {"H"});
  }

  /// Any rank, all the same.
  Signature add() {
    std::vector<std::string> dims;
    size_t rank = inputs.empty() ? 0 : inputs[0].shape.size();
    dims.reserve(rank);
    for (size_t i = 0; i < rank; ++i)
      dims.push_back(absl::StrCat("d", i));
    return {{floats("a", dims), floats("b", dims)}, {floats("sum", dims)}};
  }

  Signature attention() {
    const AttentionParams &p = step.attention;
    positive("sequences", p.sequences);
    positive("heads", p.heads);
    positive("kv heads", p.kvHeads);
    positive("head size", p.headDim);
    if (!error.ok())
      return {};
    require(p.heads % p.kvHeads == 0,
            absl::StrCat(p.heads, " heads are not a multiple of ", p.kvHeads,
                         " kv heads"));
    fix("Q", {p.heads, p.headDim});
    fix("KV", {p.kvHeads, p.headDim});
    Signature s{{floats("x", {"T", "H"}), floats("wq", {"H", "Q"}),
                 floats("wk", {"H", "KV"}), floats("wv", {"H", "KV"}),
                 floats("wo", {"Q", "H"})},
                {floats("y", {"T", "H"})}};
    if (p.hasBias) {
      s.inputs.push_back(floats("bq", {"Q"}));
      s.inputs.push_back(floats("bk", {"KV"}));
      s.inputs.push_back(floats("bv", {"KV"}));
    }
    if (p.hasOutputBias)
      s.inputs.push_back(floats("bo", {"H"}));
    if (p.hasQkNorm) {
      fix("D", {p.headDim});
      s.inputs.push_back(floats("q norm", {p.qkNormPerHead ? "D" : "Q"}));
      s.inputs.push_back(floats("k norm", {p.qkNormPerHead ? "D" : "KV"}));
    }
    return s;
  }

  Signature latentAttention() {
    const LatentAttentionParams &p = step.latent;
    positive("sequences", p.sequences);
    positive("heads", p.heads);
    positive("kv rank", p.kvRank);
    positive("nope size", p.nopeDim);
    positive("value size", p.valueDim);
    require(p.qRank >= 0 && p.ropeDim >= 0,
            "has a negative rank or size; expected zero or more");
    if (!error.ok())
      return {};
    fixSum("Q", p.heads, {p.nopeDim, p.ropeDim});
    fixSum("KVR", 1, {p.kvRank, p.ropeDim});
    fixSum("KV", p.heads, {p.nopeDim, p.valueDim});
    fix("V", {p.heads, p.valueDim});
    fix("RQ", {p.qRank});
    fix("RKV", {p.kvRank});
    Signature s{{floats("x", {"T", "H"})}, {floats("y", {"T", "H"})}};
    if (p.qRank > 0) {
      s.inputs.push_back(floats("q_a", {"H", "RQ"}));
      s.inputs.push_back(floats("q_a_norm", {"RQ"}));
      s.inputs.push_back(floats("q_b", {"RQ", "Q"}));
    } else {
      s.inputs.push_back(floats("q", {"H", "Q"}));
    }
    s.inputs.push_back(floats("kv_a", {"H", "KVR"}));
    s.inputs.push_back(floats("kv_a_norm", {"RKV"}));
    s.inputs.push_back(floats("kv_b", {"RKV", "KV"}));
    s.inputs.push_back(floats("wo", {"V", "H"}));
    return s;
  }

  Signature route() {
    positive("k", step.route.k);
    positive("groups", step.route.groups);
    fix("k", {step.route.k});
    Signature s{{floats("logits", {"T", "E"})},
                {{"routing", Content::Routing, {"T", "k", "E"}}}};
    if (step.route.hasSelectionBias)
      s.inputs.push_back(floats("selection bias", {"E"}));
    if (step.route.hasPadding)
      s.inputs.push_back({"padding", Content::Mask, {"T"}});
    return s;
  }

  static bool isGated(ActivationKind kind) {
    return kind == ActivationKind::Swiglu || kind == ActivationKind::Geglu ||
           kind == ActivationKind::ClampedSwiglu;
  }

  /// The weights of an FFN, stacked over `lead` (empty: one FFN).
  void addFfnWeights(Signature &s, const std::vector<std::string> &lead) {
    auto dims = [&](std::vector<std::string> tail) {
      std::vector<std::string> all = lead;
      all.insert(all.end(), tail.begin(), tail.end());
      return all;
    };
    bool gated = isGated(step.ffn.activation);
    if (gated)
      s.inputs.push_back(floats("gate", dims({"H", "F"})));
    s.inputs.push_back(floats("up", dims({"H", "F"})));
    s.inputs.push_back(floats("down", dims({"F", "H"})));
    if (!step.ffn.hasBias)
      return;
    if (gated)
      s.inputs.push_back(floats("gate bias", dims({"F"})));
    s.inputs.push_back(floats("up bias", dims({"F"})));
    s.inputs.push_back(floats("down bias", dims({"H"})));
  }

  Signature experts() {
    require(!step.ffn.hasOutputGate,
            "has an output gate; only 'ffn' may have one");
    Signature s{
        {floats("rows", {"R", "H"}), {"counts", Content::Counts, {"E"}}},
        {floats("rows", {"R", "H"})}};
    addFfnWeights(s, {"E"});
    return s;
  }

  Signature ffn() {
    fix("1", {1});
    Signature s{{floats("x", {"T", "H"})}, {floats("y", {"T", "H"})}};
    addFfnWeights(s, {});
    if (step.ffn.hasOutputGate)
      s.inputs.push_back(floats("gate weight", {"H", "1"}));
    return s;
  }

  void check(const char *what, const std::vector<Slot> &slots,
             absl::Span<const ValueType> types) {
    if (slots.size() != types.size()) {
      std::vector<std::string> names;
      names.reserve(slots.size());
      for (const Slot &slot : slots)
        names.push_back(slot.name);
      return fail(absl::StrCat(types.size(), " ", what, "s; expected ",
                               slots.size(), " (", absl::StrJoin(names, ", "),
                               ")"));
    }
    for (size_t i = 0; i < slots.size() && error.ok(); ++i)
      checkSlot(absl::StrCat(what, " ", i, " (", slots[i].name, ")"), slots[i],
                types[i]);
  }

  void checkSlot(const std::string &where, const Slot &slot,
                 const ValueType &type) {
    bool routing = type.kind == ValueType::Kind::Routing;
    bool matches =
        slot.content == Content::Routing  ? routing
        : routing                         ? false
        : slot.content == Content::Counts ? type.element == ElementType::Index
        : slot.content == Content::Mask   ? type.element == ElementType::I1
                                          : isFloat(type.element);
    if (!matches)
      return fail(absl::StrCat(where, " is ", describeType(type), "; expected ",
                               contentName(slot.content)));
    std::vector<int64_t> found = type.shape;
    if (routing)
      found.push_back(type.experts);
    bool fits = found.size() == slot.dims.size();
    for (size_t i = 0; fits && i < found.size(); ++i)
      fits =
          sizes.try_emplace(slot.dims[i], found[i]).first->second == found[i];
    if (fits)
      return;
    std::vector<std::string> expected;
    for (const std::string &dim : slot.dims) {
      auto it = sizes.find(dim);
      expected.push_back(it == sizes.end() || dim == "1"
                             ? dim
                             : absl::StrCat(dim, "=", it->second));
    }
    fail(absl::StrCat(where, " is ", describeType(type), "; expected [",
                      absl::StrJoin(expected, ", "), "]"));
  }

  /// What shapes alone do not say.
  void relations() {
    switch (step.kind) {
    case KernelKind::Attention:
      return wholeSequences(step.attention.sequences);
    case KernelKind::LatentAttention:
      return wholeSequences(step.latent.sequences);
    case KernelKind::Route:
      return routeRelations();
    default:
      return;
    }
  }

  void wholeSequences(int64_t sequences) {
    if (sizes["T"] % sequences != 0)
      fail(absl::StrCat(sizes["T"], " rows are not ", sequences,
                        " sequences of equal length"));
  }

  void routeRelations() {
    const RouteParams &p = step.route;
    int64_t experts = sizes["E"];
    require(p.k <= experts,
            absl::StrCat("k is ", p.k, "; expected at most the ", experts,
                         " experts"));
    require(experts % p.groups == 0,
            absl::StrCat(experts, " experts are not a multiple of ", p.groups,
                         " groups"));
    require(p.keptGroups >= 1 && p.keptGroups <= p.groups,
            absl::StrCat("keeps ", p.keptGroups, " groups of ", p.groups,
                         "; expected between 1 and all"));
    if (error.ok())
      require(p.k <= experts / p.groups * p.keptGroups,
              absl::StrCat("k is ", p.k, "; the kept groups hold only ",
                           experts / p.groups * p.keptGroups, " experts"));
    require(!step.resultTypes[0].local,
            "yields a local routing; expected one of global ids");
  }
};

} // namespace

absl::Status mozart::verifyStep(const KernelStep &step,
                                absl::Span<const ValueType> inputs) {
  return StepChecker(step, inputs).run();
}

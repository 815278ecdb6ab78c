//===- RandomModel.cpp - Small models, machines and inputs at random ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomModel.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>

using namespace mozart;
using namespace mozart::test;

double Dice::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += static_cast<double>(engine() >> 11) * 0x1p-53;
  return sum;
}

namespace {

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

std::string chiplet(const std::string &name, const std::string &hosts) {
  return absl::StrCat(
      "  wafer.chiplet @", name, " hosts ", hosts,
      " sram_bytes 262144 <tiles = 1, arrays_per_tile = 1, array_rows = 4, "
      "array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = "
      "32000000000>\n");
}

std::string bothWays(const std::string &a, const std::string &b) {
  const char *wires = " <wires = 8, wire_bytes_per_second = 125000000>\n";
  return absl::StrCat("  wafer.link @", a, " -> @", b, wires, "  wafer.link @",
                      b, " -> @", a, wires);
}

/// A tree of the given depth with `chiplets` expert chiplets, of which
/// `firstChiplet` becomes the first node. Every chiplet has a memory on its way
/// to the root.
std::string randomMachine(Dice &dice, int64_t depth, int64_t chiplets,
                          int64_t &firstChiplet) {
  std::string nodes = chiplet("root", "attention"), links, memories;
  const char *storage =
      " <bytes = 1048576, read_bytes_per_second = 256000000000, "
      "write_bytes_per_second = 256000000000>\n";
  memories = absl::StrCat("  wafer.memory @root_dram on @root", storage);
  std::vector<std::string> open = {"root"};
  for (int64_t level = 1; level < depth; ++level) {
    std::vector<std::string> next;
    int64_t count = dice.roll(level == 1 ? 1 : 2, 3);
    for (int64_t i = 0; i < count; ++i) {
      std::string name = absl::StrCat("s", level, "_", i);
      nodes += absl::StrCat(
          "  wafer.switch @", name,
          " <buffer_bytes = 4096, multicast_bytes_per_second = 2000000000, "
          "reduce_bytes_per_second = 2000000000>\n");
      links += bothWays(open[dice.roll(0, open.size() - 1)], name);
      if (level == 1)
        memories +=
            absl::StrCat("  wafer.memory @", name, "_dram on @", name, storage);
      next.push_back(name);
    }
    open = next;
  }
  firstChiplet = std::count(nodes.begin(), nodes.end(), '\n');
  for (int64_t i = 0; i < chiplets; ++i) {
    std::string name = absl::StrCat("c", i);
    nodes += chiplet(name, "experts");
    links += bothWays(open[i % open.size()], name);
  }
  return absl::StrCat("wafer.machine @m tree {\n", nodes, memories, links,
                      "}\n");
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

class Maker {
public:
  explicit Maker(uint64_t seed) : dice(seed) {}

  RandomModel make() {
    model.microBatches = dice.roll(1, 2);
    sequences = dice.roll(1, 2);
    model.tokens = sequences * dice.roll(2, 3);
    model.hidden = 2 * dice.roll(2, 4);
    model.inner = dice.roll(2, 5);
    model.experts = dice.roll(3, 8);
    chooseGate();
    chooseMachine();
    emitBody();
    choosePipeline();
    finish();
    return std::move(model);
  }

private:
  static ValueType tensor(std::vector<int64_t> shape,
                          ElementType element = ElementType::F64) {
    ValueType type;
    type.element = element;
    type.shape = std::move(shape);
    return type;
  }

  static std::string spell(const ValueType &type) {
    const char *element = type.element == ElementType::I1 ? "i1" : "f64";
    return absl::StrCat("tensor<", absl::StrJoin(type.shape, "x"), "x", element,
                        ">");
  }

  void feature(const std::string &name) { model.features.push_back(name); }

  /// Adds an argument filled with normal numbers of the given spread.
  std::string argument(ValueType type, bool param, double spread) {
    RandomArgument argument;
    argument.type = type;
    argument.param = param;
    int64_t copies = param ? 1 : model.microBatches;
    for (int64_t copy = 0; copy < copies; ++copy) {
      Value value = *makeValue(type);
      for (double &element : value.elements)
        element = spread * dice.normal();
      argument.copies.push_back(std::move(value));
    }
    model.arguments.push_back(std::move(argument));
    return absl::StrCat("%a", model.arguments.size() - 1);
  }

  std::string weight(std::vector<int64_t> shape) {
    double spread = 1 / std::sqrt(static_cast<double>(
                            shape.size() > 1 ? shape[shape.size() - 2] : 4));
    return argument(tensor(std::move(shape)), true, spread);
  }

  std::string types(const std::vector<std::string> &names) const {
    return absl::StrJoin(names, ", ", [&](std::string *out, std::string name) {
      absl::StrAppend(out,
                      spell(model.arguments[std::stoi(name.substr(2))].type));
    });
  }

  void chooseGate() {
    model.k = dice.roll(1, std::min<int64_t>(4, model.experts));
    model.sigmoid = dice.chance(40);
    model.afterSelection = dice.chance(25);
    renormalize = dice.chance(50);
    bias = dice.chance(40);
    padding = dice.chance(30);
    if (!model.afterSelection && model.experts % 2 == 0 && dice.chance(60)) {
      model.groups = model.experts / 2;
      int64_t least = (model.k + 1) / 2;
      model.keptGroups = dice.roll(least, model.groups);
      model.topTwoSum = dice.chance(50);
    }
    feature(model.sigmoid ? "score sigmoid" : "score softmax");
    feature(model.afterSelection ? "score after selection"
                                 : "score before selection");
    if (renormalize)
      feature("renormalize");
    if (bias)
      feature("selection bias");
    if (padding)
      feature("padding");
    if (model.groups > 1)
      feature("groups");
  }

  void chooseMachine() {
    int64_t depth = dice.roll(1, 3);
    chiplets = dice.roll(2, std::min<int64_t>(4, model.experts));
    machine = randomMachine(dice, depth, chiplets, firstChiplet);
    feature(absl::StrCat("tree depth ", depth));
    feature(model.experts % chiplets ? "uneven experts" : "even experts");
    if (dice.chance(30))
      placeReplicas();
  }

  /// The model comes placed, with some experts on several chiplets.
  void placeReplicas() {
    std::vector<std::string> entries;
    for (int64_t expert = 0; expert < model.experts; ++expert) {
      std::vector<int64_t> nodes;
      int64_t sure = dice.roll(0, chiplets - 1);
      for (int64_t i = 0; i < chiplets; ++i)
        if (i == sure || dice.chance(expert == 0 ? 60 : 25))
          nodes.push_back(firstChiplet + i);
      if (expert == 0 && nodes.size() == 1)
        nodes = {firstChiplet, firstChiplet + 1};
      entries.push_back(absl::StrCat("[", absl::StrJoin(nodes, ", "), "]"));
    }
    placed = absl::StrCat(" placed <@m, [", absl::StrJoin(entries, ", "), "]>");
    feature("replicas");
  }

  std::string rowsType() const {
    return absl::StrCat("tensor<", model.tokens, "x", model.hidden, "xf64>");
  }

  /// Attention in front, in half of the models.
  std::string emitAttention(std::string x) {
    if (!dice.chance(50))
      return x;
    int64_t kv = dice.roll(1, 2), dim = 2 * dice.roll(1, 2);
    int64_t query = kv * dice.roll(1, 2), h = model.hidden;
    std::vector<std::string> w = {weight({h, query * dim}),
                                  weight({h, kv * dim}), weight({h, kv * dim}),
                                  weight({query * dim, h})};
    std::vector<std::string> all = w;
    std::string extra;
    if (dice.chance(30)) {
      std::vector<std::string> b = {weight({query * dim}), weight({kv * dim}),
                                    weight({kv * dim})};
      extra += absl::StrCat(" biases(", absl::StrJoin(b, ", "), ")");
      all.insert(all.end(), b.begin(), b.end());
    }
    if (dice.chance(30)) {
      std::vector<std::string> n = {weight({dim}), weight({dim})};
      extra += absl::StrCat(" qk_norms(", absl::StrJoin(n, ", "), ")");
      all.insert(all.end(), n.begin(), n.end());
    }
    std::string rope;
    if (dice.chance(60))
      rope = absl::StrCat(
          " rope <style = ", dice.chance(50) ? "half" : "interleaved",
          ", theta = 10000.0, dim = ", dim, ">");
    body += absl::StrCat(
        "  %att = moe.attention ", x, " weights(", absl::StrJoin(w, ", "), ")",
        extra, " sequences ", sequences, " heads <query = ", query,
        ", kv = ", kv, ", dim = ", dim,
        ", scale = 0.5, causal = ", dice.chance(80) ? "true" : "false", ">",
        rope, " : (", rowsType(), ", ", types(all), ") -> ", rowsType(),
        "\n  %x1 = moe.add ", x, ", %att : ", rowsType(), "\n");
    feature("attention");
    return "%x1";
  }

  std::string emitRouter(const std::string &h) {
    std::string w = weight({model.hidden, model.experts});
    for (double &element : model.arguments.back().copies[0].elements)
      element *= 2;
    std::string biasOperand, biasType;
    if (dice.chance(20)) {
      biasOperand = " bias " + weight({model.experts});
      biasType = absl::StrCat(", tensor<", model.experts, "xf64>");
      // An expert that no token chooses, as long as others are left.
      if (model.groups == 1 && model.k < model.experts) {
        model.idleExpert = dice.roll(0, model.experts - 1);
        model.arguments.back().copies[0].elements[model.idleExpert] = -500;
      }
    }
    std::string logits =
        absl::StrCat("tensor<", model.tokens, "x", model.experts, "xf64>");
    body +=
        absl::StrCat("  %logits = moe.router ", h, ", ", w, biasOperand, " : (",
                     rowsType(), ", tensor<", model.hidden, "x", model.experts,
                     "xf64>", biasType, ") -> ", logits, "\n");
    return logits;
  }

  void emitRoute(const std::string &logits) {
    std::string operands = "%logits", typeList = logits;
    if (bias) {
      operands += " selection_bias " + weight({model.experts});
      model.biasArgument = model.arguments.size() - 1;
      typeList += absl::StrCat(", tensor<", model.experts, "xf64>");
    }
    if (padding) {
      ValueType mask = tensor({model.tokens}, ElementType::I1);
      operands += " padding " + argument(mask, false, 0);
      model.paddingArgument = model.arguments.size() - 1;
      for (Value &copy : model.arguments.back().copies)
        for (double &element : copy.elements)
          element = dice.chance(40) ? 1 : 0;
      typeList += absl::StrCat(", ", spell(mask));
    }
    routing = absl::StrCat("!moe.routing<", model.tokens, "x", model.k, " of ",
                           model.experts, ", f64>");
    body += absl::StrCat(
        "  %r = moe.route ", operands, " <k = ", model.k,
        ", score = ", model.sigmoid ? "sigmoid" : "softmax", ", order = ",
        model.afterSelection ? "after_selection" : "before_selection",
        ", renormalize = ", renormalize ? "true" : "false",
        ", scale = ", dice.chance(30) ? "2.5" : "1.0",
        ", groups = ", model.groups, ", kept_groups = ", model.keptGroups,
        ", group_score = ", model.topTwoSum ? "top_two_sum" : "max",
        "> layer 0", placed, " : (", typeList, ") -> ", routing, "\n");
  }

  void emitExperts(const std::string &h) {
    static const char *const kKinds[] = {"swiglu", "geglu", "clamped_swiglu",
                                         "gelu",   "relu",  "silu"};
    int64_t kind = dice.roll(0, 5);
    bool gated = kind < 3, biased = dice.chance(25);
    int64_t e = model.experts, hd = model.hidden, f = model.inner;
    std::vector<std::string> w;
    for (int i = 0; i < (gated ? 2 : 1); ++i)
      w.push_back(weight({e, hd, f}));
    w.push_back(weight({e, f, hd}));
    std::vector<std::string> all = w, b;
    if (biased) {
      for (int i = 0; i < (gated ? 2 : 1); ++i)
        b.push_back(weight({e, f}));
      b.push_back(weight({e, hd}));
      all.insert(all.end(), b.begin(), b.end());
    }
    std::string rows =
        absl::StrCat("tensor<", model.tokens * model.k, "x", hd, "xf64>");
    std::string counts = absl::StrCat("tensor<", e, "xindex>");
    body += absl::StrCat(
        "  %rows, %counts = moe.dispatch ", h, " by %r layer 0", placed, " : (",
        rowsType(), ", ", routing, ") -> (", rows, ", ", counts, ")\n",
        "  %out = moe.experts %rows counts %counts weights(",
        absl::StrJoin(w, ", "), ")",
        biased ? absl::StrCat(" biases(", absl::StrJoin(b, ", "), ")") : "",
        " <activation = ", kKinds[kind], "> layer 0", placed, " : (", rows,
        ", ", counts, ", ", types(all), ") -> ", rows, "\n",
        "  %y = moe.combine %out by %r layer 0", placed, " : (", rows, ", ",
        routing, ") -> ", rowsType(), "\n");
  }

  std::string emitShared(const std::string &h, const std::string &y) {
    if (!dice.chance(30))
      return y;
    std::vector<std::string> w = {weight({model.hidden, model.inner}),
                                  weight({model.hidden, model.inner}),
                                  weight({model.inner, model.hidden})};
    std::vector<std::string> all = w;
    std::string gate;
    if (dice.chance(50)) {
      all.push_back(weight({model.hidden, 1}));
      gate = " output_gate " + all.back();
    }
    body += absl::StrCat("  %s = moe.ffn shared ", h, " weights(",
                         absl::StrJoin(w, ", "), ")", gate,
                         " <activation = swiglu> : (", rowsType(), ", ",
                         types(all), ") -> ", rowsType(), "\n",
                         "  %ys = moe.add ", y, ", %s : ", rowsType(), "\n");
    feature("shared expert");
    return "%ys";
  }

  void emitBody() {
    std::string x = argument(tensor({model.tokens, model.hidden}), false, 1.0);
    std::string x1 = emitAttention(x);
    std::string norm = weight({model.hidden});
    body += absl::StrCat("  %h = moe.norm rms ", x1, ", ", norm,
                         " epsilon 1.0e-6 : (", rowsType(), ", tensor<",
                         model.hidden, "xf64>) -> ", rowsType(), "\n");
    logitsType = emitRouter("%h");
    emitRoute(logitsType);
    emitExperts("%h");
    std::string y = emitShared("%h", "%y");
    body += absl::StrCat("  %z = moe.add ", x1, ", ", y, " : ", rowsType(),
                         "\n", "  return %z, %logits : ", rowsType(), ", ",
                         logitsType, "\n");
  }

  void choosePipeline() {
    static const char *const kForms[] = {
        "", "nop-deduplicate,", "nop-deduplicate,nop-multicast-in-switch,",
        "nop-deduplicate,nop-reduce-in-switch,",
        "nop-deduplicate,nop-multicast-in-switch,nop-reduce-in-switch,"};
    static const char *const kFormNames[] = {
        "pairs", "tokens", "multicast in switch", "reduce in switch",
        "both in switch"};
    int64_t form = dice.roll(0, 4);
    feature(absl::StrCat("dispatch form ", kFormNames[form]));
    bool overlap = dice.chance(50);
    feature(overlap ? "schedule overlap" : "schedule serial");
    std::vector<int64_t> divisors;
    for (int64_t n = 1; n <= model.tokens; ++n)
      if (model.tokens % n == 0)
        divisors.push_back(n);
    int64_t slices = divisors[dice.roll(0, divisors.size() - 1)];
    feature(slices > 1 ? "token slices" : "one slice");
    std::string place =
        absl::StrCat("mozart-verify-model,moe-place-experts{algorithm=",
                     dice.chance(50) ? "contiguous" : "random",
                     " seed=", dice.roll(0, 1000), "},");
    model.pipeline = absl::StrCat(
        "builtin.module(", placed.empty() ? place : "",
        "mozart-verify-placed,convert-moe-to-nop,", kForms[form],
        "mozart-verify-routed,convert-nop-to-chiplet{slices=", slices,
        " weight-copies=", overlap ? 2 : 1,
        "},chiplet.program(mozart-verify-program,",
        overlap ? "chiplet-schedule-overlap" : "chiplet-schedule-serial",
        ",chiplet-allocate-buffers,mozart-verify-scheduled))");
  }

  void finish() {
    std::vector<std::string> signature;
    for (size_t i = 0; i < model.arguments.size(); ++i)
      signature.push_back(
          absl::StrCat("%a", i, ": ", spell(model.arguments[i].type),
                       model.arguments[i].param ? " {moe.param}" : ""));
    model.module = absl::StrCat(
        machine, "func.func @forward(", absl::StrJoin(signature, ", "),
        ") -> (", rowsType(), ", ", logitsType,
        ") attributes {moe.model = #moe.model<name "
        "= \"random\", sequences = ",
        sequences, ", sequence_length = ", model.tokens / sequences,
        ", micro_batches = ", model.microBatches, ">} {\n", body, "}\n");
  }

  Dice dice;
  RandomModel model;
  int64_t sequences = 1, chiplets = 2;
  bool renormalize = false, bias = false, padding = false;
  int64_t firstChiplet = 0;
  std::string machine, placed, body, routing, logitsType;
};

} // namespace

RandomModel test::makeRandomModel(uint64_t seed) { return Maker(seed).make(); }

//===----------------------------------------------------------------------===//
// Distance from a tie
//===----------------------------------------------------------------------===//

/// What the selection ranks: scores plus bias, or logits plus bias where scores
/// are taken after it.
static std::vector<double> choices(const RandomModel &model,
                                   const double *logits) {
  std::vector<double> result(logits, logits + model.experts);
  if (!model.afterSelection) {
    double top = *std::max_element(result.begin(), result.end()), sum = 0;
    for (double &value : result) {
      value =
          model.sigmoid ? 1 / (1 + std::exp(-value)) : std::exp(value - top);
      sum += value;
    }
    if (!model.sigmoid)
      for (double &value : result)
        value /= sum;
  }
  if (model.biasArgument >= 0)
    for (int64_t e = 0; e < model.experts; ++e)
      result[e] += model.arguments[model.biasArgument].copies[0].elements[e];
  return result;
}

/// Smallest difference among the `count` + 1 highest of `values`.
static double gapAmong(std::vector<double> values, int64_t count) {
  std::sort(values.rbegin(), values.rend());
  double gap = INFINITY;
  for (size_t i = 0; i + 1 < values.size() && i < static_cast<size_t>(count);
       ++i)
    gap = std::min(gap, values[i] - values[i + 1]);
  return gap;
}

/// Leaves the experts of the groups that are kept; returns how clear that
/// choice is.
static double keepBestGroups(const RandomModel &model,
                             std::vector<double> &values) {
  int64_t size = model.experts / model.groups;
  std::vector<std::pair<double, int64_t>> ranks;
  std::vector<double> keys;
  for (int64_t g = 0; g < model.groups; ++g) {
    std::vector<double> group(values.begin() + g * size,
                              values.begin() + (g + 1) * size);
    std::sort(group.rbegin(), group.rend());
    double key = model.topTwoSum ? group[0] + group[1] : group[0];
    ranks.push_back({-key, g});
    keys.push_back(key);
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<double> kept;
  for (int64_t i = 0; i < model.keptGroups; ++i)
    kept.insert(kept.end(), values.begin() + ranks[i].second * size,
                values.begin() + (ranks[i].second + 1) * size);
  values = kept;
  return gapAmong(keys, model.keptGroups);
}

double test::smallestGap(const RandomModel &model, const Value &logits,
                         int64_t microBatch) {
  double gap = INFINITY;
  for (int64_t token = 0; token < model.tokens; ++token) {
    if (model.paddingArgument >= 0 && model.arguments[model.paddingArgument]
                                          .copies[microBatch]
                                          .elements[token])
      continue;
    std::vector<double> values = choices(model, logits.row(token));
    if (model.groups > 1)
      gap = std::min(gap, keepBestGroups(model, values));
    gap = std::min(gap, gapAmong(values, model.k));
  }
  return gap;
}

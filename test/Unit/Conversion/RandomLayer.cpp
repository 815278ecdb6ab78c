//===- RandomLayer.cpp - Small layers on small machines, at random --------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomLayer.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

using namespace mozart;
using namespace mozart::test;

int64_t RandomLayer::draw(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

double RandomLayer::drawReal() {
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
}

void RandomLayer::drawShape() {
  const ElementType elements[] = {ElementType::F32, ElementType::F32,
                                  ElementType::F16, ElementType::BF16,
                                  ElementType::F64};
  depth = static_cast<int>(draw(1, 3));
  ableSwitches = draw(0, 4) != 0;
  element = elements[draw(0, 4)];
  tokens = draw(1, 7);
  experts = draw(1, 9);
  k = draw(1, std::min<int64_t>(4, experts));
  hidden = draw(1, 5);
  body = static_cast<Body>(draw(0, 3));
  width = body == Body::Custom ? draw(1, 5) : hidden;
  routes = draw(0, 1) == 0;
  padsTokens = routes && draw(0, 1) == 0;
}

//===----------------------------------------------------------------------===//
// Machine and placement
//===----------------------------------------------------------------------===//

namespace {
struct TreeNode {
  std::string name;
  std::string parent;
  bool isChiplet;
};
} // namespace

/// Levels of switches, the last of chiplets; chiplets also at other levels.
/// Nodes are declared in any order, so that the order of children is any.
std::string RandomLayer::drawMachine() {
  std::vector<TreeNode> nodes;
  std::vector<std::string> parents = {"root"};
  for (int level = 1; level <= depth; ++level) {
    std::vector<std::string> switches;
    for (const std::string &parent : parents) {
      int64_t children = draw(1, level == depth ? 3 : 2);
      bool chiplets = level == depth || draw(0, 3) == 0;
      for (int64_t i = 0; i < children; ++i) {
        bool isChiplet = level == depth || (chiplets && i > 0);
        std::string name = absl::StrCat(isChiplet ? "c" : "s", nodes.size());
        nodes.push_back({name, parent, isChiplet});
        if (!isChiplet)
          switches.push_back(name);
      }
    }
    parents = switches;
  }
  for (size_t i = nodes.size(); i-- > 1;)
    std::swap(nodes[i], nodes[draw(0, static_cast<int64_t>(i))]);

  std::string text = "wafer.machine @m tree {\n";
  const std::string compute =
      "<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, "
      "clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>";
  const std::string wires = "<wires = 8, wire_bytes_per_second = 125000000>";
  const std::string rate = ableSwitches ? "2000000000" : "0";
  absl::StrAppend(&text, "wafer.chiplet @root hosts attention sram_bytes 1024 ",
                  compute, "\n");
  std::string links;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto &[name, parent, isChiplet] = nodes[i];
    if (isChiplet) {
      chiplets.push_back(static_cast<int32_t>(i + 1));
      absl::StrAppend(&text, "wafer.chiplet @", name,
                      " hosts experts sram_bytes 1024 ", compute, "\n");
    } else {
      absl::StrAppend(&text, "wafer.switch @", name,
                      " <buffer_bytes = 64, multicast_bytes_per_second = ",
                      rate, ", reduce_bytes_per_second = ", rate, ">\n");
    }
    absl::StrAppend(&links, "wafer.link @", parent, " -> @", name, " ", wires,
                    "\nwafer.link @", name, " -> @", parent, " ", wires, "\n");
  }
  return absl::StrCat(text, links, "}\n");
}

/// " placed <...>", or nothing where a pass is to place.
std::string RandomLayer::drawPlacement() {
  placedByPass = static_cast<int64_t>(chiplets.size()) <= experts && routes &&
                 draw(0, 1) == 0;
  if (placedByPass)
    return "";
  // Often fewer chiplets than there are, so that some have several experts.
  int64_t used = draw(1, static_cast<int64_t>(chiplets.size()));
  bool replicas = draw(0, 1) == 0;
  std::vector<std::string> entries;
  for (int64_t expert = 0; expert < experts; ++expert) {
    std::set<int32_t> held = {chiplets[draw(0, used - 1)]};
    while (replicas && draw(0, 1) == 0)
      held.insert(chiplets[draw(0, used - 1)]);
    chipletsOf.emplace_back(held.begin(), held.end());
    std::string entry = absl::StrJoin(held, ", ");
    entries.push_back(held.size() > 1 ? absl::StrCat("[", entry, "]") : entry);
  }
  return absl::StrCat(" placed <@m, [", absl::StrJoin(entries, ", "), "]>");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string nameOf(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F64:
    return "f64";
  default:
    return "f32";
  }
}

std::string RandomLayer::type(const std::vector<int64_t> &shape) const {
  return absl::StrCat("tensor<", absl::StrJoin(shape, "x"), "x",
                      nameOf(element), ">");
}

/// Adds an argument of random elements and returns its name.
std::string RandomLayer::addArgument(const std::string &name,
                                     std::vector<int64_t> shape) {
  arguments.push_back(absl::StrCat("%", name, ": ", type(shape)));
  std::vector<double> elements(std::accumulate(
      shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>()));
  for (double &value : elements)
    value = drawReal();
  inputs.push_back(*makeTensor(element, std::move(shape), std::move(elements)));
  return absl::StrCat("%", name);
}

/// An argument with distinct experts in random slots, and padding.
void RandomLayer::drawRouting() {
  ValueType type;
  type.kind = ValueType::Kind::Routing;
  type.shape = {tokens, k};
  type.experts = experts;
  Value routing = *makeValue(type);
  for (int64_t token = 0; token < tokens; ++token) {
    std::vector<int32_t> ids(experts);
    std::iota(ids.begin(), ids.end(), 0);
    for (size_t i = ids.size(); i-- > 1;)
      std::swap(ids[i], ids[draw(0, static_cast<int64_t>(i))]);
    for (int64_t slot = 0; slot < k; ++slot) {
      if (draw(0, 4) == 0)
        continue;
      routing.slots(token)[slot] = ids[slot];
      routing.row(token)[slot] = 0.125 * static_cast<double>(draw(1, 8));
    }
  }
  arguments.push_back(absl::Substitute("%r: !moe.routing<$0x$1 of $2, f32>",
                                       tokens, k, experts));
  inputs.push_back(std::move(routing));
}

/// From %rows and %counts to %out.
std::string RandomLayer::expertOps(const std::string &placed) {
  int64_t inner = draw(1, 4), pairs = tokens * k;
  std::string counts = absl::StrCat("tensor<", experts, "xindex>");
  std::vector<int64_t> up = {experts, hidden, inner},
                       down = {experts, inner, hidden};
  auto experts = [&](const char *result, const std::string &rows,
                     const std::string &weights, const std::string &types,
                     const char *activation) {
    return absl::Substitute(
        "%$0 = moe.experts $1 counts %counts $2 <activation = $3> layer 0$4 : "
        "($5, $6, $7) -> $5\n",
        result, rows, weights, activation, placed, type({pairs, hidden}),
        counts, types);
  };
  std::string u = addArgument("u", up), d = addArgument("d", down);
  switch (body) {
  case Body::Swiglu: {
    std::string g = addArgument("g", up);
    return experts(
        "out", "%rows", absl::Substitute("weights($0, $1, $2)", g, u, d),
        absl::StrJoin({type(up), type(up), type(down)}, ", "), "swiglu");
  }
  case Body::Biased: {
    std::vector<int64_t> upBias = {this->experts, inner},
                         downBias = {this->experts, hidden};
    std::string b = addArgument("b", upBias), c = addArgument("c", downBias);
    return experts(
        "out", "%rows",
        absl::Substitute("weights($0, $1) biases($2, $3)", u, d, b, c),
        absl::StrJoin({type(up), type(down), type(upBias), type(downBias)},
                      ", "),
        "gelu");
  }
  case Body::Chain: {
    std::string weights = absl::Substitute("weights($0, $1)", u, d);
    std::string types = absl::StrCat(type(up), ", ", type(down));
    return experts("mid", "%rows", weights, types, "silu") +
           experts("out", "%mid", weights, types, "relu");
  }
  case Body::Custom:
    break;
  }
  std::string w = addArgument("w", {this->experts, hidden, width});
  return absl::Substitute(
      R"(%out = moe.custom_experts "project" %rows counts %counts weights($0) layer 0$1
    : ($2, $3, $4) -> $5 {
  ^bb0(%a: tensor<?x$6x$8>, %b: tensor<$6x$7x$8>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : $8
    %n = tensor.dim %a, %c0 : tensor<?x$6x$8>
    %e = tensor.empty(%n) : tensor<?x$7x$8>
    %f = linalg.fill ins(%zero : $8) outs(%e : tensor<?x$7x$8>) -> tensor<?x$7x$8>
    %m = linalg.matmul ins(%a, %b : tensor<?x$6x$8>, tensor<$6x$7x$8>) outs(%f : tensor<?x$7x$8>) -> tensor<?x$7x$8>
    moe.yield %m : tensor<?x$7x$8>
}
)",
      w, placed, type({pairs, hidden}), counts,
      type({this->experts, hidden, width}), type({pairs, width}), hidden, width,
      nameOf(element));
}

void RandomLayer::writeFunctions(const std::string &machine) {
  std::string placed = drawPlacement();
  int64_t pairs = tokens * k;
  std::string routing =
      absl::Substitute("!moe.routing<$0x$1 of $2, f32>", tokens, k, experts);
  addArgument("x", {tokens, hidden});
  std::string route;
  if (routes) {
    ElementType own = element;
    element = ElementType::F32;
    addArgument("logits", {tokens, experts});
    std::string logits = type({tokens, experts}), padding;
    if (padsTokens) {
      std::vector<double> mask(tokens);
      for (double &pads : mask)
        pads = static_cast<double>(draw(0, 2) == 0);
      inputs.push_back(*makeTensor(ElementType::I1, {tokens}, mask));
      arguments.push_back(absl::StrCat("%pad: tensor<", tokens, "xi1>"));
      padding = absl::StrCat(", tensor<", tokens, "xi1>");
    }
    element = own;
    route = absl::Substitute(
        "%r = moe.route %logits $0 <k = $1, score = softmax, renormalize = "
        "true> layer 0$2 : ($3$4) -> $5\n",
        padsTokens ? "padding %pad" : "", k, placed, logits, padding, routing);
  } else {
    drawRouting();
  }
  std::string dispatch = absl::Substitute(
      "%rows, %counts = moe.dispatch %x by %r layer 0$0 : ($1, $2) -> ($3, "
      "tensor<$4xindex>)\n",
      placed, type({tokens, hidden}), routing, type({pairs, hidden}), experts);
  std::string body = route + dispatch + expertOps(placed);
  std::string result = type({tokens, width});
  auto function = [&](const char *name, const std::string &attributes,
                      const std::string &rest) {
    return absl::Substitute(
        "func.func @$0($1) -> $2 $3{\n$4$5  return %y : $2\n}\n", name,
        absl::StrJoin(arguments, ", "), result, attributes, body, rest);
  };
  auto combine = [&](const char *rows) {
    return absl::Substitute(
        "%y = moe.combine %$0 by %r layer 0$1 : ($2, $3) -> $4\n", rows, placed,
        type({pairs, width}), routing, result);
  };
  std::string model = absl::Substitute(
      "attributes {moe.model = #moe.model<name = \"random\", sequences = 1, "
      "sequence_length = $0, micro_batches = 1>} ",
      tokens);
  source = machine + function("layer", routes ? model : "", combine("out"));
  terms = absl::StrCat(
      function("terms", "",
               absl::StrCat("%abs = math.absf %out : ", type({pairs, width}),
                            "\n", combine("abs"))));
}

RandomLayer::RandomLayer(uint64_t seed) : random(seed) {
  drawShape();
  writeFunctions(drawMachine());
}

//===----------------------------------------------------------------------===//
// What occurs
//===----------------------------------------------------------------------===//

static const Value *findRouting(const std::vector<Value> &inputs) {
  for (const Value &input : inputs)
    if (input.isRouting())
      return &input;
  return nullptr;
}

bool RandomLayer::hasIdleExpert() const {
  const Value *routing = findRouting(inputs);
  if (!routing)
    return false;
  std::set<int32_t> busy(routing->ids.begin(), routing->ids.end());
  busy.erase(kPaddingId);
  return static_cast<int64_t>(busy.size()) < experts;
}

bool RandomLayer::hasPaddingSlot() const {
  const Value *routing = findRouting(inputs);
  return routing &&
         std::count(routing->ids.begin(), routing->ids.end(), kPaddingId) > 0;
}

std::map<int32_t, int64_t> RandomLayer::expertsOfChiplets() const {
  std::map<int32_t, int64_t> counts;
  for (const std::vector<int32_t> &held : chipletsOf)
    for (int32_t chiplet : held)
      ++counts[chiplet];
  return counts;
}

bool RandomLayer::hasIdleChiplet() const {
  size_t used = expertsOfChiplets().size();
  return used > 0 && used < chiplets.size();
}

bool RandomLayer::isUneven() const {
  std::set<int64_t> sizes;
  for (const auto &[chiplet, count] : expertsOfChiplets())
    sizes.insert(count);
  return sizes.size() > 1;
}

bool RandomLayer::hasReplicas() const {
  return absl::c_any_of(chipletsOf, [](const std::vector<int32_t> &held) {
    return held.size() > 1;
  });
}

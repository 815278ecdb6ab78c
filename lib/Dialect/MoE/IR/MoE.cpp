//===- MoE.cpp - The model dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mozart/Support/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

FailureOr<llvm::APFloat> moe::detail::parseDouble(AsmParser &parser) {
  llvm::APFloat value(0.0);
  if (parser.parseFloat(value.getSemantics(), value))
    return failure();
  return value;
}

void moe::detail::printDouble(AsmPrinter &printer, const llvm::APFloat &value) {
  printer.printFloat(value);
}

#include "mozart/Dialect/MoE/IR/MoEDialect.cpp.inc"
#include "mozart/Dialect/MoE/IR/MoEEnums.cpp.inc"
#include "mozart/Dialect/MoE/IR/MoEInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/MoE/IR/MoEAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/MoE/IR/MoETypes.cpp.inc"

namespace {
/// Names the attributes that every layer repeats.
struct MoEAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    StringRef name = llvm::TypeSwitch<Attribute, StringRef>(attribute)
                         .Case<RopeAttr>([](auto) { return "rope"; })
                         .Case<HeadsAttr>([](auto) { return "heads"; })
                         .Case<LatentHeadsAttr>([](auto) { return "heads"; })
                         .Case<PlacementAttr>([](auto) { return "placement"; })
                         .Default([](auto) { return ""; });
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void MoEDialect::initialize() {
  addInterfaces<MoEAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mozart/Dialect/MoE/IR/MoEAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mozart/Dialect/MoE/IR/MoETypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mozart/Dialect/MoE/IR/MoEOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

LogicalResult MoEDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() != ModelAttrHelper::getNameStr())
    return op->emitError() << "'" << attribute.getName().getValue()
                           << "' is not an attribute that an op can carry; "
                              "expected 'moe.model' on a function";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "'moe.model' is on a " << op->getName()
                           << ", expected a function";
  auto model = dyn_cast<ModelAttr>(attribute.getValue());
  if (!model)
    return op->emitError() << "'moe.model' is " << attribute.getValue()
                           << ", expected a #moe.model attribute";
  return success();
}

LogicalResult MoEDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  auto weight = dyn_cast<StringAttr>(attribute.getValue());
  if (attribute.getName() != ParamAttrHelper::getNameStr() ||
      !(isa<UnitAttr>(attribute.getValue()) ||
        (weight && !weight.getValue().empty())))
    return op->emitError() << "argument " << argument << " carries '"
                           << attribute.getName().getValue()
                           << "' = " << attribute.getValue()
                           << ", expected 'moe.param', alone or with the "
                              "weight's name as a string";
  return success();
}

LogicalResult MoEDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return op->emitError() << "result " << result << " carries '"
                         << attribute.getName().getValue()
                         << "', but no attribute of this dialect belongs on a "
                            "result";
}

//===----------------------------------------------------------------------===//
// Routing type
//===----------------------------------------------------------------------===//

static void printExtent(AsmPrinter &printer, int64_t count) {
  if (ShapedType::isDynamic(count))
    printer << "?";
  else
    printer << count;
}

Type RoutingType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  FloatType gateType;
  int64_t experts = ShapedType::kDynamic;
  bool local = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/true,
                                /*withTrailingX=*/false) ||
      parser.parseKeyword("of"))
    return {};
  if (failed(parser.parseOptionalQuestion()) && parser.parseInteger(experts))
    return {};
  if (parser.parseComma() || parser.parseType(gateType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("local"))
      return {};
    local = true;
  }
  if (parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(loc) << "a routing has the form <tokens x k of experts, "
                             "type>, found "
                          << shape.size() << " dimensions";
    return {};
  }
  return parser.getChecked<RoutingType>(loc, parser.getContext(), shape[0],
                                        shape[1], experts, gateType, local);
}

void RoutingType::print(AsmPrinter &printer) const {
  printer << "<";
  printExtent(printer, getTokens());
  printer << "x" << getK() << " of ";
  printExtent(printer, getExperts());
  printer << ", " << getGateType();
  if (getLocal())
    printer << ", local";
  printer << ">";
}

LogicalResult RoutingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t tokens, int64_t k, int64_t experts,
                                  FloatType, bool local) {
  if (tokens < 0 && !ShapedType::isDynamic(tokens))
    return emitError() << "a routing of " << tokens
                       << " tokens, expected at least 0";
  if (ShapedType::isDynamic(k))
    return emitError() << "k is '?', expected a number";
  if (k < 1)
    return emitError() << "k is " << k << ", expected at least 1";
  if (experts < 1 && !ShapedType::isDynamic(experts))
    return emitError() << "a routing to " << experts
                       << " experts, expected at least 1";
  if (ShapedType::isDynamic(experts) && !local)
    return emitError()
           << "only a local routing may leave its number of experts "
              "open, found '?' in a global one";
  if (!ShapedType::isDynamic(experts) && !local && k > experts)
    return emitError() << "k is " << k << " of " << experts
                       << " experts, expected at most as many as there are";
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Factors whose product must stay below 2^63.
static LogicalResult
requireProductFits(ArrayRef<NamedCount> facts,
                   function_ref<InFlightDiagnostic()> emitError) {
  int64_t product = 1;
  for (const NamedCount &fact : facts)
    if (__builtin_mul_overflow(product, fact.value, &product))
      return emitError() << "the product up to '" << fact.name << "' ("
                         << fact.value << ") does not fit in 63 bits";
  return success();
}

/// Finite, and not below zero.
static LogicalResult
requireNotNegative(StringRef name, const llvm::APFloat &value,
                   function_ref<InFlightDiagnostic()> emitError) {
  if (!value.isFinite() || !(value.convertToDouble() >= 0))
    return emitError() << "'" << name << "' is " << value.convertToDouble()
                       << ", expected a number of at least 0";
  return success();
}

static LogicalResult
requireFinite(StringRef name, const llvm::APFloat &value,
              function_ref<InFlightDiagnostic()> emitError) {
  if (!value.isFinite())
    return emitError() << "'" << name << "' is " << value.convertToDouble()
                       << ", expected a finite number";
  return success();
}

LogicalResult ModelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, int64_t sequences,
                                int64_t sequenceLength, int64_t microBatches) {
  NamedCount facts[] = {{"sequences", sequences},
                        {"sequence_length", sequenceLength},
                        {"micro_batches", microBatches}};
  return success(succeeded(requireAtLeast(1, facts, emitError)) &&
                 succeeded(requireProductFits(facts, emitError)));
}

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RopeStyle, llvm::APFloat theta, int64_t dim,
                               llvm::APFloat factor, int64_t yarnOriginalLength,
                               llvm::APFloat yarnBetaFast,
                               llvm::APFloat yarnBetaSlow,
                               llvm::APFloat magnitude) {
  if (dim < 2 || dim % 2)
    return emitError() << "'dim' is " << dim
                       << ", expected an even number of at least 2";
  if (failed(requireAtLeast(0, {{"yarn_original_length", yarnOriginalLength}},
                            emitError)))
    return failure();
  std::pair<StringRef, llvm::APFloat> positive[] = {
      {"theta", theta},
      {"factor", factor},
      {"yarn_beta_fast", yarnBetaFast},
      {"yarn_beta_slow", yarnBetaSlow},
      {"magnitude", magnitude}};
  for (auto &[name, value] : positive)
    if (!value.isFinite() || !(value.convertToDouble() > 0))
      return emitError() << "'" << name << "' is " << value.convertToDouble()
                         << ", expected a positive number";
  if (yarnOriginalLength == 0)
    return success();
  if (!(theta.convertToDouble() > 1))
    return emitError() << "'theta' is " << theta.convertToDouble()
                       << ", expected more than 1 with 'yarn_original_length'";
  if (yarnBetaFast.convertToDouble() < yarnBetaSlow.convertToDouble())
    return emitError() << "'yarn_beta_fast' is "
                       << yarnBetaFast.convertToDouble()
                       << ", expected at least 'yarn_beta_slow' ("
                       << yarnBetaSlow.convertToDouble() << ")";
  return success();
}

LogicalResult HeadsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t query, int64_t kv, int64_t dim,
                                llvm::APFloat scale, bool, bool,
                                llvm::APFloat epsilon) {
  NamedCount facts[] = {{"query", query}, {"kv", kv}, {"dim", dim}};
  if (failed(requireAtLeast(1, facts, emitError)) ||
      failed(requireProductFits(facts, emitError)) ||
      failed(requireFinite("scale", scale, emitError)) ||
      failed(requireNotNegative("qk_norm_epsilon", epsilon, emitError)))
    return failure();
  if (query % kv)
    return emitError() << "'query' is " << query
                       << " heads, expected a multiple of 'kv' (" << kv << ")";
  return success();
}

LogicalResult
LatentHeadsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t query, int64_t queryRank, int64_t kvRank,
                        int64_t nope, int64_t rope, int64_t value,
                        llvm::APFloat scale, bool, llvm::APFloat epsilon) {
  NamedCount facts[] = {{"query", query},
                        {"kv_rank", kvRank},
                        {"nope", nope},
                        {"rope", rope},
                        {"value", value}};
  if (failed(requireAtLeast(1, facts, emitError)) ||
      failed(requireAtLeast(0, {{"query_rank", queryRank}}, emitError)) ||
      failed(requireFinite("scale", scale, emitError)) ||
      failed(requireNotNegative("norm_epsilon", epsilon, emitError)))
    return failure();
  // Widths of weights: see moe.latent_attention.
  for (auto [a, b] : {std::pair(nope, rope), {nope, value}, {kvRank, rope}}) {
    int64_t width;
    if (__builtin_add_overflow(a, b, &width) ||
        __builtin_mul_overflow(width, query, &width))
      return emitError() << "heads of " << a << " + " << b << " entries, times "
                         << query << ", do not fit in 63 bits";
  }
  return success();
}

LogicalResult GateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t k, Score score, ScoreOrder order,
                               bool renormalize,
                               llvm::APFloat renormalizeEpsilon,
                               llvm::APFloat scale, int64_t groups,
                               int64_t keptGroups, GroupScore) {
  if (failed(requireAtLeast(
          1, {{"k", k}, {"groups", groups}, {"kept_groups", keptGroups}},
          emitError)) ||
      failed(requireNotNegative("renormalize_epsilon", renormalizeEpsilon,
                                emitError)) ||
      failed(requireFinite("scale", scale, emitError)))
    return failure();
  if (keptGroups > groups)
    return emitError() << "'kept_groups' is " << keptGroups
                       << ", expected at most 'groups' (" << groups << ")";
  return success();
}

LogicalResult FfnAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              Activation, llvm::APFloat limit,
                              llvm::APFloat alpha) {
  return success(succeeded(requireNotNegative("limit", limit, emitError)) &&
                 succeeded(requireFinite("alpha", alpha, emitError)));
}

//===----------------------------------------------------------------------===//
// Placement attribute
//===----------------------------------------------------------------------===//

PlacementAttr PlacementAttr::get(MLIRContext *context,
                                 FlatSymbolRefAttr machine,
                                 ArrayRef<std::vector<int64_t>> nodesOf) {
  SmallVector<int64_t> nodes, replicas;
  for (const std::vector<int64_t> &holders : nodesOf) {
    llvm::append_range(nodes, holders);
    replicas.push_back(holders.size());
  }
  return get(context, machine, nodes, replicas);
}

std::vector<std::vector<int64_t>> PlacementAttr::getNodesOf() const {
  std::vector<std::vector<int64_t>> nodesOf;
  ArrayRef<int64_t> rest = getNodes();
  for (int64_t count : getReplicas()) {
    nodesOf.emplace_back(rest.begin(), rest.begin() + count);
    rest = rest.drop_front(count);
  }
  return nodesOf;
}

std::map<int64_t, std::vector<int64_t>> PlacementAttr::getExpertsOf() const {
  std::map<int64_t, std::vector<int64_t>> expertsOf;
  for (auto [expert, nodes] : llvm::enumerate(getNodesOf()))
    for (int64_t node : nodes)
      expertsOf[node].push_back(expert);
  return expertsOf;
}

Attribute PlacementAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr machine;
  SmallVector<int64_t> nodes, replicas;
  auto parseNode = [&]() { return parser.parseInteger(nodes.emplace_back()); };
  auto parseExpert = [&]() -> ParseResult {
    size_t before = nodes.size();
    OptionalParseResult single =
        parser.parseOptionalInteger(nodes.emplace_back());
    if (!single.has_value()) {
      nodes.pop_back();
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         parseNode))
        return failure();
    } else if (failed(*single)) {
      return failure();
    }
    replicas.push_back(nodes.size() - before);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(machine) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseExpert) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PlacementAttr>(loc, parser.getContext(), machine,
                                          ArrayRef<int64_t>(nodes),
                                          ArrayRef<int64_t>(replicas));
}

void PlacementAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMachine() << ", [";
  llvm::interleaveComma(getNodesOf(), printer,
                        [&](const std::vector<int64_t> &nodes) {
                          if (nodes.size() == 1) {
                            printer << nodes.front();
                            return;
                          }
                          printer << "[";
                          llvm::interleaveComma(nodes, printer);
                          printer << "]";
                        });
  printer << "]>";
}

LogicalResult
PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      FlatSymbolRefAttr, ArrayRef<int64_t> nodes,
                      ArrayRef<int64_t> replicas) {
  if (replicas.empty())
    return emitError() << "a placement needs at least one expert";
  int64_t holders = 0;
  for (auto [expert, count] : llvm::enumerate(replicas)) {
    if (count < 1)
      return emitError() << "expert " << expert
                         << " is on no node, expected at least one";
    if (__builtin_add_overflow(holders, count, &holders))
      break;
  }
  if (holders != static_cast<int64_t>(nodes.size()))
    return emitError() << "has " << nodes.size() << " nodes for " << holders
                       << " replicas, expected as many";
  size_t position = 0;
  for (auto [expert, count] : llvm::enumerate(replicas)) {
    for (int64_t i = 0; i < count; ++i, ++position) {
      int64_t node = nodes[position];
      if (node < 0)
        return emitError() << "expert " << expert << " is on node " << node
                           << ", expected a node index of at least 0";
      if (i > 0 && node <= nodes[position - 1])
        return emitError() << "expert " << expert << " is on node " << node
                           << " after node " << nodes[position - 1]
                           << ", expected distinct nodes in ascending order";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static ParseResult parseDouble(OpAsmParser &parser, FloatAttr &attribute) {
  FailureOr<llvm::APFloat> value = moe::detail::parseDouble(parser);
  if (failed(value))
    return failure();
  attribute = parser.getBuilder().getF64FloatAttr(value->convertToDouble());
  return success();
}

static void printDouble(OpAsmPrinter &printer, Operation *,
                        FloatAttr attribute) {
  printer.printFloat(attribute.getValue());
}

#define GET_OP_CLASSES
#include "mozart/Dialect/MoE/IR/MoEOps.cpp.inc"

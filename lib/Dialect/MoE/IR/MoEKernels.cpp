//===- MoEKernels.cpp - Model ops as kernels and their arithmetic -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

//===----------------------------------------------------------------------===//
// Plain forms
//===----------------------------------------------------------------------===//

RopeParams moe::getRopeParams(RopeAttr rope) {
  RopeParams params;
  if (!rope)
    return params;
  params.style = rope.getStyle() == moe::RopeStyle::Half
                     ? mozart::RopeStyle::Half
                     : mozart::RopeStyle::Interleaved;
  params.theta = rope.getTheta().convertToDouble();
  params.rotaryDim = rope.getDim();
  params.factor = rope.getFactor().convertToDouble();
  params.yarnOriginalLength = rope.getYarnOriginalLength();
  params.yarnBetaFast = rope.getYarnBetaFast().convertToDouble();
  params.yarnBetaSlow = rope.getYarnBetaSlow().convertToDouble();
  params.magnitude = rope.getMagnitude().convertToDouble();
  return params;
}

std::optional<ElementType> moe::findElementType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isInteger(1))
    return ElementType::I1;
  if (type.isInteger(32))
    return ElementType::I32;
  if (type.isIndex())
    return ElementType::Index;
  return std::nullopt;
}

static FailureOr<ElementType> getElementType(Location loc, Type type) {
  if (std::optional<ElementType> element = findElementType(type))
    return *element;
  return emitError(loc) << "elements of type " << type
                        << " cannot be held in a buffer; expected f16, bf16, "
                           "f32, f64, i1, i32 or index";
}

FailureOr<ValueType> moe::getValueType(Location loc, Type type) {
  ValueType result;
  if (auto routing = dyn_cast<RoutingType>(type)) {
    FailureOr<ElementType> element = getElementType(loc, routing.getGateType());
    if (failed(element))
      return failure();
    if (ShapedType::isDynamic(routing.getTokens()) ||
        ShapedType::isDynamic(routing.getExperts()))
      return emitError(loc)
             << "a buffer of type " << type << " has no size; expected no '?'";
    result.kind = ValueType::Kind::Routing;
    result.element = *element;
    result.shape = {routing.getTokens(), routing.getK()};
    result.experts = routing.getExperts();
    result.local = routing.getLocal();
    return result;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return emitError(loc)
           << "a value of type " << type
           << " cannot be held in a buffer; expected a tensor of "
              "static shape or a routing";
  FailureOr<ElementType> element = getElementType(loc, tensor.getElementType());
  if (failed(element))
    return failure();
  result.element = *element;
  result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static KernelStep kernelOf(KernelKind kind) {
  KernelStep step;
  step.kind = kind;
  return step;
}

KernelStep NormOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Norm);
  step.norm.kind = getKind() == moe::NormKind::Rms ? mozart::NormKind::Rms
                                                   : mozart::NormKind::Layer;
  step.norm.epsilon = getEpsilon().convertToDouble();
  return step;
}

KernelStep AddOp::getKernel() { return kernelOf(KernelKind::Add); }
KernelStep LinearOp::getKernel() { return kernelOf(KernelKind::Linear); }
KernelStep RouterOp::getKernel() { return kernelOf(KernelKind::Router); }
KernelStep DispatchOp::getKernel() { return kernelOf(KernelKind::Dispatch); }
KernelStep CombineOp::getKernel() { return kernelOf(KernelKind::Combine); }

KernelStep AttentionOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Attention);
  AttentionParams &params = step.attention;
  HeadsAttr heads = getHeads();
  params.sequences = getSequencesAttr().getInt();
  params.heads = heads.getQuery();
  params.kvHeads = heads.getKv();
  params.headDim = heads.getDim();
  params.causal = heads.getCausal();
  params.hasBias = !getBiases().empty();
  params.hasOutputBias = static_cast<bool>(getOutputBias());
  params.hasQkNorm = !getQkNorms().empty();
  params.qkNormPerHead = heads.getQkNormPerHead();
  params.qkNormEpsilon = heads.getQkNormEpsilon().convertToDouble();
  params.scale = heads.getScale().convertToDouble();
  params.rope = getRopeParams(getRopeAttr());
  return step;
}

KernelStep LatentAttentionOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::LatentAttention);
  LatentAttentionParams &params = step.latent;
  LatentHeadsAttr heads = getHeads();
  params.sequences = getSequencesAttr().getInt();
  params.heads = heads.getQuery();
  params.qRank = heads.getQueryRank();
  params.kvRank = heads.getKvRank();
  params.nopeDim = heads.getNope();
  params.ropeDim = heads.getRope();
  params.valueDim = heads.getValue();
  params.causal = heads.getCausal();
  params.normEpsilon = heads.getNormEpsilon().convertToDouble();
  params.scale = heads.getScale().convertToDouble();
  params.rope = getRopeParams(getRopeAttr());
  return step;
}

static FfnParams getFfnParams(FfnAttr kind) {
  FfnParams params;
  switch (kind.getActivation()) {
  case Activation::Swiglu:
    params.activation = ActivationKind::Swiglu;
    break;
  case Activation::Geglu:
    params.activation = ActivationKind::Geglu;
    break;
  case Activation::ClampedSwiglu:
    params.activation = ActivationKind::ClampedSwiglu;
    break;
  case Activation::Gelu:
    params.activation = ActivationKind::Gelu;
    break;
  case Activation::GeluTanh:
    params.activation = ActivationKind::GeluTanh;
    break;
  case Activation::Relu:
    params.activation = ActivationKind::Relu;
    break;
  case Activation::Silu:
    params.activation = ActivationKind::Silu;
    break;
  }
  params.clampLimit = kind.getLimit().convertToDouble();
  params.clampAlpha = kind.getAlpha().convertToDouble();
  return params;
}

KernelStep FfnOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Ffn);
  step.ffn = getFfnParams(getKind());
  step.ffn.hasBias = !getBiases().empty();
  step.ffn.hasOutputGate = static_cast<bool>(getOutputGate());
  return step;
}

KernelStep ExpertsOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Experts);
  step.ffn = getFfnParams(getKind());
  step.ffn.hasBias = !getBiases().empty();
  return step;
}

KernelStep CustomExpertsOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Custom);
  step.custom.name = getName().str();
  step.custom.flopsPerRow = getFlops(1);
  return step;
}

KernelStep RouteOp::getKernel() {
  KernelStep step = kernelOf(KernelKind::Route);
  RouteParams &params = step.route;
  GateAttr gate = getGate();
  params.k = gate.getK();
  params.score = gate.getScore() == Score::Softmax ? ScoreKind::Softmax
                                                   : ScoreKind::Sigmoid;
  params.order = gate.getOrder() == moe::ScoreOrder::BeforeSelection
                     ? mozart::ScoreOrder::BeforeSelection
                     : mozart::ScoreOrder::AfterSelection;
  params.renormalize = gate.getRenormalize();
  params.renormalizeEpsilon = gate.getRenormalizeEpsilon().convertToDouble();
  params.scale = gate.getScale().convertToDouble();
  params.hasSelectionBias = static_cast<bool>(getSelectionBias());
  params.hasPadding = static_cast<bool>(getPadding());
  params.groups = gate.getGroups();
  params.keptGroups = gate.getKeptGroups();
  params.groupScore = gate.getGroupScore() == moe::GroupScore::Max
                          ? mozart::GroupScore::Max
                          : mozart::GroupScore::TopTwoSum;
  return step;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static int64_t saturatingProduct(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product))
      return INT64_MAX;
  return product;
}

static int64_t saturatingSum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t dim(Value value, unsigned axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

/// A matrix product of `rows` rows with each of `weights` (their last two
/// axes).
static int64_t productFlops(int64_t rows, ValueRange weights) {
  int64_t flops = 0;
  for (Value weight : weights) {
    auto type = cast<RankedTensorType>(weight.getType());
    if (type.getRank() < 2)
      continue;
    flops = saturatingSum(
        flops, saturatingProduct({2, rows, type.getDimSize(type.getRank() - 2),
                                  type.getDimSize(type.getRank() - 1)}));
  }
  return flops;
}

/// Scores and weighted values: each row meets the rows of its sequence up to
/// itself (causal) or all of them.
static int64_t scoreFlops(int64_t rows, int64_t sequences, bool causal,
                          int64_t perPair) {
  int64_t length = rows / sequences;
  int64_t pairs = causal ? saturatingProduct({length, length + 1}) / 2
                         : saturatingProduct({length, length});
  return saturatingProduct({2, sequences, pairs, perPair});
}

int64_t NormOp::getFlops(int64_t rows) {
  return saturatingProduct({4, rows, dim(getInput(), 1)});
}
int64_t AddOp::getFlops(int64_t rows) {
  return saturatingProduct({rows, dim(getLhs(), 1)});
}
int64_t LinearOp::getFlops(int64_t rows) {
  return productFlops(rows, getWeight());
}
int64_t RouterOp::getFlops(int64_t rows) {
  return productFlops(rows, getWeight());
}
int64_t RouteOp::getFlops(int64_t rows) {
  return saturatingProduct({rows, dim(getLogits(), 1)});
}
int64_t DispatchOp::getFlops(int64_t) { return 0; }
int64_t CombineOp::getFlops(int64_t rows) {
  return saturatingProduct({2, rows, dim(getRows(), 1)});
}
int64_t FfnOp::getFlops(int64_t rows) {
  return productFlops(rows, getWeights());
}
int64_t ExpertsOp::getFlops(int64_t rows) {
  return productFlops(rows, getWeights());
}

int64_t AttentionOp::getFlops(int64_t rows) {
  HeadsAttr heads = getHeads();
  int64_t projections =
      productFlops(rows, {getQuery(), getKey(), getValue(), getOutput()});
  return saturatingSum(
      projections,
      scoreFlops(rows, getSequencesAttr().getInt(), heads.getCausal(),
                 saturatingProduct({2, heads.getQuery(), heads.getDim()})));
}

int64_t LatentAttentionOp::getFlops(int64_t rows) {
  LatentHeadsAttr heads = getHeads();
  return saturatingSum(
      productFlops(rows, getWeights()),
      scoreFlops(
          rows, getSequencesAttr().getInt(), heads.getCausal(),
          saturatingProduct({heads.getQuery(),
                             saturatingSum(heads.getNope() + heads.getRope(),
                                           heads.getValue())})));
}

/// Of a body: every linalg op does, per element of its iteration space, one
/// operation for each arithmetic op in it.
int64_t CustomExpertsOp::getFlops(int64_t rows) {
  int64_t flops = 0;
  getBody().walk([&](linalg::LinalgOp op) {
    int64_t operations = llvm::count_if(
        op->getRegion(0).front().without_terminator(), [](Operation &inner) {
          return llvm::any_of(inner.getResultTypes(), llvm::IsaPred<FloatType>);
        });
    int64_t points = operations;
    for (int64_t extent : op.getStaticLoopRanges())
      points = saturatingProduct(
          {points, ShapedType::isDynamic(extent) ? rows : extent});
    flops = saturatingSum(flops, points);
  });
  return flops;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

int64_t RouteOp::getNumExperts() { return dim(getLogits(), 1); }
int64_t DispatchOp::getNumExperts() {
  return getRouting().getType().getExperts();
}
int64_t ExpertsOp::getNumExperts() { return dim(getCounts(), 0); }
int64_t CustomExpertsOp::getNumExperts() { return dim(getCounts(), 0); }
int64_t CombineOp::getNumExperts() {
  return getRouting().getType().getExperts();
}

OperandRange ExpertsOp::getStackedWeights() {
  return getOperation()->getOperands().drop_front(2);
}
OperandRange CustomExpertsOp::getStackedWeights() { return getWeights(); }

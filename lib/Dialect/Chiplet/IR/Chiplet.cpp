//===- Chiplet.cpp - The program dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Support/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

#include "mozart/Dialect/Chiplet/IR/ChipletDialect.cpp.inc"
#include "mozart/Dialect/Chiplet/IR/ChipletEnums.cpp.inc"
#include "mozart/Dialect/Chiplet/IR/ChipletInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletTypes.cpp.inc"

void ChipletDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mozart/Dialect/Chiplet/IR/ChipletAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mozart/Dialect/Chiplet/IR/ChipletTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mozart/Dialect/Chiplet/IR/ChipletOps.cpp.inc"
      >();
}

LogicalResult WorkloadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef model, int64_t moeLayers,
                                   int64_t experts, int64_t k, int64_t tokens,
                                   int64_t microBatches) {
  if (tokens < 1 || microBatches < 1)
    return emitError() << "has " << tokens << " tokens in each of "
                       << microBatches
                       << " micro-batches, expected at least 1 of both";
  int64_t rows;
  if (__builtin_mul_overflow(tokens, microBatches, &rows))
    return emitError() << "has more tokens in a step than fit in 63 bits";
  bool none = moeLayers == 0 && experts == 0 && k == 0;
  if (!none && (moeLayers < 1 || k < 1 || experts < k))
    return emitError() << "has " << moeLayers << " MoE layers with k = " << k
                       << " of " << experts
                       << " experts, expected at least one layer and 1 <= k <= "
                          "experts (or zero of all three)";
  return success();
}

/// Contents that have a size in memory.
static bool hasStaticSize(Type contents) {
  if (auto routing = dyn_cast<moe::RoutingType>(contents))
    return !ShapedType::isDynamic(routing.getTokens()) &&
           !ShapedType::isDynamic(routing.getExperts());
  auto tensor = dyn_cast<RankedTensorType>(contents);
  return tensor && tensor.hasStaticShape();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type contents, MemoryKind, int64_t index) {
  if (!hasStaticSize(contents))
    return emitError() << "a buffer holds " << contents
                       << ", expected a tensor or routing of known size";
  if (index < 0)
    return emitError() << "a buffer is in memory " << index
                       << ", expected an index of at least 0";
  auto tensor = dyn_cast<RankedTensorType>(contents);
  Type element = tensor ? tensor.getElementType()
                        : cast<moe::RoutingType>(contents).getGateType();
  if (!moe::findElementType(element))
    return emitError() << "a buffer holds elements of type " << element
                       << ", expected f16, bf16, f32, f64, i1, i32 or index";
  // An element has at most 8 bytes; a slot of a routing also has an id.
  SmallVector<int64_t> extents = {8};
  if (tensor) {
    llvm::append_range(extents, tensor.getShape());
  } else {
    auto routing = cast<moe::RoutingType>(contents);
    extents.append({2, routing.getTokens(), routing.getK()});
  }
  int64_t bytes = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return emitError() << "a buffer of " << contents
                         << " has more bytes than fit in 63 bits";
  return success();
}

Value chiplet::getRootBuffer(Value value) {
  if (auto view = value.getDefiningOp<ViewOp>())
    return view.getSource();
  return value;
}

int64_t chiplet::getBufferBytes(BufferType type) {
  FailureOr<ValueType> contents =
      moe::getValueType(UnknownLoc::get(type.getContext()), type.getContents());
  assert(succeeded(contents) && "a verified buffer has a size");
  return contents->bytes();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletOps.cpp.inc"

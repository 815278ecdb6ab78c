//===- HFModel.h - A model, read from its configuration -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all families have in common, once the keys of a configuration have been
// understood. Sizes are at least 1 and have been held against each other.
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_LIB_TARGET_HFMODEL_H
#define MOZART_LIB_TARGET_HFMODEL_H

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Support/Rope.h"
#include "mozart/Target/ImportHFConfig.h"

namespace mozart {

class HFConfig;

enum class QkNorm { None, PerHead, AllHeads };

struct HFAttention {
  int64_t heads = 1;
  double scale = 1;
  RopeParams rope;

  // Of moe.attention.
  int64_t kvHeads = 1;
  int64_t headDim = 1;
  bool inputBiases = false;
  bool outputBias = false;
  QkNorm qkNorm = QkNorm::None;

  // Of moe.latent_attention, where kvRank > 0.
  int64_t queryRank = 0;
  int64_t kvRank = 0;
  int64_t nopeDim = 0;
  int64_t ropeDim = 0;
  int64_t valueDim = 0;

  bool isLatent() const { return kvRank > 0; }
};

/// The gate of MoE layers.
struct HFGate {
  int64_t k = 1;
  moe::Score score = moe::Score::Softmax;
  bool renormalize = false;
  double renormalizeEpsilon = 0;
  double scale = 1;
  int64_t groups = 1;
  int64_t keptGroups = 1;
  moe::GroupScore groupScore = moe::GroupScore::Max;
  bool selectionBias = false;
};

struct HFModel {
  std::string name;
  /// Name of the routing that comes with the library; empty if none does.
  std::string profile;

  // The step.
  int64_t sequences = 1; ///< of a micro-batch
  int64_t sequenceLength = 1;
  int64_t microBatches = 1;
  int64_t tokens = 1; ///< of a micro-batch
  std::string elementType;

  int64_t hidden = 1;
  double normEpsilon = 0;
  moe::Activation activation = moe::Activation::Swiglu;
  HFAttention attention;
  /// One entry a layer: whether it has experts.
  std::vector<bool> isMoE;
  /// Inner width of the FFN of layers without experts, if there are any.
  int64_t denseInner = 0;

  // Of MoE layers.
  int64_t experts = 1;
  int64_t expertInner = 1;
  HFGate gate;
  /// Inner width of all shared experts together; 0: none.
  int64_t sharedInner = 0;
  /// The shared experts' result is multiplied by a sigmoid of its own.
  bool sharedGated = false;
};

/// Reads the model of `config`. Returns nothing after an error.
std::optional<HFModel> readHFModel(HFConfig &config,
                                   const HFImportOptions &options);

/// The module of a model.
mlir::OwningOpRef<mlir::ModuleOp> buildHFModel(const HFModel &model,
                                               mlir::MLIRContext *context);

} // namespace mozart

#endif // MOZART_LIB_TARGET_HFMODEL_H

//===- HFRope.cpp - Rotary embedding of a configuration -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HFRope.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mozart;

/// YaRN's correction of attention for contexts `factor` times as long.
static double yarnMagnitude(double factor, double weight) {
  return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

static std::string toText(double value) {
  return llvm::formatv("{0}", llvm::json::Value(value));
}

static void readYarn(HFConfig &config, HFConfig &scaling, RopeParams &rope,
                     double &scoreScale) {
  rope.factor = scaling.getDouble({"factor"});
  rope.yarnBetaFast = scaling.getDouble({"beta_fast"}, 32.0);
  rope.yarnBetaSlow = scaling.getDouble({"beta_slow"}, 1.0);
  if (rope.yarnBetaFast < rope.yarnBetaSlow)
    scaling.error("beta_fast", "'beta_fast' is " + toText(rope.yarnBetaFast) +
                                   ", expected at least 'beta_slow' (" +
                                   toText(rope.yarnBetaSlow) + ")");
  if (scaling.has("original_max_position_embeddings"))
    rope.yarnOriginalLength =
        scaling.getInt({"original_max_position_embeddings"});
  else
    rope.yarnOriginalLength = config.getInt({"max_position_embeddings"});
  if (!scaling.getBool("truncate", true))
    scaling.error("truncate", "'truncate' is false, expected true: the range "
                              "of interpolated pairs is rounded");
  bool hasAll = scaling.has("mscale_all_dim");
  double all = scaling.getDouble({"mscale_all_dim"}, 1.0);
  if (scaling.has("attention_factor"))
    rope.magnitude = scaling.getDouble({"attention_factor"});
  else
    rope.magnitude =
        yarnMagnitude(rope.factor, scaling.getDouble({"mscale"}, 1.0)) /
        (hasAll ? yarnMagnitude(rope.factor, all) : 1.0);
  // Latent attention scales its scores as a whole, rotary or not.
  if (hasAll)
    scoreScale =
        yarnMagnitude(rope.factor, all) * yarnMagnitude(rope.factor, all);
}

/// Reads `scaling`, whose kind is `kind`.
static void readScaling(HFConfig &config, HFConfig &scaling, RopeParams &rope,
                        double &scoreScale) {
  llvm::StringRef key = scaling.find({"rope_type", "type"});
  std::string kind = scaling.getString({"rope_type", "type"});
  if (kind == "yarn")
    readYarn(config, scaling, rope, scoreScale);
  else if (kind == "linear")
    rope.factor = scaling.getDouble({"factor"});
  else if (kind != "default")
    scaling.error(key, "'" + key + "' is '" + kind +
                           "', expected 'default', 'linear' or 'yarn'");
}

RopeParams mozart::readHFRope(HFConfig &config, RopeStyle style, int64_t dim,
                              double &scoreScale) {
  RopeParams rope;
  rope.style = style;
  rope.rotaryDim = dim;
  scoreScale = 1.0;
  std::optional<HFConfig> parameters = config.getObject({"rope_parameters"});
  std::optional<HFConfig> scaling = config.getObject({"rope_scaling"});
  if (parameters && scaling)
    config.error("rope_scaling", "'rope_scaling' and 'rope_parameters' are "
                                 "both given, expected one of them");
  bool nested = parameters && parameters->has("rope_theta");
  rope.theta = nested ? parameters->getDouble({"rope_theta"})
                      : config.getDouble({"rope_theta"});
  if (nested && config.getDouble({"rope_theta"}, rope.theta) != rope.theta)
    config.error("rope_theta", "'rope_theta' differs from that in "
                               "'rope_parameters', expected the same");
  if (rope.theta <= 1)
    config.error("rope_theta", "'rope_theta' is " + toText(rope.theta) +
                                   ", expected more than 1");
  for (std::optional<HFConfig> *view : {&parameters, &scaling})
    if (*view && !config.failed()) {
      readScaling(config, **view, rope, scoreScale);
      config.adopt(**view);
    }
  if (dim < 2 || dim % 2)
    config.error("", "heads turn " + llvm::Twine(dim) +
                         " entries, expected an even number of at least 2");
  return rope;
}

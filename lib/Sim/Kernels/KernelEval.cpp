//===- KernelEval.cpp - Kernels on real numbers ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/KernelEval.h"

#include "KernelSupport.h"
#include "mozart/Sim/ElementCodec.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

using namespace mozart;

absl::Status KernelRegistry::add(std::string name, CustomKernel kernel) {
  auto [it, inserted] = kernels.emplace(std::move(name), std::move(kernel));
  if (inserted)
    return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("a kernel named '", it->first, "' is registered already"));
}

const CustomKernel *KernelRegistry::find(absl::string_view name) const {
  auto it = kernels.find(std::string(name));
  return it == kernels.end() ? nullptr : &it->second;
}

std::vector<std::string> KernelRegistry::names() const {
  std::vector<std::string> result;
  for (const auto &entry : kernels)
    result.push_back(entry.first);
  return result;
}

static Results evalCustom(const KernelStep &step, Inputs inputs,
                          const KernelRegistry *registry) {
  const std::string &name = step.custom.name;
  const CustomKernel *kernel = registry ? registry->find(name) : nullptr;
  if (!kernel) {
    std::string known = registry ? absl::StrJoin(registry->names(), ", ") : "";
    return absl::NotFoundError(absl::StrCat(
        "no kernel named '", name, "' is registered (registered: ",
        known.empty() ? "none" : known, "); add it to the KernelRegistry"));
  }
  std::vector<Value> results;
  for (const ValueType &type : step.resultTypes) {
    absl::StatusOr<Value> value = makeValue(type);
    if (!value.ok())
      return value.status();
    results.push_back(*std::move(value));
  }
  if (absl::Status status =
          (*kernel)(step.custom, inputs, absl::MakeSpan(results));
      !status.ok())
    return absl::Status(
        status.code(), absl::StrCat("kernel '", name, "': ", status.message()));
  return results;
}

static Results dispatchOnKind(const KernelStep &step, Inputs inputs,
                              const KernelRegistry *registry) {
  switch (step.kind) {
  case KernelKind::Norm:
    return evalNorm(step, inputs);
  case KernelKind::Add:
    return evalAdd(step, inputs);
  case KernelKind::Linear:
  case KernelKind::Router:
    return evalLinear(step, inputs);
  case KernelKind::Attention:
    return evalAttention(step, inputs);
  case KernelKind::LatentAttention:
    return evalLatentAttention(step, inputs);
  case KernelKind::Route:
    return evalRoute(step, inputs);
  case KernelKind::Dispatch:
    return evalDispatch(step, inputs);
  case KernelKind::Experts:
    return evalExperts(step, inputs);
  case KernelKind::Combine:
    return evalCombine(step, inputs);
  case KernelKind::Ffn:
    return evalFfn(step, inputs);
  case KernelKind::Custom:
    return evalCustom(step, inputs, registry);
  }
  return kernelError(step, "unknown kind of kernel");
}

/// Elements and ids are as many as the type says.
static bool isWhole(const Value &value) {
  auto slots = static_cast<size_t>(value.type.elements());
  return value.elements.size() == slots &&
         value.ids.size() == (value.isRouting() ? slots : 0);
}

static absl::Status roundResult(const KernelStep &step, size_t index,
                                Value &result) {
  if (!isWhole(result))
    return kernelError(step, absl::StrCat("result ", index, " has ",
                                          result.elements.size(),
                                          " elements; expected those of ",
                                          describeType(result.type)));
  for (double &element : result.elements) {
    if (!isRepresentable(result.type.element, element))
      return kernelError(step,
                         absl::StrCat("result ", index, " has element ",
                                      element, ", which is no element of ",
                                      describeType(result.type)));
    element = roundTo(result.type.element, element);
  }
  return absl::OkStatus();
}

Results mozart::evaluateKernel(const KernelStep &step, Inputs inputs,
                               const KernelRegistry *registry) {
  std::vector<ValueType> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!isWhole(*inputs[i]))
      return kernelError(step, absl::StrCat("operand ", i, " has ",
                                            inputs[i]->elements.size(),
                                            " elements; expected those of ",
                                            describeType(inputs[i]->type)));
    types.push_back(inputs[i]->type);
  }
  if (absl::Status status = verifyStep(step, types); !status.ok())
    return status;
  Results results = dispatchOnKind(step, inputs, registry);
  if (!results.ok())
    return results;
  for (size_t i = 0; i < results->size(); ++i)
    if (absl::Status status = roundResult(step, i, (*results)[i]); !status.ok())
      return status;
  return results;
}

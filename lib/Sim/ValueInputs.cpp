//===- ValueInputs.cpp - Arguments as bytes -------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueRun.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

namespace {

class InputReader {
public:
  InputReader(const Program &program, size_t index,
              absl::Span<const Argument> arguments)
      : program(program), index(index), input(program.inputs[index]),
        arguments(arguments) {}

  absl::StatusOr<InputImage> read() const {
    absl::StatusOr<const Value *> copy = findCopy();
    if (!copy.ok())
      return copy.status();
    absl::StatusOr<Value> value = select(**copy);
    if (!value.ok())
      return value.status();
    return InputImage{input.buffer, encodeValue(*value)};
  }

private:
  const Program &program;
  size_t index;
  const Input &input;
  absl::Span<const Argument> arguments;

  absl::Status fail(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("program '", program.name, "', input ", index, " (",
                     describeBuffer(program, input.buffer), "): ", what));
  }

  absl::StatusOr<const Value *> findCopy() const {
    if (input.argument >= static_cast<int32_t>(arguments.size()))
      return fail(absl::StrCat("needs argument ", input.argument, "; ",
                               arguments.size(), " were given"));
    const std::vector<Value> &copies = arguments[input.argument].copies;
    auto number = static_cast<int64_t>(copies.size());
    if (input.microBatch == -1 && number != 1)
      return fail(absl::StrCat("argument ", input.argument, " has ", number,
                               " copies; expected one for all micro-batches"));
    if (input.microBatch >= number)
      return fail(absl::StrCat("argument ", input.argument, " has ", number,
                               " copies; expected one for each micro-batch, up "
                               "to number ",
                               input.microBatch));
    return &copies[std::max<int64_t>(input.microBatch, 0)];
  }

  /// The whole argument, or the entries of its leading axis for `experts`.
  absl::StatusOr<Value> select(const Value &whole) const {
    const ValueType &wanted = program.buffers[input.buffer].type;
    ValueType found = whole.type;
    bool some = !input.experts.empty();
    if (some && !found.shape.empty())
      found.shape[0] = static_cast<int64_t>(input.experts.size());
    if (found.kind != wanted.kind || found.element != wanted.element ||
        found.shape != wanted.shape || found.experts != wanted.experts ||
        found.local != wanted.local || (some && whole.isRouting()))
      return fail(absl::StrCat("argument ", input.argument, " is ",
                               describeType(whole.type),
                               some ? ", of which it takes some experts" : "",
                               "; expected ", describeType(wanted)));
    if (static_cast<int64_t>(whole.elements.size()) != whole.type.elements() ||
        (whole.isRouting() && whole.ids.size() != whole.elements.size()))
      return fail(absl::StrCat("argument ", input.argument, " has ",
                               whole.elements.size(), " elements; expected ",
                               whole.type.elements()));
    if (!some)
      return whole;
    Value value;
    value.type = wanted;
    int64_t size = whole.type.elements() / std::max<int64_t>(whole.dim(0), 1);
    for (int32_t expert : input.experts) {
      if (expert >= whole.dim(0))
        return fail(absl::StrCat("takes expert ", expert, " of argument ",
                                 input.argument, ", which has ", whole.dim(0)));
      value.elements.insert(value.elements.end(),
                            whole.elements.begin() + expert * size,
                            whole.elements.begin() + (expert + 1) * size);
    }
    return value;
  }
};

} // namespace

absl::StatusOr<std::vector<InputImage>>
mozart::prepareInputs(const Program &program, const MachineModel &machine,
                      absl::Span<const Argument> arguments) {
  std::vector<InputImage> images;
  std::map<std::pair<Place::Kind, int32_t>, RangeMap<int32_t>> taken;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    absl::StatusOr<InputImage> image =
        InputReader(program, i, arguments).read();
    if (!image.ok())
      return image.status();
    Place place = program.buffers[image->buffer].place;
    auto number = static_cast<int32_t>(i) + 1; // 0: not taken
    for (ByteRange range : rangesOf(program, image->buffer)) {
      int32_t other = 0;
      RangeMap<int32_t> &memory = taken[{place.kind, place.index}];
      memory.forEach(range, [&](ByteRange, int32_t &by) {
        other = by;
        return other == 0;
      });
      if (other != 0)
        return absl::FailedPreconditionError(absl::StrCat(
            "program '", program.name, "': inputs ", other - 1, " and ", i,
            ", ", describeBuffer(program, program.inputs[other - 1].buffer),
            " and ", describeBuffer(program, image->buffer),
            ", share bytes of ", describePlace(machine, place),
            "; expected bytes of their own"));
      memory.assign(range, number);
    }
    images.push_back(*std::move(image));
  }
  return images;
}

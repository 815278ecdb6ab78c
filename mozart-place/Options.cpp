//===- Options.cpp - The command line of mozart-place ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Placement/Placement.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

#include <cmath>

using namespace mozart;

namespace {
/// One option: where its value goes is one of these; a flag takes none.
struct Option {
  const char *name;
  const char *value; // how --help calls it
  const char *help;
  std::string PlaceOptions::*text = nullptr;
  std::optional<int64_t> PlaceOptions::*number = nullptr;
  uint64_t PlaceOptions::*seed = nullptr;
  std::optional<double> PlaceOptions::*real = nullptr;
  bool PlaceOptions::*flag = nullptr;
};
} // namespace

static absl::Span<const Option> options() {
  static const Option kOptions[] = {
      {"profile", "FILE", "routing trace to place by", &PlaceOptions::profile},
      {"evaluate", "FILE",
       "routing trace on which to count as well; of the same\n"
       "model, and best of other tokens",
       &PlaceOptions::evaluate},
      {"experts", "N",
       "routed experts of the model (default: what the traces\n"
       "say; of .npy, which does not say, the highest id + 1)",
       nullptr, &PlaceOptions::experts},
      {"machine", "NAME",
       "machine to place on: a preset (see below), or a file with\n"
       "a wafer.machine (with a '/' or ending in .mlir)",
       &PlaceOptions::machine},
      {"chiplets", "N", "expert chiplets, where no machine is named", nullptr,
       &PlaceOptions::chiplets},
      {"groups", "N",
       "switch groups that these form, of equal size (default: 1)", nullptr,
       &PlaceOptions::groups},
      {"algorithm", "NAME", "how to place (default: algorithm1); see below",
       &PlaceOptions::algorithm},
      {"seed", "N", "seed of algorithms that draw (default: 0)", nullptr,
       nullptr, &PlaceOptions::seed},
      {"load-cap", "X",
       "highest load of a chiplet over the mean, at least 1\n"
       "(search; default: none)",
       nullptr, nullptr, nullptr, &PlaceOptions::loadCap},
      {"group-load-cap", "X", "the same of a switch group (search)", nullptr,
       nullptr, nullptr, &PlaceOptions::groupLoadCap},
      {"chiplet-weight", "X",
       "what a chiplet that a token is sent to counts (search;\n"
       "default: 1)",
       nullptr, nullptr, nullptr, &PlaceOptions::chipletWeight},
      {"group-weight", "X",
       "what a switch group counts beside a chiplet (search;\n"
       "default: 0)",
       nullptr, nullptr, nullptr, &PlaceOptions::groupWeight},
      {"receive-weight", "X",
       "what it counts if all tokens went to the busiest chiplet\n"
       "(search; default: 0)",
       nullptr, nullptr, nullptr, &PlaceOptions::receiveWeight},
      {"level-weight", "X",
       "what parts count at each deeper level of the machine\n"
       "(search, with --machine; default: 0)",
       nullptr, nullptr, nullptr, &PlaceOptions::levelWeight},
      {"hop-weight", "X",
       "what a link on the way to a chiplet counts, for a mesh\n"
       "(search, with --machine; default: 0)",
       nullptr, nullptr, nullptr, &PlaceOptions::hopWeight},
      {"starts", "N", "placements to search from (search; default: 8)", nullptr,
       &PlaceOptions::starts},
      {"kicks", "N",
       "times to go on from near the best that is known\n"
       "(search; default: 60)",
       nullptr, &PlaceOptions::kicks},
      {"budget", "N",
       "changes to make for a layer, in all (search;\n"
       "default: 1000000)",
       nullptr, &PlaceOptions::budget},
      {"slots", "N",
       "experts that fit on a chiplet, so that hot ones get\n"
       "replicas (search, load; default: no replicas)",
       nullptr, &PlaceOptions::slots},
      {"chiplet-bytes", "N",
       "the same by memory: slots are these bytes over those of\n"
       "an expert",
       nullptr, &PlaceOptions::chipletBytes},
      {"expert-bytes", "N",
       "bytes of an expert's weights, for --chiplet-bytes and to\n"
       "count what moves",
       nullptr, &PlaceOptions::expertBytes},
      {"max-replicas", "N",
       "replicas beyond the first of each expert, over all\n"
       "chiplets (default: as many as fit and help)",
       nullptr, &PlaceOptions::maxReplicas},
      {"keep", "FILE", "placement to stay near, counting what moves (search)",
       &PlaceOptions::keep},
      {"max-moves", "N", "experts that may move from there, in each layer",
       nullptr, &PlaceOptions::maxMoves},
      {"placement", "FILE",
       "placement to count instead of placing: .csv, or JSON",
       &PlaceOptions::placement},
      {"drift", "",
       "compare the profile with the trace to evaluate, and say\n"
       "how many tokens of it are enough",
       nullptr, nullptr, nullptr, nullptr, &PlaceOptions::drift},
      {"frontier", "CAPS",
       "place under each of these load caps (1.05,1.1,inf) and\n"
       "write what that gives as CSV, to -o or standard output",
       &PlaceOptions::frontier},
      {"pad", "",
       "fill chiplets that hold fewer with their own experts, so\n"
       "that serving engines can load the map",
       nullptr, nullptr, nullptr, nullptr, &PlaceOptions::pad},
      {"threads", "N",
       "layers to place at a time, to the same end (default: 1)", nullptr,
       &PlaceOptions::threads},
      {"output", "FILE", "placement to write (also -o FILE)",
       &PlaceOptions::output},
  };
  return kOptions;
}

static absl::Status setOption(const Option &option, absl::string_view value,
                              PlaceOptions &result) {
  if (value.empty())
    return absl::InvalidArgumentError(
        absl::StrFormat("--%s needs a value", option.name));
  if (option.text) {
    result.*option.text = std::string(value);
    return absl::OkStatus();
  }
  if (option.real) {
    double real = 0;
    if (!absl::SimpleAtod(value, &real) || !std::isfinite(real))
      return absl::InvalidArgumentError(absl::StrFormat(
          "--%s takes a number, found '%s'", option.name, value));
    result.*option.real = real;
    return absl::OkStatus();
  }
  int64_t number = 0;
  bool read = option.number ? absl::SimpleAtoi(value, &number)
                            : absl::SimpleAtoi(value, &(result.*option.seed));
  if (read && option.number)
    result.*option.number = number;
  if (!read)
    return absl::InvalidArgumentError(absl::StrFormat(
        "--%s takes an integer%s that fits 64 bits, found '%s'", option.name,
        option.seed ? " of at least 0" : "", value));
  return absl::OkStatus();
}

static const Option *findOption(absl::string_view name) {
  for (const Option &option : options())
    if (option.name == name)
      return &option;
  return nullptr;
}

absl::StatusOr<PlaceOptions>
mozart::parsePlaceOptions(absl::Span<const absl::string_view> arguments) {
  PlaceOptions result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      result.help = true;
      continue;
    }
    absl::string_view name = argument;
    if (argument == "-o")
      name = "output";
    else if (!absl::ConsumePrefix(&name, "--"))
      return absl::InvalidArgumentError(absl::StrFormat(
          "'%s' is not an option; traces are given as --profile=FILE and "
          "--evaluate=FILE (--help lists all options)",
          argument));
    size_t equals = name.find('=');
    const Option *option = findOption(name.substr(0, equals));
    if (!option)
      return absl::InvalidArgumentError(absl::StrFormat(
          "there is no option '%s'; --help lists those there are", argument));
    if (option->flag) {
      if (equals != absl::string_view::npos)
        return absl::InvalidArgumentError(
            absl::StrFormat("--%s takes no value", option->name));
      result.*option->flag = true;
      continue;
    }
    absl::string_view value;
    if (equals != absl::string_view::npos)
      value = name.substr(equals + 1);
    else if (i + 1 < arguments.size())
      value = arguments[++i];
    absl::Status status = setOption(*option, value, result);
    if (!status.ok())
      return status;
  }
  return result;
}

static constexpr const char *kHelpEnd = R"(
Traces are .npy arrays [token, layer, k] or [token, k] of integers, JSON lines
(.jsonl, .ndjson), or protobuf (.pb, .binpb). Every layer of the profile is
placed. The placement is JSON with physical_to_logical_map [layers][places], as
serving engines load it, or where its name ends in .csv a table Expert,Node.

Standard output is JSON. "profile" and "evaluation" hold, for each layer and as
a mean:
  c_t                    distinct chiplets a token goes to, mean over tokens
  g_t                    distinct switch groups, likewise; a chiplet that hangs
                         below no switch is in none
  load_max_over_mean     (token, expert) pairs of the busiest chiplet over the
                         mean of chiplets
  receive_max_over_mean  distinct tokens it receives, likewise
Of an expert's replicas a token goes to one on a chiplet that it goes to anyway,
or else to that at its row modulo their number.

On an error the exit code is 1 and no placement is written.
)";

std::string mozart::placeHelp() {
  std::string text =
      "mozart-place: puts the experts of a model on chiplets, by a routing "
      "trace\n\n"
      "usage: mozart-place --profile=a.npy --evaluate=b.npy --experts=64 \\\n"
      "                    --machine=mozart-olmoe -o placement.json\n\n"
      "options:\n";
  for (const Option &option : options()) {
    std::string left =
        absl::StrCat("--", option.name, option.flag ? "" : "=", option.value);
    absl::string_view help = option.help;
    while (!help.empty()) {
      size_t end = std::min(help.find('\n'), help.size());
      absl::StrAppendFormat(&text, "  %-18s %s\n", left, help.substr(0, end));
      help.remove_prefix(std::min(end + 1, help.size()));
      left.clear();
    }
  }
  text += "\nmachines:\n";
  for (const wafer::MachinePreset &preset : wafer::getMachinePresets())
    absl::StrAppend(&text, "  ", preset.name.str(), "\n");
  text += "\nalgorithms:\n";
  for (const PlacementAlgorithm &algorithm : PlacementAlgorithm::all())
    absl::StrAppendFormat(&text, "  %-16s %s%s\n", algorithm.name,
                          algorithm.description,
                          algorithm.needsProfile ? " (needs --profile)" : "");
  text += kHelpEnd;
  return text;
}

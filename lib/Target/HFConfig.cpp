//===- HFConfig.cpp - Keys of a config.json -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HFConfig.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mozart;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Where `"key" :` begins in `text`, not before `from`; `from` if nowhere.
static size_t findKey(StringRef text, StringRef key, size_t from) {
  std::string quoted = ("\"" + key + "\"").str();
  for (size_t at = text.find(quoted, from); at != StringRef::npos;
       at = text.find(quoted, at + 1))
    if (text.substr(at + quoted.size()).ltrim().starts_with(":"))
      return at;
  return from;
}

static Location locateOffset(llvm::MemoryBufferRef buffer, size_t offset,
                             MLIRContext *context) {
  StringRef before = buffer.getBuffer().take_front(offset);
  size_t lineBegin = before.rfind('\n') + 1; // npos + 1 is 0
  return FileLineColLoc::get(context, buffer.getBufferIdentifier(),
                             before.count('\n') + 1,
                             before.size() - lineBegin + 1);
}

/// How deep brackets nest, in strings or not: the parser recurses so far.
static size_t nesting(StringRef text) {
  size_t depth = 0, deepest = 0;
  for (char c : text) {
    if (c == '{' || c == '[')
      deepest = std::max(deepest, ++depth);
    else if ((c == '}' || c == ']') && depth > 0)
      --depth;
  }
  return deepest;
}

/// Reports an error of the JSON parser, "[line:column, byte=n]: what", there.
static void reportSyntax(llvm::MemoryBufferRef buffer, llvm::Error error,
                         MLIRContext *context) {
  std::string message = llvm::toString(std::move(error));
  StringRef what = message;
  unsigned line = 1, column = 1;
  if (what.consume_front("[") && !what.consumeInteger(10, line) &&
      what.consume_front(":") && !what.consumeInteger(10, column))
    what = what.split("]: ").second;
  emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(), line,
                                std::max(column, 1u)))
      << "this is not JSON: " << what;
}

std::optional<HFConfig> HFConfig::parse(llvm::MemoryBufferRef buffer,
                                        MLIRContext *context) {
  constexpr size_t kDeepest = 200;
  HFConfig config(buffer, context);
  Location begin = locateOffset(buffer, 0, context);
  if (size_t depth = nesting(buffer.getBuffer()); depth > kDeepest) {
    emitError(begin) << "objects and arrays nest " << depth
                     << " deep, expected at most " << kDeepest;
    return {};
  }
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(buffer.getBuffer());
  if (!parsed) {
    reportSyntax(buffer, parsed.takeError(), context);
    return {};
  }
  config.root = std::make_shared<llvm::json::Value>(std::move(*parsed));
  const llvm::json::Object *object = config.root->getAsObject();
  if (!object) {
    emitError(begin) << "a configuration is a JSON object, found "
                     << llvm::formatv("{0}", *config.root).str();
    return {};
  }
  if (const llvm::json::Value *text = object->get("text_config");
      text && text->getAsObject())
    config.scopes.push_back(
        {text->getAsObject(), findKey(buffer.getBuffer(), "text_config", 0)});
  config.scopes.push_back({object, 0});
  return config;
}

Location HFConfig::locate(StringRef key) const {
  for (auto [object, begin] : scopes)
    if (object->get(key))
      return locateOffset(buffer, findKey(buffer.getBuffer(), key, begin),
                          context);
  return locateOffset(buffer, scopes.front().second, context);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void HFConfig::error(StringRef key, const Twine &message) {
  if (!hasFailed)
    emitError(locate(key)) << message;
  hasFailed = true;
}

void HFConfig::reportMissing(Spellings spellings) {
  std::string others;
  if (spellings.size() > 1)
    others = " (or '" + llvm::join(spellings.drop_front(), "', '") + "')";
  error("", "key '" + spellings.front() + "'" + others +
                " is missing; expected the model to state it");
}

void HFConfig::reportKind(const Value &found, StringRef expected) {
  std::string text = llvm::formatv("{0}", *found.value);
  constexpr size_t kLongest = 60;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  error(found.key, "'" + found.key + "' is " + text + ", expected " + expected);
}

void HFConfig::requireAtMost(StringRef key, int64_t found, int64_t most,
                             const Twine &what) {
  if (found > most)
    error(key, "'" + key + "' is " + Twine(found) + ", expected at most " +
                   Twine(most) + ", " + what);
}

int64_t HFConfig::multiply(int64_t left, int64_t right, const Twine &what) {
  int64_t product;
  if (!__builtin_mul_overflow(left, right, &product))
    return product;
  error("", "the number of " + what + ", " + Twine(left) + " times " +
                Twine(right) + ", does not fit in 63 bits");
  return 1;
}

void HFConfig::requireOff(StringRef key, StringRef reason,
                          std::optional<double> allowed) {
  Value found = lookup({key});
  if (!found.value || found.value->getAsBoolean() == false)
    return;
  if (allowed && found.value->getAsNumber() == allowed)
    return;
  std::string expected = "null";
  if (allowed)
    expected = llvm::formatv("{0}", *allowed);
  reportKind(found, expected + ": " + reason.str());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

HFConfig::Value HFConfig::lookup(Spellings spellings) {
  Value first;
  for (auto [object, begin] : scopes)
    for (StringRef key : spellings) {
      const llvm::json::Value *value = object->get(key);
      if (!value || value->kind() == llvm::json::Value::Null)
        continue;
      if (!first.value) {
        first = {key, value};
      } else if (*first.value != *value) {
        error(key, "'" + first.key + "' is " +
                       llvm::formatv("{0}", *first.value).str() + " and '" +
                       key + "' is " + llvm::formatv("{0}", *value).str() +
                       ", expected the same");
        return {};
      }
    }
  return first;
}

StringRef HFConfig::find(Spellings spellings) { return lookup(spellings).key; }

int64_t HFConfig::getInt(Spellings spellings, int64_t least) {
  if (find(spellings).empty()) {
    reportMissing(spellings);
    return least;
  }
  return getInt(spellings, least, least);
}

int64_t HFConfig::getInt(Spellings spellings, int64_t least, int64_t missing) {
  Value found = lookup(spellings);
  if (!found.value)
    return missing;
  std::optional<int64_t> value = found.value->getAsInteger();
  if (value && *value >= least)
    return *value;
  reportKind(found, ("an integer of at least " + Twine(least)).str());
  return least;
}

double HFConfig::getDouble(Spellings spellings) {
  if (find(spellings).empty()) {
    reportMissing(spellings);
    return 1.0;
  }
  return getDouble(spellings, 1.0);
}

double HFConfig::getDouble(Spellings spellings, double missing) {
  Value found = lookup(spellings);
  if (!found.value)
    return missing;
  std::optional<double> value = found.value->getAsNumber();
  if (value && std::isfinite(*value) && *value > 0)
    return *value;
  reportKind(found, "a positive number");
  return 1.0;
}

bool HFConfig::getBool(StringRef key, bool missing) {
  Value found = lookup({key});
  if (!found.value)
    return missing;
  if (std::optional<bool> value = found.value->getAsBoolean())
    return *value;
  reportKind(found, "true or false");
  return missing;
}

std::string HFConfig::getString(Spellings spellings) {
  if (find(spellings).empty())
    reportMissing(spellings);
  return getString(spellings, "");
}

std::string HFConfig::getString(Spellings spellings, StringRef missing) {
  Value found = lookup(spellings);
  if (!found.value)
    return missing.str();
  if (std::optional<StringRef> value = found.value->getAsString())
    return value->str();
  reportKind(found, "a string");
  return missing.str();
}

std::string HFConfig::getModelType() {
  for (auto [object, begin] : scopes)
    if (std::optional<StringRef> type = object->getString("model_type"))
      return type->str();
  return getString({"model_type"});
}

std::vector<int64_t> HFConfig::getInts(StringRef key) {
  std::vector<int64_t> ints;
  Value found = lookup({key});
  if (!found.value)
    return ints;
  const llvm::json::Array *array = found.value->getAsArray();
  if (array)
    for (const llvm::json::Value &entry : *array)
      if (std::optional<int64_t> value = entry.getAsInteger())
        ints.push_back(*value);
  if (!array || ints.size() != array->size())
    reportKind(found, "an array of integers");
  return ints;
}

std::vector<std::string> HFConfig::getStrings(StringRef key) {
  std::vector<std::string> strings;
  Value found = lookup({key});
  if (!found.value)
    return strings;
  const llvm::json::Array *array = found.value->getAsArray();
  if (array)
    for (const llvm::json::Value &entry : *array)
      if (std::optional<StringRef> value = entry.getAsString())
        strings.push_back(value->str());
  if (!array || strings.size() != array->size())
    reportKind(found, "an array of strings");
  return strings;
}

std::optional<HFConfig> HFConfig::getObject(Spellings spellings) {
  Value found = lookup(spellings);
  if (!found.value)
    return {};
  const llvm::json::Object *object = found.value->getAsObject();
  if (!object) {
    reportKind(found, "an object or null");
    return {};
  }
  HFConfig view = *this;
  size_t begin = 0;
  for (auto [scope, scopeBegin] : scopes)
    if (scope->get(found.key) == found.value)
      begin = findKey(buffer.getBuffer(), found.key, scopeBegin);
  view.scopes = {{object, begin}};
  return view;
}

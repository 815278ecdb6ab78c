//===- HFConfig.h - Keys of a config.json -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_LIB_TARGET_HFCONFIG_H
#define MOZART_LIB_TARGET_HFCONFIG_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <vector>

namespace mozart {

/// The keys of a configuration. `text_config`, where there is one, comes first,
/// and what it leaves out is looked for around it. A key whose value is null
/// counts as missing.
///
/// Only the first error is reported. After it every question has some valid
/// answer, so that a reader may ask all it wants and look at `failed` once.
class HFConfig {
public:
  /// Names of one thing in different configurations. Two that are present must
  /// agree.
  using Spellings = llvm::ArrayRef<llvm::StringRef>;

  /// Reports what is wrong with the text and returns nothing if it is no
  /// object.
  static std::optional<HFConfig> parse(llvm::MemoryBufferRef buffer,
                                       mlir::MLIRContext *context);

  bool failed() const { return hasFailed; }

  /// The key among `spellings` that is present, else an empty one.
  llvm::StringRef find(Spellings spellings);
  bool has(llvm::StringRef key) { return !find({key}).empty(); }

  /// An integer of at least `least`; an error where it is missing.
  int64_t getInt(Spellings spellings, int64_t least = 1);
  /// The same with a value for one that is missing.
  int64_t getInt(Spellings spellings, int64_t least, int64_t missing);
  /// A positive finite number.
  double getDouble(Spellings spellings);
  double getDouble(Spellings spellings, double missing);
  bool getBool(llvm::StringRef key, bool missing);
  std::string getString(Spellings spellings);
  std::string getString(Spellings spellings, llvm::StringRef missing);
  /// The innermost `model_type`: around a `text_config` it may name the whole
  /// of a model that also sees or hears.
  std::string getModelType();
  /// Integers; empty where the key is missing.
  std::vector<int64_t> getInts(llvm::StringRef key);
  /// Strings; empty where the key is missing.
  std::vector<std::string> getStrings(llvm::StringRef key);
  /// A view of the object that `key` holds; nothing where it is missing.
  std::optional<HFConfig> getObject(Spellings spellings);
  /// An error here, if `view` saw one.
  void adopt(const HFConfig &view) { hasFailed |= view.hasFailed; }

  /// Requires `key`, where it is present, to be null, false or `allowed`,
  /// because `reason`.
  void requireOff(llvm::StringRef key, llvm::StringRef reason,
                  std::optional<double> allowed = {});

  /// Reports `message`, which names found and expected values, at `key`.
  void error(llvm::StringRef key, const llvm::Twine &message);
  /// Requires `found` <= `most`, the value of `what`.
  void requireAtMost(llvm::StringRef key, int64_t found, int64_t most,
                     const llvm::Twine &what);
  /// `left` times `right`, or an error if that leaves 63 bits.
  int64_t multiply(int64_t left, int64_t right, const llvm::Twine &what);

  mlir::MLIRContext *getContext() const { return context; }
  llvm::StringRef getText() const { return buffer.getBuffer(); }

private:
  struct Value {
    llvm::StringRef key;
    const llvm::json::Value *value = nullptr;
  };

  HFConfig(llvm::MemoryBufferRef buffer, mlir::MLIRContext *context)
      : buffer(buffer), context(context) {}

  Value lookup(Spellings spellings);
  void reportMissing(Spellings spellings);
  void reportKind(const Value &found, llvm::StringRef expected);
  mlir::Location locate(llvm::StringRef key) const;

  llvm::MemoryBufferRef buffer;
  mlir::MLIRContext *context;
  std::shared_ptr<llvm::json::Value> root;
  /// Objects to look in, in this order, with where their text begins.
  std::vector<std::pair<const llvm::json::Object *, size_t>> scopes;
  bool hasFailed = false;
};

} // namespace mozart

#endif // MOZART_LIB_TARGET_HFCONFIG_H

//===- Oracle.cpp - Runs models through stock MLIR ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/Oracle.h"

#include "OraclePipeline.h"

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Sim/ProgramChecks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include "absl/strings/str_cat.h"

using namespace mozart;
// Not all of mlir: `Value` is ours here.
using mlir::Diagnostic;
using mlir::DiagnosticSeverity;
using mlir::ExecutionEngine;
using mlir::FailureOr;
using mlir::Location;
using mlir::ModuleOp;
using mlir::ShapedType;
using mlir::Type;
using mlir::TypeRange;

//===----------------------------------------------------------------------===//
// Memory of a run
//===----------------------------------------------------------------------===//

namespace {
/// Every buffer that a run allocates; freed together after its results are
/// read.
class Arena {
public:
  Arena() : outer(current) { current = this; }
  ~Arena() { current = outer; }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  static void *allocate(size_t bytes) {
    current->blocks.push_back(std::make_unique<char[]>(bytes));
    return current->blocks.back().get();
  }
  static void release(void *) {}

private:
  static thread_local Arena *current;
  Arena *outer;
  std::vector<std::unique_ptr<char[]>> blocks;
};
} // namespace

thread_local Arena *Arena::current = nullptr;

/// Copies between buffers of any strides, for copies that are not one block.
/// The operands are unranked: {rank, pointer to a descriptor}.
namespace {
struct Unranked {
  int64_t rank;
  const int64_t *descriptor; ///< allocated, aligned, offset, sizes, strides
};
} // namespace

static void copyStrided(int64_t bytes, const int64_t *from, const int64_t *to,
                        int64_t rank, int64_t axis, char *source,
                        char *target) {
  if (axis == rank) {
    std::memcpy(target, source, bytes);
    return;
  }
  const int64_t *sizes = from + 3;
  for (int64_t i = 0; i < sizes[axis]; ++i)
    copyStrided(bytes, from, to, rank, axis + 1,
                source + i * bytes * sizes[rank + axis],
                target + i * bytes * to[3 + rank + axis]);
}

static void copyMemRef(int64_t bytes, const Unranked *from,
                       const Unranked *to) {
  auto begin = [&](const int64_t *descriptor) {
    return reinterpret_cast<char *>(descriptor[1]) + bytes * descriptor[2];
  };
  copyStrided(bytes, from->descriptor, to->descriptor, from->rank, 0,
              begin(from->descriptor), begin(to->descriptor));
}

//===----------------------------------------------------------------------===//
// Arguments and results as buffers
//===----------------------------------------------------------------------===//

static ValueType tensorType(ElementType element, std::vector<int64_t> shape) {
  ValueType type;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

/// The tensors that a value is in the lowered function: one, or the ids and the
/// gate weights of a routing.
static std::vector<ValueType> partsOf(const ValueType &type) {
  if (type.kind == ValueType::Kind::Tensor)
    return {type};
  return {tensorType(ElementType::I32, type.shape),
          tensorType(type.element, type.shape)};
}

namespace {
/// A buffer as the C interface of a compiled function takes it.
struct BufferArgument {
  std::vector<uint8_t> bytes;
  std::vector<int64_t> descriptor;
  int64_t *pointer = nullptr;

  void describe(const std::vector<int64_t> &shape) {
    auto address = reinterpret_cast<intptr_t>(bytes.data());
    descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), shape.begin(), shape.end());
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * shape[axis];
    descriptor.insert(descriptor.end(), strides.begin(), strides.end());
    pointer = descriptor.data();
  }
};
} // namespace

static Value tensorOfIds(const Value &routing) {
  Value ids;
  ids.type = tensorType(ElementType::I32, routing.type.shape);
  ids.elements.assign(routing.ids.begin(), routing.ids.end());
  return ids;
}

static void appendArguments(const Value &value,
                            std::vector<BufferArgument> &arguments) {
  auto append = [&](const Value &tensor) {
    BufferArgument argument;
    argument.bytes = encodeValue(tensor);
    argument.describe(tensor.type.shape);
    arguments.push_back(std::move(argument));
  };
  if (!value.isRouting())
    return append(value);
  append(tensorOfIds(value));
  Value weights;
  weights.type = tensorType(value.type.element, value.type.shape);
  weights.elements = value.elements;
  append(weights);
}

/// Reads one result from its descriptor and moves past it.
static absl::StatusOr<Value> readTensor(const ValueType &type,
                                        const int64_t *&descriptor) {
  ValueType actual = type;
  size_t rank = type.shape.size();
  actual.shape.assign(descriptor + 3, descriptor + 3 + rank);
  auto *bytes = reinterpret_cast<const uint8_t *>(descriptor[1]) +
                descriptor[2] * elementBytes(type.element);
  descriptor += 3 + 2 * rank;
  return decodeValue(actual, absl::MakeConstSpan(bytes, actual.bytes()));
}

static absl::StatusOr<Value> readResult(const ValueType &type,
                                        const int64_t *&descriptor) {
  if (type.kind == ValueType::Kind::Tensor)
    return readTensor(type, descriptor);
  std::vector<ValueType> parts = partsOf(type);
  absl::StatusOr<Value> ids = readTensor(parts[0], descriptor);
  absl::StatusOr<Value> weights = readTensor(parts[1], descriptor);
  if (!ids.ok())
    return ids.status();
  if (!weights.ok())
    return weights.status();
  Value routing;
  routing.type = type;
  routing.type.shape = weights->type.shape;
  routing.elements = std::move(weights->elements);
  for (double id : ids->elements)
    routing.ids.push_back(static_cast<int32_t>(id));
  return routing;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// Collects the errors of a context while it lives.
class CapturedErrors {
public:
  explicit CapturedErrors(mlir::MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            absl::StrAppend(&text, text.empty() ? "" : "; ",
                            describe(diagnostic));
          return mlir::success();
        }) {}

  absl::Status status(absl::StatusCode code, absl::string_view what) const {
    return absl::Status(code, absl::StrCat(what, ": ", text));
  }

private:
  static std::string describe(Diagnostic &diagnostic) {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << diagnostic.getLocation() << ": " << diagnostic;
    return line;
  }
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};
} // namespace

static FailureOr<ValueType> getInterfaceType(Location loc, Type type,
                                             bool mayBeDynamic) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape() || !mayBeDynamic)
    return moe::getValueType(loc, type);
  // Extents of results are read from what comes back.
  llvm::SmallVector<int64_t> shape =
      llvm::map_to_vector(tensor.getShape(), [](int64_t extent) {
        return ShapedType::isDynamic(extent) ? 0 : extent;
      });
  return moe::getValueType(loc, tensor.clone(shape));
}

static FailureOr<std::vector<ValueType>>
getInterfaceTypes(Location loc, TypeRange types, bool mayBeDynamic) {
  std::vector<ValueType> result;
  for (Type type : types) {
    FailureOr<ValueType> plain = getInterfaceType(loc, type, mayBeDynamic);
    if (failed(plain))
      return mlir::failure();
    result.push_back(*plain);
  }
  return result;
}

/// Other functions that nobody calls need not be compiled.
static void keepOnly(ModuleOp module, mlir::func::FuncOp function) {
  auto functions = module.getOps<mlir::func::FuncOp>();
  for (mlir::func::FuncOp other : llvm::make_early_inc_range(functions))
    if (other != function &&
        mlir::SymbolTable::symbolKnownUseEmpty(other, module))
      other.erase();
}

/// This machine, with a code generator that takes no time to optimise. (The
/// engine's own option for it has no effect on the machine that it makes.)
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createFastTarget() {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  return builder->createTargetMachine();
}

static absl::StatusOr<std::unique_ptr<ExecutionEngine>>
createEngine(ModuleOp module) {
  static bool initialized = [] {
    return !llvm::InitializeNativeTarget() &&
           !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!initialized)
    return absl::InternalError("LLVM has no code generator for this machine");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> target =
      createFastTarget();
  if (!target)
    return absl::InternalError(llvm::toString(target.takeError()));
  mlir::ExecutionEngineOptions options;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, options, std::move(*target));
  if (!engine)
    return absl::InternalError(llvm::toString(engine.takeError()));
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    auto symbol = [](auto *function) {
      return llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
    };
    llvm::orc::SymbolMap symbols;
    symbols[intern(kOracleAllocate)] = symbol(&Arena::allocate);
    symbols[intern(kOracleFree)] = symbol(&Arena::release);
    symbols[intern("memrefCopy")] = symbol(&copyMemRef);
    return symbols;
  });
  return std::move(*engine);
}

using Entry = void (*)(void **);

/// Generates the code of a function's C interface.
static absl::StatusOr<Entry> findEntry(ExecutionEngine &engine,
                                       const std::string &name) {
  llvm::Expected<Entry> entry = engine.lookupPacked("_mlir_ciface_" + name);
  if (!entry)
    return absl::InternalError(absl::StrCat(
        "cannot link '", name, "': ", llvm::toString(entry.takeError())));
  return *entry;
}

CompiledFunction::CompiledFunction() = default;
CompiledFunction::CompiledFunction(CompiledFunction &&) = default;
CompiledFunction &CompiledFunction::operator=(CompiledFunction &&) = default;
CompiledFunction::~CompiledFunction() = default;

absl::StatusOr<CompiledFunction>
CompiledFunction::compile(ModuleOp module, llvm::StringRef function) {
  CapturedErrors errors(module.getContext());
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  auto func = copy->lookupSymbol<mlir::func::FuncOp>(function);
  if (!func || func.isExternal())
    return absl::NotFoundError(
        absl::StrCat("the module has no function '",
                     absl::string_view(function.data(), function.size()),
                     "' with a body to run"));
  CompiledFunction compiled;
  std::string name = function.str();
  Location loc = func.getLoc();
  auto arguments = getInterfaceTypes(loc, func.getArgumentTypes(), false);
  auto results = getInterfaceTypes(loc, func.getResultTypes(), true);
  if (failed(arguments) || failed(results))
    return errors.status(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("cannot call '", name, "'"));
  compiled.arguments = std::move(*arguments);
  compiled.results = std::move(*results);
  keepOnly(*copy, func);
  loadOracleDialects(*module.getContext());
  if (failed(lowerToLLVM(*copy)))
    return errors.status(absl::StatusCode::kInternal,
                         absl::StrCat("cannot lower '", name, "'"));
  absl::StatusOr<std::unique_ptr<ExecutionEngine>> engine = createEngine(*copy);
  if (!engine.ok())
    return errors.status(engine.status().code(),
                         absl::StrCat("cannot compile '", name,
                                      "': ", engine.status().message()));
  compiled.engine = std::move(*engine);
  absl::StatusOr<Entry> entry = findEntry(*compiled.engine, name);
  if (!entry.ok())
    return entry.status();
  compiled.entry = *entry;
  return compiled;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static absl::Status checkInputs(absl::Span<const Value> inputs,
                                const std::vector<ValueType> &expected) {
  if (inputs.size() != expected.size())
    return absl::InvalidArgumentError(
        absl::StrCat("the function takes ", expected.size(),
                     " arguments, but was given ", inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string found = describeType(inputs[i].type);
    std::string wanted = describeType(expected[i]);
    size_t elements = static_cast<size_t>(expected[i].elements());
    if (found != wanted || inputs[i].elements.size() != elements ||
        (inputs[i].isRouting() && inputs[i].ids.size() != elements))
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " is ", found, " with ", inputs[i].elements.size(),
          " elements, expected ", wanted, " with ", elements));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>>
CompiledFunction::run(absl::Span<const Value> inputs) const {
  if (absl::Status status = checkInputs(inputs, arguments); !status.ok())
    return status;
  std::vector<BufferArgument> buffers;
  for (const Value &input : inputs)
    appendArguments(input, buffers);
  size_t words = 0;
  for (const ValueType &result : results)
    for (const ValueType &part : partsOf(result))
      words += 3 + 2 * part.shape.size();
  std::vector<int64_t> descriptors(words);
  int64_t *descriptorsPointer = descriptors.data();

  llvm::SmallVector<void *> packed;
  if (words > 0)
    packed.push_back(&descriptorsPointer);
  for (BufferArgument &buffer : buffers)
    packed.push_back(&buffer.pointer);
  Arena arena;
  entry(packed.data());

  std::vector<Value> values;
  const int64_t *next = descriptors.data();
  for (const ValueType &type : results) {
    absl::StatusOr<Value> value = readResult(type, next);
    if (!value.ok())
      return value.status();
    values.push_back(std::move(*value));
  }
  return values;
}

absl::StatusOr<std::vector<Value>>
mozart::runOracle(ModuleOp module, llvm::StringRef function,
                  absl::Span<const Value> inputs) {
  absl::StatusOr<CompiledFunction> compiled =
      CompiledFunction::compile(module, function);
  if (!compiled.ok())
    return compiled.status();
  return compiled->run(inputs);
}

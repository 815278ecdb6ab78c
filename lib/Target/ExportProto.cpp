//===- ExportProto.cpp - Programs and machines as protobuf messages -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/ExportProto.h"

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Machine/MachineProto.h"
#include "mozart/Sim/ProgramProto.h"
#include "mozart/Target/ExportProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace mozart;

namespace cl = llvm::cl;

namespace {
enum class ProtoForm { Text, Binary };

struct ExportFlags {
  cl::OptionCategory category{"Options of --export-program, --export-machine"};
  cl::opt<ProtoForm> form{
      "proto-format", cl::desc("Form of the message"),
      cl::values(clEnumValN(ProtoForm::Text, "text", "to read (default)"),
                 clEnumValN(ProtoForm::Binary, "binary", "to load")),
      cl::init(ProtoForm::Text), cl::cat(category)};
};
} // namespace

/// The same message always gives the same bytes.
static std::string print(const google::protobuf::Message &message,
                         ProtoForm form) {
  std::string bytes;
  if (form == ProtoForm::Text) {
    google::protobuf::TextFormat::PrintToString(message, &bytes);
    return bytes;
  }
  google::protobuf::io::StringOutputStream stream(&bytes);
  {
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

static FailureOr<ModuleOp> asModule(Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op))
    return module;
  return op->emitError() << "is a " << op->getName() << ", expected a module";
}

static LogicalResult exportProgramProto(Operation *op, raw_ostream &os,
                                        ProtoForm form) {
  FailureOr<ModuleOp> module = asModule(op);
  if (failed(module))
    return failure();
  FailureOr<chiplet::ProgramOp> program = findProgram(*module);
  if (failed(program))
    return failure();
  FailureOr<ExportedProgram> exported = exportProgram(*program);
  if (failed(exported))
    return failure();
  os << print(toProto(exported->program), form);
  return success();
}

static LogicalResult exportMachineProto(Operation *op, raw_ostream &os,
                                        ProtoForm form) {
  FailureOr<ModuleOp> module = asModule(op);
  if (failed(module))
    return failure();
  SmallVector<wafer::MachineOp> machines(module->getOps<wafer::MachineOp>());
  if (machines.size() != 1)
    return module->emitError()
           << "has " << machines.size() << " machines, expected exactly one";
  os << print(toProto(wafer::getMachineFacts(machines.front())), form);
  return success();
}

void mozart::registerExportProto() {
  static ExportFlags flags;
  auto dialects = [](DialectRegistry &registry) {
    registry.insert<chiplet::ChipletDialect, func::FuncDialect, moe::MoEDialect,
                    nop::NoPDialect, wafer::WaferDialect>();
  };
  static TranslateFromMLIRRegistration program(
      "export-program", "A program as a protobuf message",
      [](Operation *op, raw_ostream &os) {
        return exportProgramProto(op, os, flags.form);
      },
      dialects);
  static TranslateFromMLIRRegistration machine(
      "export-machine", "A machine as a protobuf message",
      [](Operation *op, raw_ostream &os) {
        return exportMachineProto(op, os, flags.form);
      },
      dialects);
}

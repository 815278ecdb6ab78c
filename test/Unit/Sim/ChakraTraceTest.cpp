//===- ChakraTraceTest.cpp - A simulation as Chakra traces ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ChakraTrace.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"
#include "Sim/TestPrograms.h"
#include "proto/chakra.pb.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

using namespace mozart;
using namespace mozart::test;

namespace chakra = ChakraProtoMsg;

namespace {

/// The messages of a file: its metadata, then nodes.
struct File {
  chakra::GlobalMetadata metadata;
  std::vector<chakra::Node> nodes;
};

File parse(const std::string &bytes) {
  File file;
  size_t at = 0;
  for (bool first = true; at < bytes.size(); first = false) {
    size_t length = 0;
    for (int shift = 0;; shift += 7) {
      auto byte = static_cast<uint8_t>(bytes[at++]);
      length |= static_cast<size_t>(byte & 127) << shift;
      if (byte < 128)
        break;
    }
    std::string message = bytes.substr(at, length);
    at += length;
    if (first) {
      EXPECT_TRUE(file.metadata.ParseFromString(message));
    } else {
      file.nodes.emplace_back();
      EXPECT_TRUE(file.nodes.back().ParseFromString(message));
    }
  }
  EXPECT_EQ(at, bytes.size());
  return file;
}

const chakra::AttributeProto &attribute(const chakra::Node &node,
                                        absl::string_view name) {
  static const chakra::AttributeProto none;
  for (const chakra::AttributeProto &attr : node.attr())
    if (attr.name() == name)
      return attr;
  return none;
}

std::vector<File> traces(const Program &program, const MachineModel &machine,
                         const BoundRouting *routing,
                         const SimulationResult &result) {
  RoutingCounter counter(program, routing);
  absl::StatusOr<std::vector<std::string>> bytes =
      printChakraTraces(program, machine, counter, result);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  std::vector<File> files;
  if (bytes.ok())
    for (const std::string &file : *bytes)
      files.push_back(parse(file));
  return files;
}

TEST(ChakraTrace, LoadsAndSignals) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b(machine);
  int32_t first = b.load(1, 3, 1000); // to c3, rank 1
  b.load(1, 4, 500, {first});         // to c4, rank 2
  SimulationResult result = *simulate(b.program, machine, nullptr);
  std::vector<File> files = traces(b.program, machine, nullptr, result);
  ASSERT_EQ(files.size(), 5u);
  EXPECT_EQ(files[1].metadata.attr(0).string_val(), "c3");
  ASSERT_EQ(files[1].nodes.size(), 2u);
  const chakra::Node &load = files[1].nodes[0], &send = files[1].nodes[1];
  EXPECT_EQ(load.type(), chakra::MEM_LOAD_NODE);
  EXPECT_EQ(load.name(), "load.sram_0");
  EXPECT_EQ(attribute(load, "tensor_size").uint64_val(), 1000u);
  EXPECT_EQ(attribute(load, "duration_ps").int64_val(), 100000);
  EXPECT_EQ(send.type(), chakra::COMM_SEND_NODE);
  EXPECT_EQ(send.ctrl_deps(0), load.id());
  EXPECT_EQ(attribute(send, "comm_dst").int32_val(), 2);
  ASSERT_EQ(files[2].nodes.size(), 2u);
  const chakra::Node &receive = files[2].nodes[0], &other = files[2].nodes[1];
  EXPECT_EQ(receive.type(), chakra::COMM_RECV_NODE);
  EXPECT_EQ(attribute(receive, "comm_src").int32_val(), 1);
  EXPECT_EQ(other.ctrl_deps(0), receive.id());
  EXPECT_EQ(attribute(other, "start_ps").int64_val(), 100000);
}

/// Every SEND meets one RECV of the same size, ids count up, dependences point
/// backwards, and every task is somewhere with its exact times.
TEST(ChakraTrace, RandomPrograms) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomCase c(seed);
    SimulationResult result =
        *simulate(c.program, c.machine, c.routing.bound.get());
    std::vector<File> files =
        traces(c.program, c.machine, c.routing.bound.get(), result);
    std::map<int32_t, std::tuple<int64_t, int32_t, int32_t>> sends, receives;
    size_t compute = 0, expected = 0;
    for (const Task &task : c.program.tasks)
      expected += task.kind == TaskKind::Compute;
    for (size_t rank = 0; rank < files.size(); ++rank) {
      uint64_t id = 0;
      for (const chakra::Node &node : files[rank].nodes) {
        EXPECT_EQ(node.id(), id++);
        for (uint64_t dep : node.data_deps())
          EXPECT_LT(dep, node.id());
        for (uint64_t dep : node.ctrl_deps())
          EXPECT_LT(dep, node.id());
        EXPECT_LE(attribute(node, "start_ps").int64_val() +
                      attribute(node, "duration_ps").int64_val(),
                  result.latencyPs);
        bool send = node.type() == chakra::COMM_SEND_NODE;
        compute += node.type() == chakra::COMP_NODE &&
                   attribute(node, "num_ops").int64_val() > 0;
        if (!send && node.type() != chakra::COMM_RECV_NODE)
          continue;
        EXPECT_EQ(attribute(node, send ? "comm_src" : "comm_dst").int32_val(),
                  static_cast<int32_t>(rank));
        bool fresh =
            (send ? sends : receives)
                .emplace(attribute(node, "comm_tag").int32_val(),
                         std::tuple(attribute(node, "comm_size").int64_val(),
                                    attribute(node, "comm_src").int32_val(),
                                    attribute(node, "comm_dst").int32_val()))
                .second;
        EXPECT_TRUE(fresh);
      }
    }
    EXPECT_EQ(sends, receives) << seed;
    EXPECT_LE(compute, expected) << seed;
  }
}

} // namespace

//===- PartitionersTest.cpp - The search against outside partitioners -----===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zoltan's hypergraph partitioner minimises the very sum that C_T is; METIS the
// cut of the graph of pairs that fire together. Both may leave parts uneven by
// an expert or more, which is put right by the moves that cost least, since
// chiplets hold equally many. Built where both are installed.
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SearchLayer.h"
#include "mozart/Routing/SyntheticRouter.h"
#include "mozart/Routing/TraceIO.h"
#include "mozart/Support/AtomicFile.h"

#include "SearchTesting.h"

#include <cstdlib>
#include <iostream>
#include <metis.h>
#include <mpi.h>
#include <numeric>
#include <zoltan.h>

using namespace mozart;
using namespace mozart::testing;

/// Whichever seeds do best.
static constexpr int kZoltanTries = 4, kMetisTries = 20;

static int64_t visits(const Hypergraph &graph, int64_t chiplets,
                      const std::vector<int32_t> &chipletOf) {
  CutLevel cut(graph, chiplets, chipletOf);
  absl::Span<const int64_t> received = cut.receivedOf();
  return std::accumulate(received.begin(), received.end(), int64_t(0));
}

/// Moves experts from chiplets with more than `capacity` to those with fewer.
static std::vector<int32_t> evenedOut(const Hypergraph &graph, int64_t chiplets,
                                      std::vector<int32_t> chipletOf) {
  CutLevel cut(graph, chiplets, chipletOf);
  int64_t experts = graph.numVertices(), capacity = experts / chiplets;
  std::vector<int64_t> count(chiplets, 0);
  for (int32_t chiplet : chipletOf)
    ++count[chiplet];
  while (true) {
    int64_t best = INT64_MAX;
    int32_t expert = -1, to = -1;
    for (int32_t e = 0; e < experts; ++e)
      for (int32_t c = 0; c < chiplets; ++c)
        if (count[cut.part(e)] > capacity && count[c] < capacity &&
            cut.gainOfMove(e, c) - cut.alone(e) < best) {
          best = cut.gainOfMove(e, c) - cut.alone(e);
          expert = e;
          to = c;
        }
    if (expert < 0)
      break;
    --count[cut.part(expert)];
    ++count[to];
    cut.move(expert, to);
    chipletOf[expert] = to;
  }
  return chipletOf;
}

static int numVertices(void *graph, int *error) {
  *error = ZOLTAN_OK;
  return static_cast<int>(static_cast<Hypergraph *>(graph)->numVertices());
}

static void listVertices(void *graph, int, int, ZOLTAN_ID_PTR global,
                         ZOLTAN_ID_PTR, int, float *, int *error) {
  *error = ZOLTAN_OK;
  std::iota(global, global + static_cast<Hypergraph *>(graph)->numVertices(),
            0);
}

static void sizeOfEdges(void *data, int *lists, int *pins, int *format,
                        int *error) {
  const Hypergraph &graph = *static_cast<Hypergraph *>(data);
  *lists = static_cast<int>(graph.numEdges());
  *pins = 0;
  for (int64_t edge = 0; edge < graph.numEdges(); ++edge)
    *pins += static_cast<int>(graph.members(edge).size());
  *format = ZOLTAN_COMPRESSED_EDGE;
  *error = ZOLTAN_OK;
}

static void listEdges(void *data, int, int, int, int, ZOLTAN_ID_PTR edges,
                      int *begin, ZOLTAN_ID_PTR pins, int *error) {
  const Hypergraph &graph = *static_cast<Hypergraph *>(data);
  int next = 0;
  for (int64_t edge = 0; edge < graph.numEdges(); ++edge) {
    edges[edge] = static_cast<ZOLTAN_ID_TYPE>(edge);
    begin[edge] = next;
    for (uint16_t vertex : graph.members(edge))
      pins[next++] = vertex;
  }
  *error = ZOLTAN_OK;
}

static void numWeights(void *data, int *count, int *error) {
  *count = static_cast<int>(static_cast<Hypergraph *>(data)->numEdges());
  *error = ZOLTAN_OK;
}

static void listWeights(void *data, int, int, int count, int,
                        ZOLTAN_ID_PTR edges, ZOLTAN_ID_PTR, float *weights,
                        int *error) {
  const Hypergraph &graph = *static_cast<Hypergraph *>(data);
  for (int edge = 0; edge < count; ++edge) {
    edges[edge] = static_cast<ZOLTAN_ID_TYPE>(edge);
    weights[edge] = static_cast<float>(graph.weight(edge));
  }
  *error = ZOLTAN_OK;
}

static int64_t byZoltan(const Hypergraph &graph, int64_t chiplets) {
  int64_t best = INT64_MAX;
  for (int seed = 1; seed <= kZoltanTries; ++seed) {
    Zoltan_Struct *zoltan = Zoltan_Create(MPI_COMM_SELF);
    std::pair<const char *, std::string> parameters[] = {
        {"DEBUG_LEVEL", "0"},
        {"LB_METHOD", "HYPERGRAPH"},
        {"HYPERGRAPH_PACKAGE", "PHG"},
        {"LB_APPROACH", "PARTITION"},
        {"NUM_GLOBAL_PARTS", std::to_string(chiplets)},
        {"RETURN_LISTS", "PARTS"},
        {"EDGE_WEIGHT_DIM", "1"},
        {"OBJ_WEIGHT_DIM", "0"},
        {"IMBALANCE_TOL", "1.01"},
        {"PHG_CUT_OBJECTIVE", "CONNECTIVITY"},
        {"PHG_EDGE_SIZE_THRESHOLD", "1.0"},
        {"PHG_REFINEMENT_QUALITY", "5"},
        {"SEED", std::to_string(seed)}};
    for (auto &[name, value] : parameters)
      EXPECT_EQ(Zoltan_Set_Param(zoltan, name, value.c_str()), ZOLTAN_OK)
          << name;
    void *data = const_cast<Hypergraph *>(&graph);
    Zoltan_Set_Num_Obj_Fn(zoltan, numVertices, data);
    Zoltan_Set_Obj_List_Fn(zoltan, listVertices, data);
    Zoltan_Set_HG_Size_CS_Fn(zoltan, sizeOfEdges, data);
    Zoltan_Set_HG_CS_Fn(zoltan, listEdges, data);
    Zoltan_Set_HG_Size_Edge_Wts_Fn(zoltan, numWeights, data);
    Zoltan_Set_HG_Edge_Wts_Fn(zoltan, listWeights, data);
    int changes, sizeOfId, sizeOfLocal, imports, exports;
    ZOLTAN_ID_PTR importIds, importLocals, exportIds, exportLocals;
    int *importRanks, *importParts, *exportRanks, *exportParts;
    EXPECT_EQ(Zoltan_LB_Partition(zoltan, &changes, &sizeOfId, &sizeOfLocal,
                                  &imports, &importIds, &importLocals,
                                  &importRanks, &importParts, &exports,
                                  &exportIds, &exportLocals, &exportRanks,
                                  &exportParts),
              ZOLTAN_OK);
    std::vector<int32_t> chipletOf(graph.numVertices(), 0);
    for (int i = 0; i < exports; ++i)
      chipletOf[exportIds[i]] = exportParts[i];
    best = std::min(
        best, visits(graph, chiplets, evenedOut(graph, chiplets, chipletOf)));
    Zoltan_LB_Free_Part(&importIds, &importLocals, &importRanks, &importParts);
    Zoltan_LB_Free_Part(&exportIds, &exportLocals, &exportRanks, &exportParts);
    Zoltan_Destroy(&zoltan);
  }
  return best;
}

static int64_t byMetis(const Hypergraph &graph, int64_t chiplets) {
  int64_t experts = graph.numVertices();
  std::vector<int64_t> together(experts * experts, 0);
  for (int64_t edge = 0; edge < graph.numEdges(); ++edge)
    for (uint16_t a : graph.members(edge))
      for (uint16_t b : graph.members(edge))
        together[a * experts + b] += a == b ? 0 : graph.weight(edge);
  // Its sums are in 32 bits.
  int64_t sum = std::accumulate(together.begin(), together.end(), int64_t(0));
  int64_t scale = sum / 1'000'000'000 + 1;
  std::vector<idx_t> begin = {0}, neighbours, weights;
  for (int64_t a = 0; a < experts; ++a) {
    for (int64_t b = 0; b < experts; ++b)
      if (together[a * experts + b] > 0) {
        neighbours.push_back(static_cast<idx_t>(b));
        weights.push_back(static_cast<idx_t>(
            std::max<int64_t>(together[a * experts + b] / scale, 1)));
      }
    begin.push_back(static_cast<idx_t>(neighbours.size()));
  }
  int64_t best = INT64_MAX;
  for (int seed = 0; seed < kMetisTries; ++seed) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NUMBERING] = 0;
    idx_t count = static_cast<idx_t>(experts), constraints = 1, cut = 0;
    idx_t parts = static_cast<idx_t>(chiplets);
    std::vector<idx_t> partOf(experts, 0);
    EXPECT_EQ(METIS_PartGraphRecursive(&count, &constraints, begin.data(),
                                       neighbours.data(), nullptr, nullptr,
                                       weights.data(), &parts, nullptr, nullptr,
                                       options, &cut, partOf.data()),
              METIS_OK);
    best = std::min(best, visits(graph, chiplets,
                                 evenedOut(graph, chiplets,
                                           {partOf.begin(), partOf.end()})));
  }
  return best;
}

/// The search is at most 1 % above either, on every layer.
static void compare(const std::string &name, const Trace &trace,
                    int64_t chiplets) {
  for (int64_t layer = 0; layer < trace.numLayers(); ++layer) {
    PlacementProblem problem =
        problemOf(trace, std::vector<int32_t>(chiplets, 0));
    problem.layer = layer;
    absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
    ASSERT_TRUE(found.ok()) << found.status();
    Hypergraph graph(trace, layer);
    double tokens = static_cast<double>(trace.numTokens());
    double search = static_cast<double>(found->value.first) / 1000 / tokens;
    double zoltan = static_cast<double>(byZoltan(graph, chiplets)) / tokens;
    double metis = static_cast<double>(byMetis(graph, chiplets)) / tokens;
    std::cout << name << " layer " << layer << ": search " << search
              << ", Zoltan " << zoltan << ", METIS " << metis << std::endl;
    EXPECT_LE(search, 1.01 * zoltan);
    EXPECT_LE(search, 1.01 * metis);
  }
}

namespace {
/// MPI, which Zoltan is built on, for the life of the process.
struct Message : ::testing::Environment {
  void SetUp() override { MPI_Init(nullptr, nullptr); }
  void TearDown() override { MPI_Finalize(); }
};
} // namespace
static ::testing::Environment *const environment =
    ::testing::AddGlobalTestEnvironment(new Message);

TEST(Partitioners, OnSyntheticRouting) {
  ASSERT_NE(environment, nullptr);
  for (const EmbeddedTraceModel &model : EmbeddedTraceModel::all()) {
    SyntheticRouter router = model.router;
    router.layers = 2;
    compare(model.name, *drawTrace(router, Draw::Profile, 8192), 16);
  }
}

TEST(Partitioners, OnRealRouting) {
  const char *given = std::getenv("MOZART_DATA_DIR");
  std::string directory =
      given ? given : MOZART_SOURCE_DIR "/../shared/data/routing";
  auto read = [&](const std::string &name, int64_t experts) {
    TraceReadOptions options;
    options.experts = experts;
    return readTrace(directory + "/" + name, options);
  };
  absl::StatusOr<Trace> trace = read("gpt-oss-20b.even-docs.layers8.npy", 32);
  if (!trace.ok())
    GTEST_SKIP() << "no real routing in " << directory
                 << "; set MOZART_DATA_DIR to its directory";
  compare("gpt-oss-20b", *trace, 8);
  for (const char *layer : {"0", "7", "15"}) {
    trace =
        read(std::string("olmoe-1b-7b.recon.layer") + layer + ".train.npy", 64);
    ASSERT_TRUE(trace.ok()) << trace.status();
    compare(std::string("olmoe-1b-7b ") + layer, *trace, 16);
  }
}

//===- Testing.h - What the tests of routing share ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_UNITTESTS_ROUTING_TESTING_H
#define MOZART_UNITTESTS_ROUTING_TESTING_H

#include "mozart/Routing/Trace.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mozart::testing {

/// A trace that must be valid.
inline Trace makeTrace(int64_t tokens, int64_t layers, int64_t k,
                       int64_t experts, std::vector<int32_t> ids) {
  absl::StatusOr<Trace> trace =
      Trace::create(tokens, layers, k, experts, std::move(ids));
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *trace : Trace();
}

/// Expects a failure with kInvalidArgument whose message holds every part.
template <typename T>
void expectInvalid(const absl::StatusOr<T> &result,
                   const std::vector<std::string> &parts) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  for (const std::string &part : parts)
    EXPECT_THAT(std::string(result.status().message()),
                ::testing::HasSubstr(part));
}

} // namespace mozart::testing

#endif // MOZART_UNITTESTS_ROUTING_TESTING_H

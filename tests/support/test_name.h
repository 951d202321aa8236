#pragma once

#include <string>

#include <gtest/gtest.h>

namespace alder::testing {

/// The name of a test whose parameter is a learner's name.
inline std::string test_name(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name;
  for (const char letter : tested.param) name += letter == '+' ? 'P' : letter;
  return name;
}

}  // namespace alder::testing

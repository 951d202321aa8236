#pragma once

#include <string>

#include "alder/error.h"

namespace alder::testing {

/// The message of the Error that an action throws; "nothing thrown" if it does not.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace alder::testing

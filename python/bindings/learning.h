#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include "alder/batch.h"
#include "alder/learner.h"
#include "alder/model.h"

namespace alder::python {

namespace nb = nanobind;

/// Lets Python handle Ctrl-C, and tells how far things are, about twenty times a second.
class Pulse {
 public:
  explicit Pulse(nb::object tell) : tell_(std::move(tell)) {}

  /// After every row; needs no GIL. Throws what Python throws.
  void beat(std::size_t done) {
    if (done % kRowsBetweenLooks != 0) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell_.is_none()) tell_(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kRowsBetweenLooks = 16;  // the clock costs as much as a small round

  nb::object tell_;
  Clock::time_point last_ = Clock::now();
};

/// When learning ends, however it does, the learner expects no row of the caller's arrays any more.
struct ForgetRows {
  Learner& learner;
  explicit ForgetRows(Learner& from) : learner(from) {}
  ForgetRows(const ForgetRows&) = delete;
  ForgetRows& operator=(const ForgetRows&) = delete;
  ~ForgetRows() { learner.expect({}); }
};

/// Keeps a hypothesis of the learner, if that is wanted, in its place; also when learning ends early.
class Keeper {
 public:
  Keeper(Model& model, const std::optional<BatchOptions>& options) : model_(model) {
    if (options) batch_.emplace(*model.learner, *options);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void after_round() {
    if (batch_) batch_->after_round();
  }
  void keep() {
    if (!batch_) return;
    auto chosen = batch_->chosen();
    batch_.reset();
    model_.learner = std::move(chosen.hypothesis);
  }

 private:
  Model& model_;
  std::optional<Batch> batch_;
};

}  // namespace alder::python

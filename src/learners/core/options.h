#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "alder/kernel.h"
#include "alder/loss.h"
#include "alder/precision.h"
#include "alder/registry.h"

namespace alder {

/// What a number may be; both ends are allowed. The default leaves room for squares and products in double.
struct Range {
  double low = 1e-50;
  double high = 1e50;
};

/// The largest of counts that matrices are made of.
inline constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 20U;
/// The largest count of all. Some readers of JSON hold numbers in double, which is exact up to here.
inline constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53U;

struct CountRange {
  std::uint64_t low = 0;
  std::uint64_t high = kMostCount;
};

/// Visits the options of a learner one by one. Every options struct has a function
///   void list(Options&, OptionVisitor&)
/// that names each option once; describing, checking, saving and loading options are visits.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  virtual void kernel(Kernel& kernel) = 0;
  /// The same, or empty: Gaussian, and the learner finds the width.
  virtual void automatic_kernel(std::optional<Kernel>& kernel) = 0;
  virtual void number(const char* name, double& value, Range range, const char* summary) = 0;
  /// The same, or empty: then the learner chooses.
  virtual void automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) = 0;
  /// Something that is done or not.
  virtual void flag(const char* name, bool& value, const char* summary) = 0;

  /// A whole number from `least` to `most`.
  template <class Count>
  void count(const char* name, Count& value, std::uint64_t least, const char* summary,
             std::uint64_t most = kMostCount) {
    std::optional<std::uint64_t> number = value;
    visit_count(name, number, false, {least, most}, summary);
    value = static_cast<Count>(number.value_or(least));
  }
  /// The same, or empty: then the learner chooses.
  template <class Count>
  void automatic_count(const char* name, std::optional<Count>& value, std::uint64_t least, const char* summary,
                       std::uint64_t most = kMostCount) {
    std::optional<std::uint64_t> number = value;
    visit_count(name, number, true, {least, most}, summary);
    value = number ? std::optional<Count>(static_cast<Count>(*number)) : std::nullopt;
  }
  /// An enumerator, `names` being theirs in order from 0.
  template <class Enum>
  void choice(const char* name, Enum& value, std::initializer_list<const char*> names, const char* summary) {
    auto index = static_cast<std::size_t>(value);
    visit_choice(name, index, std::span(names.begin(), names.size()), summary);
    value = static_cast<Enum>(index);
  }

  // The options that many learners share.
  void step(double& value);
  /// The same, or empty: what `default_step` says.
  void step(std::optional<double>& value);
  /// A loss of classification whose slope is at most 1, so that no step is longer than the step size, or any of
  /// regression; and its parameter, if it has one: unless that is given, 0.1 of "epsilon_insensitive", 0.5 of
  /// "quantile" and 1.345 of "huber". Throws Error for another loss, and for a parameter that the loss does not have.
  void loss(Loss& value);
  void radius(double& value);
  void budget(std::size_t& value);
  void horizon(std::optional<std::uint64_t>& value);
  void seed(std::uint64_t& value);
  void precision(Precision& value);

  /// Values of the option visited last that a search should try.
  virtual void worth_trying(std::initializer_list<double> /*values*/) {}

 protected:
  virtual void visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic, CountRange range,
                           const char* summary) = 0;
  virtual void visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                            const char* summary) = 0;
};

/// Throws Error for a value out of its range.
class OptionChecker : public OptionVisitor {
 public:
  void kernel(Kernel& /*kernel*/) override {}  // a Kernel is always right
  void automatic_kernel(std::optional<Kernel>& /*kernel*/) override {}
  void number(const char* name, double& value, Range range, const char* summary) override;
  void automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) override;
  void flag(const char* /*name*/, bool& /*value*/, const char* /*summary*/) override {}

 protected:
  void visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic, CountRange range,
                   const char* summary) override;
  void visit_choice(const char* /*name*/, std::size_t& /*index*/, std::span<const char* const> /*names*/,
                    const char* /*summary*/) override {}
};

/// Writes options as a JSON object.
class OptionWriter final : public OptionVisitor {
 public:
  OptionWriter();
  ~OptionWriter() override;

  [[nodiscard]] const nlohmann::ordered_json& json() const { return *json_; }
  void kernel(Kernel& kernel) override;
  void automatic_kernel(std::optional<Kernel>& kernel) override;
  void number(const char* name, double& value, Range range, const char* summary) override;
  void automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) override;
  void flag(const char* name, bool& value, const char* summary) override;

 protected:
  void visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic, CountRange range,
                   const char* summary) override;
  void visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                    const char* summary) override;

 private:
  std::unique_ptr<nlohmann::ordered_json> json_;
};

/// Reads options from a JSON object, and checks them. What is missing or null keeps its value.
class OptionReader final : public OptionChecker {
 public:
  /// Throws Error for JSON that is no object.
  explicit OptionReader(const nlohmann::ordered_json& json);

  void kernel(Kernel& kernel) override;
  void automatic_kernel(std::optional<Kernel>& kernel) override;
  void number(const char* name, double& value, Range range, const char* summary) override;
  void automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) override;
  void flag(const char* name, bool& value, const char* summary) override;
  /// After the visit: throws Error for what is in the object and was not visited.
  void finish() const;

 protected:
  void visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic, CountRange range,
                   const char* summary) override;
  void visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                    const char* summary) override;

 private:
  const nlohmann::ordered_json* find(const char* name);

  const nlohmann::ordered_json& json_;
  std::vector<std::string> known_;
};

/// Describes options by their defaults.
class OptionDescriber final : public OptionVisitor {
 public:
  std::vector<OptionInfo> infos;

  void kernel(Kernel& kernel) override;
  void automatic_kernel(std::optional<Kernel>& kernel) override;
  void number(const char* name, double& value, Range range, const char* summary) override;
  void automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) override;
  void flag(const char* name, bool& value, const char* summary) override;
  void worth_trying(std::initializer_list<double> values) override { infos.back().trials = values; }

 protected:
  void visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic, CountRange range,
                   const char* summary) override;
  void visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                    const char* summary) override;
};

}  // namespace alder

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is that of the parser
class App;
class Option;
}  // namespace CLI

namespace alder::cli {

/// One option of a verb. Copies stand for the same option.
///
/// The parser, CLI11, takes seconds to compile wherever it is included: main.cpp and flags.cpp alone do.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  /// What the help calls its value: FILE, N, X; none unless it is said.
  const Flag& of(const std::string& type) const;
  const Flag& describe(const std::string& text) const;
  /// The help shows this as its default, or the value that its variable has now.
  const Flag& shows_default(const std::string& text) const;
  const Flag& shows_default() const;
  const Flag& required() const;
  /// Any other value is a UsageError.
  const Flag& one_of(const std::vector<std::string>& choices) const;
  /// A number above 0.
  const Flag& positive() const;
  const Flag& excludes(const Flag& other) const;
  /// It takes one value, not several.
  const Flag& single() const;
  /// It may stand without a value, and then means this one.
  const Flag& means(const std::string& value) const;
  /// Whether the help has it.
  const Flag& shown(bool is_shown) const;
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
};

/// The options of a verb, each with the variable that takes its value. `names` are like "-o,--output"; one without
/// dashes is an argument.
class Flags {
 public:
  explicit Flags(CLI::App& verb) : verb_(verb) {}

  Flag text(const std::string& names, std::string& value, const std::string& text);
  Flag texts(const std::string& names, std::vector<std::string>& values, const std::string& text);
  Flag number(const std::string& names, double& value, const std::string& text);
  /// A whole number from 0 on, shown with its default.
  Flag count(const std::string& names, std::uint64_t& value, const std::string& text);
  Flag count(const std::string& names, unsigned& value, const std::string& text);
  /// One without a value: `value` becomes true, or the action is called.
  Flag flag(const std::string& names, bool& value, const std::string& text);
  Flag flag(const std::string& names, const std::function<void()>& action, const std::string& text);
  /// The action is called with the value as soon as that is read, before the help is shown.
  Flag text(const std::string& names, const std::function<void(const std::string&)>& action, const std::string& text);
  /// One that was added.
  [[nodiscard]] Flag find(const std::string& name) const;
  /// What the help ends with.
  void footer(const std::string& text);

 private:
  CLI::App& verb_;
};

}  // namespace alder::cli

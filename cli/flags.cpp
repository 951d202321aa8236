#include "flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "suggest.h"
#include "verbs.h"

namespace alder::cli {
namespace {

template <class Count>
Flag add_count(CLI::App& verb, const std::string& names, Count& value, const std::string& text) {
  CLI::Option* option = verb.add_option(names, value, text)->type_name("N")->capture_default_str();
  // The parser would wrap negative numbers around.
  option->check([name = option->get_name()](const std::string& given) -> std::string {
    if (!given.empty() && given.find_first_not_of("0123456789") == std::string::npos) return "";
    throw UsageError(fmt::format("{} is {}; expected a whole number from 0 on", name, given));
  });
  return Flag(option);
}

}  // namespace

const Flag& Flag::of(const std::string& type) const {
  option_->type_name(type);
  return *this;
}
const Flag& Flag::describe(const std::string& text) const {
  option_->description(text);
  return *this;
}
const Flag& Flag::shows_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}
const Flag& Flag::shows_default() const {
  option_->capture_default_str();
  return *this;
}
const Flag& Flag::required() const {
  option_->required();
  return *this;
}
const Flag& Flag::one_of(const std::vector<std::string>& choices) const {
  const std::string name = option_->get_name();
  option_->check([name, choices](const std::string& value) -> std::string {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
    throw UsageError(
        fmt::format("{} is {}; expected {}{}", name, value, alternatives(choices), did_you_mean(value, choices)));
  });
  return *this;
}
const Flag& Flag::positive() const {
  option_->check([name = option_->get_name()](const std::string& given) -> std::string {
    if (CLI::PositiveNumber(given).empty()) return "";
    throw UsageError(fmt::format("{} is {}; expected a number above 0", name, given));
  });
  return *this;
}
const Flag& Flag::excludes(const Flag& other) const {
  option_->excludes(other.option_);
  return *this;
}
const Flag& Flag::single() const {
  option_->expected(1);
  return *this;
}
const Flag& Flag::means(const std::string& value) const {
  option_->expected(0, 1)->default_str(value);
  return *this;
}
const Flag& Flag::shown(bool is_shown) const {
  option_->group(is_shown ? "Options" : "");
  return *this;
}
bool Flag::is_given() const {
  return option_->count() > 0;
}

Flag Flags::text(const std::string& names, std::string& value, const std::string& text) {
  return Flag(verb_.add_option(names, value, text)->type_name(""));
}
Flag Flags::texts(const std::string& names, std::vector<std::string>& values, const std::string& text) {
  return Flag(verb_.add_option(names, values, text)->type_name(""));
}
Flag Flags::number(const std::string& names, double& value, const std::string& text) {
  return Flag(verb_.add_option(names, value, text)->type_name("X"));
}
Flag Flags::count(const std::string& names, std::uint64_t& value, const std::string& text) {
  return add_count(verb_, names, value, text);
}
Flag Flags::count(const std::string& names, unsigned& value, const std::string& text) {
  return add_count(verb_, names, value, text);
}
Flag Flags::flag(const std::string& names, bool& value, const std::string& text) {
  return Flag(verb_.add_flag(names, value, text));
}
Flag Flags::flag(const std::string& names, const std::function<void()>& action, const std::string& text) {
  return Flag(verb_.add_flag_callback(names, action, text));
}
Flag Flags::text(const std::string& names, const std::function<void(const std::string&)>& action,
                 const std::string& text) {
  return Flag(verb_.add_option_function<std::string>(names, action, text)->type_name("")->trigger_on_parse());
}
Flag Flags::find(const std::string& name) const {
  return Flag(verb_.get_option(name));
}
void Flags::footer(const std::string& text) {
  verb_.footer(text);
}

}  // namespace alder::cli

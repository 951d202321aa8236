#include "flags.h"

#include <CLI/CLI.hpp>

namespace alder::cli {
namespace {

template <class Count>
Flag add_count(CLI::App& verb, const std::string& names, Count& value, const std::string& text) {
  // The parser would wrap negative numbers around.
  return Flag(
      verb.add_option(names, value, text)->type_name("N")->check(CLI::NonNegativeNumber)->capture_default_str());
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
  option_->check(CLI::IsMember(choices));
  return *this;
}
const Flag& Flag::positive() const {
  option_->check(CLI::PositiveNumber);
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

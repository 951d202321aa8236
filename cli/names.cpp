#include "names.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace alder::cli {

ClassNames class_names(const Model& model) {
  return {model.classes(), model.shown(), model.positive()};
}

std::string shown_name(const std::string& name, std::size_t most) {
  const auto is_first_byte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  const auto letters = static_cast<std::size_t>(std::count_if(name.begin(), name.end(), is_first_byte));
  std::string text;
  std::size_t taken = 0;
  for (const char byte : name) {
    if (is_first_byte(byte) && letters > most && ++taken == most) return text + "…";
    text += static_cast<unsigned char>(byte) < 0x20U || byte == 0x7F ? '?' : byte;
  }
  return text;
}

std::string shown_number(double number, int digits) {
  constexpr double kLongest = 1e9;
  const double size = std::fabs(number);
  return size >= std::pow(10.0, digits) && size < kLongest ? fmt::format("{:.0f}", number)
                                                           : fmt::format("{:.{}g}", number, digits);
}

namespace {

std::string name_or_none(const ClassNames& classes, std::uint32_t id) {
  return id < classes.size() && !classes.names[id].empty() ? shown_name(classes.names[id]) : std::string("none yet");
}

}  // namespace

std::string first_names(const ClassNames& classes) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(kNamed, classes.size()); ++i)
    first.push_back(name_or_none(classes, classes.shown[i]));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     classes.size() > kNamed ? fmt::format(" and {} more", classes.size() - kNamed) : "");
}

std::string in_words(const ClassNames& classes) {
  if (classes.size() > 2) return fmt::format("{}: {}", classes.size(), first_names(classes));
  return fmt::format("{} (negative) and {} (positive)", name_or_none(classes, 1 - classes.positive),
                     name_or_none(classes, classes.positive));
}

}  // namespace alder::cli

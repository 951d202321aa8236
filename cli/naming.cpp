#include "naming.h"

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder::cli {

Naming::Naming(Stream& rows, const Input& input, Model& model, bool is_ordered)
    : rows_(rows), input_(input), model_(model), is_ordered_(is_ordered), told_(model.classes().size()) {}

// The input may know classes of rows that are not learned in the end. Only two are named in advance, so that what is
// shown of the first rows is of the class that turns out to be positive.
Examples Naming::read(std::size_t most) {
  const Examples examples = rows_.read(most);
  std::size_t count = std::max(told_, std::min<std::size_t>(2, input_.classes().size()));
  for (const double target : examples.targets) count = std::max(count, static_cast<std::size_t>(target) + 1);
  if (expects_two_ && count > 2) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("--batch keeps one function, of two classes; expected no third, but there is {}",
                            in_quotes(input_.classes()[2])));
  }
  if (count > told_ || is_open_) name(count);
  return examples;
}

void Naming::name(std::size_t count) {
  std::vector<std::string> names = input_.classes();
  names.resize(count);
  is_open_ = std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
  model_.set_classes(std::move(names), is_ordered_);
  told_ = count;
}

}  // namespace alder::cli

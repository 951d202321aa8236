// The reader of JSON lines on any bytes. The first byte chooses the options.
#include <cstddef>
#include <cstdint>

#include "read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  alder::InputOptions options;
  options.format = (data[0] & 16U) != 0 ? alder::Format::kAuto : alder::Format::kJson;
  options.read_ahead = false;
  options.skip_bad = data[0] & 3U;
  if ((data[0] & 4U) != 0) options.classes = {"no", "1"};
  options.only_classes = (data[0] & 12U) == 4U;
  options.labels_optional = (data[0] & 12U) == 12U;
  if ((data[0] & 32U) != 0) options.label_column = "1";
  if ((data[0] & 64U) != 0) options.numbers_only = true;
  if ((data[0] & 128U) != 0) options.weight_column = "-1";
  alder::fuzz::read_all({reinterpret_cast<const char*>(data) + 1, size - 1}, options);
  return 0;
}

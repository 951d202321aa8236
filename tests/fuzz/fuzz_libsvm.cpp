// The LIBSVM reader on any bytes. The first byte chooses the options.
#include <cstddef>
#include <cstdint>

#include "read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  alder::InputOptions options;
  options.format = alder::Format::kLibsvm;
  options.read_ahead = false;
  options.skip_bad = data[0] & 3U;
  if ((data[0] & 4U) != 0) options.classes = {"-1", "+1"};
  options.only_classes = (data[0] & 12U) == 4U;
  options.labels_optional = (data[0] & 12U) == 12U;
  if ((data[0] & 64U) != 0) options.zero_based = (data[0] & 128U) != 0;
  alder::fuzz::read_all({reinterpret_cast<const char*>(data) + 1, size - 1}, options);
  return 0;
}

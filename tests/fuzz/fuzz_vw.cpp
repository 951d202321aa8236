// The reader of Vowpal Wabbit's format on any bytes. The first byte chooses the options.
#include "read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alder::fuzz::read_table(data, size, alder::Format::kVw);
  return 0;
}

#include "alder/error.h"

namespace alder {

const char* name_of(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::kArgument:
      break;
    case Error::Kind::kRow:
      return "row";
    case Error::Kind::kTarget:
      return "target";
    case Error::Kind::kUnsupported:
      return "unsupported";
    case Error::Kind::kFile:
      return "file";
    case Error::Kind::kFormat:
      return "format";
    case Error::Kind::kVersion:
      return "version";
  }
  return "argument";
}

}  // namespace alder

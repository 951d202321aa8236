#pragma once

#include <cstdint>
#include <string>

#include <nanobind/nanobind.h>

#include "archive/archive.h"
#include "rows.h"

namespace alder::python {

namespace nb = nanobind;

/// The tensors of an archive by their names, as NumPy arrays.
inline nb::dict tensors_dict(const Archive& archive) {
  nb::dict out;
  for (const auto& [name, size] : archive.sizes()) {
    const std::string& type = archive.type(name);
    nb::object array = type == "F32"   ? to_numpy(archive.get<float>(name))
                       : type == "F64" ? to_numpy(archive.get<double>(name))
                       : type == "U32" ? to_numpy(archive.get<std::uint32_t>(name))
                                       : to_numpy(archive.get<std::uint64_t>(name));
    out[name.c_str()] = array;
  }
  return out;
}

}  // namespace alder::python

# What every target of the project is compiled with.
add_library(alder_settings INTERFACE)
target_compile_features(alder_settings INTERFACE cxx_std_20)
target_compile_options(alder_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>  # which g++ does not count among conversions either
  $<$<BOOL:${ALDER_WARNINGS_AS_ERRORS}>:-Werror>)
# Our vector code keeps vectors in arrays and structs, which instruction sets with vectors of unknown length forbid;
# machines that have those also have one with a known length. Processors without SSE4.1, of 2007 and before, use
# scalar code.
target_compile_definitions(alder_settings INTERFACE
  HWY_DISABLED_TARGETS=\(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV|HWY_SSSE3\))
# Headers of others that take long to compile. Not for everyday work: they hide that a file does not include them.
function(alder_precompile target)
  if(ALDER_QUICK_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release)
endif()

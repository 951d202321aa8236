# What every target of the project is compiled with.
add_library(alder_settings INTERFACE)
target_compile_features(alder_settings INTERFACE cxx_std_20)
target_compile_options(alder_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>  # which g++ does not count among conversions either
  $<$<BOOL:${ALDER_WARNINGS_AS_ERRORS}>:-Werror>)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release)
endif()

# What `cmake --install` puts where. The tree may be moved afterwards: neither the CMake package nor the pkg-config
# file names the prefix.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()  # whoever embeds alder decides what to install
endif()
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/alder)

# Exported without its build tree's settings: those are PRIVATE and $<BUILD_INTERFACE:...>.
install(TARGETS alder EXPORT alder-targets)
install(EXPORT alder-targets NAMESPACE alder:: DESTINATION ${package_dir})
install(DIRECTORY include/alder ${PROJECT_BINARY_DIR}/include/alder
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET alder_cli)
  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(alder_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
  install(TARGETS alder_cli)
endif()

# A static library leaves its dependencies to whoever links it; a shared one has them linked in, and its headers
# need none of them.
get_target_property(library_type alder TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(needs_dependencies TRUE)
  set(pkg_config_requires "libhwy, fmt, simdjson, zlib, libzstd, liblzma")
  set(pkg_config_libs " -lbz2")  # which has no pkg-config file everywhere
else()
  set(needs_dependencies FALSE)
  set(pkg_config_requires "")
  set(pkg_config_libs "")
endif()

configure_package_config_file(cmake/alder-config.cmake.in ${PROJECT_BINARY_DIR}/alder-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/alder-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/alder-config.cmake ${PROJECT_BINARY_DIR}/alder-config-version.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/alder.pc.in ${PROJECT_BINARY_DIR}/alder.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/alder.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

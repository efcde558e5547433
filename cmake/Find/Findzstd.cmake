# Zstandard as the target zstd::zstd. Its own CMake package names other targets from release to release (libzstd_shared, libzstd_static,
# libzstd), and older distributions do not ship it, so header and library are looked up here.
include(FindPackageHandleStandardArgs)

find_path(zstd_INCLUDE_DIR zstd.h)
find_library(zstd_LIBRARY zstd)
mark_as_advanced(zstd_INCLUDE_DIR zstd_LIBRARY)
find_package_handle_standard_args(zstd REQUIRED_VARS zstd_LIBRARY zstd_INCLUDE_DIR)

if(zstd_FOUND AND NOT TARGET zstd::zstd)
  add_library(zstd::zstd UNKNOWN IMPORTED)
  set_target_properties(zstd::zstd PROPERTIES IMPORTED_LOCATION ${zstd_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${zstd_INCLUDE_DIR})
endif()

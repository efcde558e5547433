# The package: program, CMake modules and tables, for find_package() from an install tree and from this build tree, and for projects that
# take us in with add_subdirectory() or FetchContent.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_executable(CudaArchGuard::cuda-arch-guard ALIAS cuda-arch-guard)
add_library(CudaArchGuard::RuntimeGuard ALIAS cag_runtime)

# What an install tree holds, to be built before it is installed.
set(cag_installed cuda-arch-guard cag_runtime)
add_custom_target(cag_install_tree)
add_dependencies(cag_install_tree ${cag_installed})

# share/cmake is found before project(), when CMake does not know yet how the library folders of this machine are called.
set(cag_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/CudaArchGuard)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/CudaArchGuardConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
# Install tree. Whoever takes us in as a part of a build does not ship us.
if(PROJECT_IS_TOP_LEVEL)
  install(
    TARGETS ${cag_installed}
    EXPORT CudaArchGuardTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES src/include/cudaarchguard/runtime_guard.h src/include/cudaarchguard/runtime_guard.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cudaarchguard)
  install(EXPORT CudaArchGuardTargets NAMESPACE CudaArchGuard:: DESTINATION ${cag_package_dir})
  install(DIRECTORY cmake/Modules cmake/Templates DESTINATION ${cag_package_dir} PATTERN "*.in" EXCLUDE)
  install(FILES src/data/toolkits.json src/data/generations.json src/data/gpus.json src/data/chips.json src/data/pci_devices.json
          DESTINATION ${cag_package_dir}/data)

  set(CAG_PACKAGE_MODULES "\${CMAKE_CURRENT_LIST_DIR}/Modules")
  configure_package_config_file(cmake/Templates/CudaArchGuardConfig.cmake.in ${PROJECT_BINARY_DIR}/CMakeFiles/CudaArchGuardConfig.cmake
                                INSTALL_DESTINATION ${cag_package_dir} NO_SET_AND_CHECK_MACRO)
  install(FILES ${PROJECT_BINARY_DIR}/CMakeFiles/CudaArchGuardConfig.cmake ${PROJECT_BINARY_DIR}/CudaArchGuardConfigVersion.cmake
          DESTINATION ${cag_package_dir})
endif()

# The library, where everything that it needs is installed on this system: a downloaded copy is not ours to ship.
set(cag_library_installable TRUE)
foreach(dependency IN ITEMS fmt::fmt lz4::lz4 zstd::zstd LibArchive::LibArchive libdeflate::libdeflate nettle::nettle)
  get_target_property(imported ${dependency} IMPORTED)
  if(NOT imported)
    set(cag_library_installable FALSE)
  endif()
endforeach()
add_library(CudaArchGuard::cudaarchguard ALIAS cudaarchguard)
if(PROJECT_IS_TOP_LEVEL AND cag_library_installable)
  add_dependencies(cag_install_tree cudaarchguard)
  install(TARGETS cudaarchguard EXPORT CudaArchGuardLibraryTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT CudaArchGuardLibraryTargets NAMESPACE CudaArchGuard:: DESTINATION ${cag_package_dir})
  foreach(header IN ITEMS arch coverage prediction cudaarchguard)
    install(FILES src/include/cudaarchguard/${header}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cudaarchguard)
  endforeach()
  install(DIRECTORY cmake/Find DESTINATION ${cag_package_dir})
endif()

# This build tree.
set(CAG_PACKAGE_MODULES "${PROJECT_SOURCE_DIR}/cmake/Modules")
configure_package_config_file(
  cmake/Templates/CudaArchGuardConfig.cmake.in ${PROJECT_BINARY_DIR}/CudaArchGuardConfig.cmake
  INSTALL_DESTINATION ${PROJECT_BINARY_DIR}
  INSTALL_PREFIX ${PROJECT_BINARY_DIR}
  NO_SET_AND_CHECK_MACRO)
if(cag_library_installable)
  export(TARGETS cudaarchguard FILE ${PROJECT_BINARY_DIR}/CudaArchGuardLibraryTargets.cmake NAMESPACE CudaArchGuard::)
endif()
export(TARGETS ${cag_installed} FILE ${PROJECT_BINARY_DIR}/CudaArchGuardTargets.cmake NAMESPACE CudaArchGuard::)

# add_subdirectory(): the functions are known from here on; find_package(CudaArchGuard) and find_package(CudaArchs) find what is here.
if(NOT PROJECT_IS_TOP_LEVEL)
  include(${PROJECT_SOURCE_DIR}/cmake/Modules/CudaArchGuard.cmake)
  set(CudaArchGuard_DIR ${PROJECT_BINARY_DIR} CACHE INTERNAL "The CudaArchGuard that is part of this build")
  set(CMAKE_MODULE_PATH ${CMAKE_MODULE_PATH} ${PROJECT_SOURCE_DIR}/cmake/Modules PARENT_SCOPE)
endif()

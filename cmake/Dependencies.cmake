# Third-party libraries: the system's package where it is installed, else a download of the same library.
include(FetchContent)

FetchContent_Declare(fmt SYSTEM URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz FIND_PACKAGE_ARGS 9...<12)
FetchContent_Declare(nlohmann_json SYSTEM URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz FIND_PACKAGE_ARGS 3.10)
FetchContent_Declare(CLI11 SYSTEM URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(tl-expected SYSTEM URL https://github.com/TartanLlama/expected/archive/refs/tags/v1.1.0.tar.gz FIND_PACKAGE_ARGS)
FetchContent_Declare(pugixml SYSTEM URL https://github.com/zeux/pugixml/archive/refs/tags/v1.13.tar.gz FIND_PACKAGE_ARGS)
FetchContent_Declare(
  lz4 SYSTEM
  URL https://github.com/lz4/lz4/archive/refs/tags/v1.9.4.tar.gz
  SOURCE_SUBDIR build/cmake
  FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(
  zstd SYSTEM
  URL https://github.com/facebook/zstd/archive/refs/tags/v1.5.6.tar.gz
  SOURCE_SUBDIR build/cmake
  FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(LibArchive SYSTEM URL https://github.com/libarchive/libarchive/archive/refs/tags/v3.6.2.tar.gz
                     FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(SQLite3 SYSTEM URL https://www.sqlite.org/2022/sqlite-amalgamation-3400100.zip FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(tomlplusplus SYSTEM URL https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.3.0.tar.gz FIND_PACKAGE_ARGS)
FetchContent_Declare(libdeflate SYSTEM URL https://github.com/ebiggers/libdeflate/archive/refs/tags/v1.19.tar.gz FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(
  xxhash SYSTEM
  URL https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.2.tar.gz
  SOURCE_SUBDIR only-the-header
  FIND_PACKAGE_ARGS MODULE)
FetchContent_Declare(
  nettle SYSTEM URL https://ftp.gnu.org/gnu/nettle/nettle-3.8.1.tar.gz
                    SOURCE_DIR ${FETCHCONTENT_BASE_DIR}/nettle-src/nettle # its headers are included as <nettle/...>
  FIND_PACKAGE_ARGS MODULE)

# A function, so that what a dependency's own CMake files set does not reach ours.
function(cag_get_dependencies)
  list(PREPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake/Find)
  # Static libraries where the system has them: each shared one costs at every start. As a part of another project we leave that to it, since
  # what is found is kept in its cache.
  if(PROJECT_IS_TOP_LEVEL)
    list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES ${CMAKE_STATIC_LIBRARY_SUFFIX})
  endif()
  # Options of the downloaded copies; a system package ignores them.
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  set(EXPECTED_BUILD_TESTS OFF)
  set(LZ4_BUILD_CLI OFF)
  set(LZ4_BUILD_LEGACY_LZ4C OFF)
  set(ZSTD_BUILD_PROGRAMS OFF)
  set(ZSTD_BUILD_SHARED OFF)
  foreach(part IN ITEMS TEST TAR CPIO CAT UNZIP INSTALL OPENSSL LIBXML2 EXPAT ACL XATTR ICONV LZO LZ4 PCREPOSIX)
    set(ENABLE_${part} OFF)
  endforeach()
  set(LIBDEFLATE_BUILD_SHARED_LIB OFF)
  set(LIBDEFLATE_BUILD_GZIP OFF)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # option() of a dependency respects the variables above
  FetchContent_MakeAvailable(fmt nlohmann_json CLI11 tl-expected pugixml lz4 zstd LibArchive libdeflate tomlplusplus SQLite3 xxhash nettle)
endfunction()
cag_get_dependencies()

# The downloaded copies name their targets differently from cmake/Find.
if(NOT TARGET lz4::lz4)
  add_library(lz4::lz4 ALIAS lz4_static)
endif()
if(NOT TARGET zstd::zstd)
  add_library(zstd::zstd ALIAS libzstd_static)
endif()
if(NOT TARGET LibArchive::LibArchive)
  add_library(LibArchive::LibArchive ALIAS archive_static)
endif()
if(NOT TARGET libdeflate::libdeflate)
  add_library(libdeflate::libdeflate ALIAS libdeflate_static)
endif()
if(NOT TARGET SQLite::SQLite3) # its download has no CMake files
  enable_language(C)
  FetchContent_GetProperties(SQLite3)
  add_library(cag_sqlite STATIC ${sqlite3_SOURCE_DIR}/sqlite3.c)
  target_include_directories(cag_sqlite SYSTEM PUBLIC ${sqlite3_SOURCE_DIR})
  target_link_libraries(cag_sqlite PRIVATE ${CMAKE_DL_LIBS})
  add_library(SQLite::SQLite3 ALIAS cag_sqlite)
endif()
set(cag_sqlite_target SQLite::SQLite3)
if(TARGET SQLite3::SQLite3) # its name in the newest releases of CMake, which call the other one deprecated
  set(cag_sqlite_target SQLite3::SQLite3)
endif()
if(NOT TARGET xxhash::xxhash)
  FetchContent_GetProperties(xxhash)
  add_library(cag_xxhash INTERFACE)
  target_include_directories(cag_xxhash SYSTEM INTERFACE $<BUILD_INTERFACE:${xxhash_SOURCE_DIR}>)
  add_library(xxhash::xxhash ALIAS cag_xxhash)
endif()
if(NOT TARGET nettle::nettle) # its download has a Makefile only
  enable_language(C)
  FetchContent_GetProperties(nettle)
  add_library(cag_nettle STATIC)
  foreach(source IN ITEMS sha256 sha256-compress sha512 sha512-compress write-be32)
    target_sources(cag_nettle PRIVATE ${nettle_SOURCE_DIR}/${source}.c)
  endforeach()
  target_include_directories(cag_nettle SYSTEM PUBLIC ${nettle_SOURCE_DIR}/..)
  add_library(nettle::nettle ALIAS cag_nettle)
endif()

# Debian 12 has version 2 only; the bootstrap unpacks the backport of version 3 below .cache.
include(FetchContent)
FetchContent_Declare(Catch2 URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.4.0.tar.gz
                     FIND_PACKAGE_ARGS 3 HINTS ${PROJECT_SOURCE_DIR}/.cache/catch2/usr)
FetchContent_MakeAvailable(Catch2)
include(Catch)

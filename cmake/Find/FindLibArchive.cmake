# libarchive as the target LibArchive::LibArchive, static where that links with what the formats that we read are made of. Debian's shared
# library brings libxml2 and ICU for formats that we do not read: loading them takes longer than reading a small file.
include(CheckCXXSourceCompiles)

find_library(LibArchive_STATIC_LIBRARY ${CMAKE_STATIC_LIBRARY_PREFIX}archive${CMAKE_STATIC_LIBRARY_SUFFIX})
mark_as_advanced(LibArchive_STATIC_LIBRARY)
set(LibArchive_PARTS)
foreach(part IN ITEMS nettle lzma bz2 zstd z)
  find_library(LibArchive_${part}_LIBRARY ${part})
  mark_as_advanced(LibArchive_${part}_LIBRARY)
  if(LibArchive_${part}_LIBRARY)
    list(APPEND LibArchive_PARTS ${LibArchive_${part}_LIBRARY})
  endif()
endforeach()

if(LibArchive_STATIC_LIBRARY AND NOT LibArchive_LIBRARY)
  set(CMAKE_REQUIRED_LIBRARIES ${LibArchive_STATIC_LIBRARY} ${LibArchive_PARTS})
  set(CMAKE_REQUIRED_QUIET TRUE)
  check_cxx_source_compiles(
    "#include <archive.h>
     int main() {
       archive* reader = archive_read_new();
       archive_read_support_filter_gzip(reader);
       archive_read_support_filter_bzip2(reader);
       archive_read_support_filter_xz(reader);
       archive_read_support_filter_zstd(reader);
       archive_read_support_filter_rpm(reader);
       archive_read_support_format_tar(reader);
       archive_read_support_format_cpio(reader);
       archive_read_support_format_ar(reader);
       archive_read_support_format_raw(reader);
       archive_read_support_format_zip_streamable(reader);
       return archive_read_free(reader);
     }"
    LibArchive_STATIC_WORKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_QUIET)
endif()

if(LibArchive_STATIC_WORKS)
  set(LibArchive_LIBRARY ${LibArchive_STATIC_LIBRARY} CACHE FILEPATH "libarchive")
else()
  set(LibArchive_PARTS)
endif()
include(${CMAKE_ROOT}/Modules/FindLibArchive.cmake)
if(TARGET LibArchive::LibArchive)
  set_property(TARGET LibArchive::LibArchive PROPERTY INTERFACE_LINK_LIBRARIES ${LibArchive_PARTS})
endif()

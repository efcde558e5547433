# The compiler warnings of this project. Included after the dependencies, so that only our own targets get them.
if(NOT MSVC)
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-align
                      -Wextra-semi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # In optimised builds of std::string and std::vector code, GCC 12 and 13 report impossible sizes under these two names.
    add_compile_options(-Wno-restrict -Wno-stringop-overflow)
    # Under sanitizers it takes members of std::regex's automaton for uninitialised.
    if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize=")
      add_compile_options(-Wno-maybe-uninitialized)
    endif()
  endif()
endif()

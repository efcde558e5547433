# The compiler warnings of this project. Included after the dependencies, so that only our own targets get them.
if(NOT MSVC)
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-align
                      -Wextra-semi)
endif()

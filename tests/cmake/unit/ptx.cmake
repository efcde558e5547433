# The PTX that PTX AUTO, NONE and a list leave, by cuda_archs_resolve. Run as: cmake -P ptx.cmake
cmake_minimum_required(VERSION 3.25)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include("${root}/cmake/Modules/cuda_archs_resolve.cmake")

# leaves(<specs> <value of PTX> <expected>)
function(leaves specs ptx expected)
  cuda_archs_resolve(
    found ${specs}
    PTX ${ptx}
    TOOLKIT 13.0
    ERROR_VARIABLE error)
  if(NOT "${found}" STREQUAL "${expected}" OR NOT "${error}" STREQUAL "")
    message(SEND_ERROR "${specs} PTX ${ptx}: \"${found}\" ${error}, expected \"${expected}\"")
  endif()
endfunction()

leaves("90-real;80-real" AUTO "80-real;90")
leaves("80-real;120-real" AUTO "80-real;120") # by number, not as text
leaves("80;90-real" AUTO "80;90")
leaves("86-real;80-virtual" AUTO "80-virtual;86-real") # PTX of the major is there
leaves("89-real;90a" AUTO "89;90a") # PTX of 90a serves no later GPU
leaves("90a-real" AUTO "90a-real")
leaves("100-real;100f-real" AUTO "100-virtual;100f-real") # 100f takes the place of SASS alone
leaves("80;90" NONE "80-real;90-real")
leaves("80;90" 75 "75-virtual;80-real;90-real")

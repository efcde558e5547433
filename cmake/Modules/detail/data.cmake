# The tables of toolkits, generations and products: the same JSON files that the program embeds.
#
# They keep one row a line. Only the rows that matter are parsed: string(JSON) reads its whole text anew for every value, which for a
# thousand products takes seconds, where picking lines takes milliseconds.
include_guard(GLOBAL)

# _cag_data_rows(<out-var> <table> <regex>): the table's rows that match, as a list of JSON objects.
function(_cag_data_rows out table regex)
  set(rows "")
  foreach(folder IN ITEMS "../../data" "../../../src/data") # install tree, source tree
    set(path "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${folder}/${table}.json")
    if(EXISTS "${path}")
      file(STRINGS "${path}" lines REGEX "^ *{.*${regex}" ENCODING UTF-8)
      foreach(line IN LISTS lines)
        string(REGEX REPLACE ",[ \r]*$" "" line "${line}")
        string(REPLACE ";" "\\;" line "${line}")
        list(APPEND rows "${line}")
      endforeach()
      set(${out} "${rows}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "CudaArchGuard: its table ${table}.json is missing. The installation is incomplete: install it again.")
endfunction()

# _cag_json_list(<out-var> <json> <field>): an array's values as a list.
function(_cag_json_list out json field)
  set(values "")
  string(JSON count LENGTH "${json}" ${field})
  math(EXPR last "${count} - 1")
  if(last GREATER_EQUAL 0)
    foreach(index RANGE ${last})
      string(JSON value GET "${json}" ${field} ${index})
      list(APPEND values "${value}")
    endforeach()
  endif()
  set(${out} "${values}" PARENT_SCOPE)
endfunction()

# _cag_release_archs(<out-real> <out-virtual> <release>): what a CUDA release builds, "75;80;90a". Both empty for a release that the
# table does not know.
function(_cag_release_archs out_real out_virtual release)
  string(REPLACE "." "\\." pattern "${release}")
  _cag_data_rows(rows toolkits "\"release\": \"${pattern}\"")
  set(real "")
  set(virtual "")
  foreach(row IN LISTS rows)
    _cag_json_list(real "${row}" real)
    _cag_json_list(virtual "${row}" virtual)
  endforeach()
  set(${out_real} "${real}" PARENT_SCOPE)
  set(${out_virtual} "${virtual}" PARENT_SCOPE)
endfunction()

# _cag_releases_with(<out-first> <out-last> <arch>): the first and the last known release that build an architecture; "" for none.
function(_cag_releases_with out_first out_last arch)
  _cag_data_rows(rows toolkits "\"virtual\": \\[[^]]*\"${arch}\"")
  set(first "")
  set(last "")
  if(rows)
    list(GET rows 0 row)
    string(JSON first GET "${row}" release)
    list(GET rows -1 row)
    string(JSON last GET "${row}" release)
  endif()
  set(${out_first} "${first}" PARENT_SCOPE)
  set(${out_last} "${last}" PARENT_SCOPE)
endfunction()

# _cag_generation(<out-var> <name>): a generation's compute capabilities, ascending; "" for another name.
function(_cag_generation out name)
  set(capabilities "")
  _cag_data_rows(rows generations "\"name\"")
  foreach(row IN LISTS rows)
    string(JSON known GET "${row}" name)
    string(TOLOWER "${known}" known)
    if(known STREQUAL name)
      _cag_json_list(capabilities "${row}" capabilities)
    endif()
  endforeach()
  set(${out} "${capabilities}" PARENT_SCOPE)
endfunction()

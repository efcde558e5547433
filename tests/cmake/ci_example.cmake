# The files of example-projects/ci: those of cmake/Templates, and valid by the schemas of GitHub and GitLab, which check-jsonschema brings. Included
# by run_example.cmake.
step(COMMAND "${CMAKE_COMMAND}" -E compare_files "${ROOT}/cmake/Templates/github-workflow.yml" .github/workflows/cuda.yml SAYS "")
step(COMMAND "${CMAKE_COMMAND}" -E compare_files "${ROOT}/cmake/Templates/gitlab-ci.yml" .gitlab-ci.yml SAYS "")
find_program(python NAMES python3 REQUIRED)
execute_process(COMMAND "${python}" -m venv "${WORK}/venv" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/venv/bin/pip" --quiet --disable-pip-version-check install check-jsonschema RESULT_VARIABLE fetched)
if(NOT fetched EQUAL 0)
  message(STATUS "skipped: there is no PyPI")
  return()
endif()
set(check "${WORK}/venv/bin/check-jsonschema" --builtin-schema)
step(COMMAND ${check} vendor.github-workflows .github/workflows/cuda.yml SAYS "ok")
step(COMMAND ${check} vendor.gitlab-ci --data-transform gitlab-ci .gitlab-ci.yml SAYS "ok")

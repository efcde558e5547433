# The example multi-kernel against the installed package: built, run, tested; the library that is wrong on purpose is rejected.
with_program()
run(COMMAND "${CMAKE_COMMAND}" --install "${GUARD_BUILD}" --prefix "${WORK}/prefix")
set(PACKAGE "")
file(REMOVE_RECURSE "${SOURCE}")
file(COPY "${ROOT}/example-projects/multi-kernel/" DESTINATION "${SOURCE}")
configure(WITH "-DCMAKE_PREFIX_PATH=${WORK}/prefix" -DCMAKE_BUILD_TYPE=Release SAYS "statistics: RTX 3090; H100 -> 86-real 90")
build()
run(COMMAND "${TESTED_CTEST}" --test-dir "${BUILD}" -C Release SAYS "100% tests passed" "wrong-is-rejected .*Passed"
    "runs-or-says-why-not .*Passed")
build(FAILS TARGET wrong SAYS "count_values" "sm_90" "target wrong does not hold what is required of it")
expect_gone(libwrong.so)

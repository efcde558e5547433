# A rejected binary does not stay on disk, and the next build tries again: in the target's own directory, in another one, and for objects.
configure()
build()
verifier_log(log)
expect("first build" "${log}" "verify --require-sass 90 --require-ptx 90 --runs-on H100 --driver 580 [^\n]*libkernels.so")
expect("first build" "${log}" "libplugin.so")
expect("first build" "${log}" "objects.dir[^\n]*kernel.cu.o")

# Nothing to do: nothing is verified again.
build()
verifier_log(log)
expect("second build" "${log}" "^$")

# Another requirement, the same architectures: every binary is verified again, without a clean build, and now rejected.
verifier_answers(1)
configure(WITH -DDRIVER=590)
build(FAILS TARGET kernels SAYS "fake report on verify" "target kernels does not hold what is required of it" "It was deleted")
build(FAILS TARGET verify-plugin SAYS "target plugin does not hold what is required of it")
build(FAILS TARGET verify-objects SAYS "target objects does not hold")
verifier_log(log)
expect("another driver" "${log}" "--driver 590 [^\n]*libkernels.so")
expect_gone(libkernels.so)
expect_gone(plugins/libplugin.so)

# It still fails when tried again, also where the verifier cannot judge or falls over; and is made anew when all is well.
build(FAILS TARGET kernels SAYS "Linking CUDA shared library|Built target|FAILED")
verifier_answers(2)
build(FAILS TARGET kernels SAYS "could not be judged, and what was not judged does not pass")
expect_gone(libkernels.so)
verifier_answers(crash)
build(FAILS TARGET kernels SAYS "was not judged: the verifier ended with")
expect_gone(libkernels.so)
verifier_answers(0)
build()
expect_exists(libkernels.so)
expect_exists(plugins/libplugin.so)

# Nothing to verify is no pass.
run(FAILS COMMAND "${TESTED_CMAKE}" -DMODE=ERROR "-DWHAT=target empty" -P "${MODULES}/detail/verify_binary.cmake" -- "${VERIFIER}" verify
    -- SAYS "target empty was not verified: it has no files")

# WARN says it and goes on; OFF does nothing.
verifier_answers(1)
configure(WITH -DMODE=WARN)
build(SAYS "warning: target kernels does not hold" "The build goes on")
expect_exists(libkernels.so)
verifier_log(log)
configure(WITH -DMODE=OFF SAYS "not verified: VERIFY OFF")
build()
verifier_log(log)
expect("VERIFY OFF" "${log}" "^$")

# What passed with a warning does not pass when warnings are no longer enough, however it is built.
configure(WITH -DMODE=WARN)
build()
configure(WITH -DMODE=ERROR)
build(FAILS TARGET verify-objects SAYS "target objects does not hold")

# The verifier disappears after the configuration: no silent pass.
configure(WITH -DMODE=ERROR)
verifier_answers(0)
build()
file(COPY "${FAKES}/cuda-arch-guard" DESTINATION "${WORK}/gone")
configure(WITH "-DCudaArchGuard_EXECUTABLE=${WORK}/gone/cuda-arch-guard")
file(REMOVE "${WORK}/gone/cuda-arch-guard")
build(FAILS TARGET kernels SAYS "the verifier .*gone/cuda-arch-guard is missing" "VERIFY OFF")
expect_gone(libkernels.so)

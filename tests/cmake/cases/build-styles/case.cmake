# Unity builds, compiler launchers, archives, objects and relocatable device code, read by the program.
with_program()
find_program(ccache NAMES ccache sccache) # a real one where there is one
if(NOT ccache)
  set(ccache "")
endif()
set(ENV{CCACHE_DIR} "${WORK}/ccache")
file(WRITE "${WORK}/launcher" "#!/bin/sh\nexec ${ccache} \"$@\"\n")
file(CHMOD "${WORK}/launcher" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
configure(WITH "-DCMAKE_CUDA_COMPILER_LAUNCHER=${WORK}/launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=${WORK}/launcher")
build()
foreach(file IN ITEMS libone-unit.so libarchive.a libseparable.a libresolved.so program)
  expect_exists(${file})
endforeach()
# For a GPU that nothing serves, each of them is rejected.
edit(
  CMakeLists.txt
  "cuda_fatbin_targets(one-unit archive objects separable resolved GPUS H100)"
  "cuda_fatbin_targets(one-unit archive objects separable resolved ARCHS 90-real PTX NONE)\ncuda_fatbin_verify(one-unit archive objects separable resolved GPUS \"RTX 3090\")"
)
configure()
foreach(target IN ITEMS one-unit archive verify-objects resolved)
  build(FAILS TARGET ${target} SAYS "does not hold what is required")
endforeach()

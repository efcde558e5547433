# Too much device code to link, and code that was pruned away. Who builds without a GPU does not get `all` unasked (case native).
with_program()
configure(SAYS "all: SASS of [0-9]+ architectures is built, each of them another copy of the device code" "kernels: all -> ")
build(TARGET kernels)
# What a linker may no longer place passes, and is said, with what to do.
build(TARGET check-huge SAYS "CAG203 [^ ]*huge.fatbin holds 1.7 GiB of device code for 2 architectures \\(80 90\\)"
      "relocation truncated to fit" "--compress-mode=size" "huge.fatbin holds what is required of it, with the warnings above")
# A warning of another kind is no less visible: a kernel that does nothing on one of the architectures.
build(TARGET hollow SAYS "CAG201 .*do nothing on sm_80 .*guarded" "target hollow holds what is required of it, with the warnings above")
expect_exists(libhollow.so)
foreach(look IN ITEMS "CUDA_ARCH_GUARD_COLOR=always" "CUDA_ARCH_GUARD_FORMAT=github" "CUDA_ARCH_GUARD_FORMAT=json")
  edit(hollow.cu "__global__" "  __global__")
  run(COMMAND "${TESTED_CMAKE}" --build "${BUILD}" --config Release --target hollow ENV "${look}" SAYS
      "target hollow holds what is required of it, with the warnings above")
endforeach()
# The member of which an architecture was pruned away is named.
build(FAILS TARGET pruned SAYS "CAG101 .*two.cu.o\\)? has no SASS for sm_80" "target pruned does not hold what is required")
expect_gone(libpruned.a)

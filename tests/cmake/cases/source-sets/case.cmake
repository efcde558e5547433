# Sources with other architectures than the rest of their target.
configure(FAILS WITH -DUNCOVERED=late.cu SAYS "an architecture for every CUDA source of by-hand" "none for late.cu")
configure(WITH -DUNCOVERED= SAYS "kernels: 80-real; 90 -> 80-real 90" "kernels_90a-real: 90a-real -> 90a-real"
          "by-hand: 90-real -> each of its sets of sources for itself \\(decided by its cuda_fatbin_sources\\(\\) calls\\)")
build()
verifier_log(log)
expect("the objects" "${log}" "--require-sass 90a [^\n]*hopper.cu.o")
# What all sets have in common; the set of 90a alone is specialised by intent.
expect("the library" "${log}" "verify --require-sass 90 --require-ptx 90 [^\n]*libkernels.so")
expect("sets apart" "${log}" "verify --require-sass 80,90 --scope any [^\n]*libapart.so")
expect("all sets, none besides" "${log}" "verify --require-sass 90 --scope any [^\n]*libby-hand.so")

# The program agrees.
with_program()
run(COMMAND ${CMAKE_COMMAND} -E rm -rf "${BUILD}")
configure()
build()

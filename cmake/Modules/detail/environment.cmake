# Every option of the program has a variable of the environment as well. What is required of a binary stands in its verification's command
# line and in cudaarchguard.json: in a build and in its tests, the variables that would require more or less of it are not there.
set(_CAG_DECIDING_VARIABLES "")
foreach(name IN ITEMS ALLOW_EMPTY CLAIMS CLAIMS_FROM DATE DRIVER ENV LAB MACHINE NO_JIT POLICY PYPROJECT REQUIRE_PTX REQUIRE_SASS RUNS_ON
                      SCOPE SHARD STRICT)
  list(APPEND _CAG_DECIDING_VARIABLES CUDA_ARCH_GUARD_${name})
endforeach()

# Others who rewrite the architectures after the call are noticed.
configure(SAYS "the architectures of a were changed after cuda_fatbin_targets\\(\\): CUDA_ARCHITECTURES was \"90\" and is \"75\"" NOT_SAYS
          "architectures of b were changed" "behind CMake's back")
configure(WITH "-DMORE_FLAGS=-gencode arch=compute_80,code=sm_80" SAYS "behind CMake's back")

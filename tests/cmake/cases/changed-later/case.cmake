# Others who rewrite the architectures after the call are noticed.
configure(SAYS "the architectures of a were changed after cuda_fatbin_targets\\(\\): CUDA_ARCHITECTURES was \"90\" and is \"75\"" NOT_SAYS
          "architectures of b were changed" "behind CMake's back")
configure(WITH "-DMORE_FLAGS=-gencode arch=compute_80,code=sm_80" SAYS "behind CMake's back")
configure(WITH -DMORE_FLAGS= -DWITH_TORCH=ON SAYS "options of b hold \"-gencode arch=compute_75.* find_package\\(Torch\\)")
# A name that only looks right does nothing, and is said to.
configure(WITH -DWITH_TORCH=OFF -DCUDA_ARCHITECTURES=80 SAYS "CUDA_ARCHITECTURES=80 was given, which CMake does not read"
          "-DCMAKE_CUDA_ARCHITECTURES=.80. and -UCUDA_ARCHITECTURES")

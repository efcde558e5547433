# Clang as CUDA compiler: it builds what it knows itself and its toolkit does, and nothing can be translated to nvcc's flags.
set(toolkit "-DTOOLKIT=${FAKES}/clang")
set(new_clang "-DCLANG=${FAKES}/clang/bin/clang++")
execute_process(COMMAND "${TESTED_CMAKE}" --version OUTPUT_VARIABLE version)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${version}")

# A Clang that knows the letter f, under a CMake that does or does not.
if(version VERSION_LESS 3.31.8 OR version MATCHES "^4\\.0\\.[01]$")
  configure(
    FAILS WITH ${toolkit} ${new_clang} -DCALL=ARCHS,90,100f-real SAYS
    "kernels: +expected: architectures that CUDA_ARCHITECTURES of CMake ${version} takes, since Clang compiles CUDA here"
    "found: +90;100f-real" "allowed: +numbers and a; f from CMake 3.31.8 and 4.0.2 on" "fix: +take a newer CMake, or nvcc as CUDA compiler")
else()
  configure(WITH ${toolkit} ${new_clang} -DCALL=ARCHS,90,100f-real SAYS "kernels: 90; 100f-real -> 90 100f-real")
endif()
configure(WITH ${toolkit} ${new_clang} -DCALL=ARCHS,90a-real,80,PTX,NONE SAYS "kernels: 90a-real; 80 -> 80-real 90a-real")

# A Clang that does not know f, a or 9.0: told while the project is configured, not by the first file that is compiled.
file(READ "${FAKES}/clang/bin/clang++" old_clang)
string(REGEX REPLACE "version 21[.]1[.]0" "version 14.0.6" old_clang "${old_clang}")
string(REGEX REPLACE "sm_90.*sm_100f.n" "" old_clang "${old_clang}")
file(WRITE "${WORK}/clang++-14" "${old_clang}")
file(CHMOD "${WORK}/clang++-14" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(known "allowed: +75, 80, 86 ")
foreach(arch IN ITEMS 100f 90a 90)
  configure(FAILS WITH ${toolkit} -DCLANG=${WORK}/clang++-14 -DCALL=ARCHS,${arch} SAYS
            "expected: architectures that Clang 14 with CUDA 13.0 builds" "found: +\"${arch}\", which needs ${arch}" "${known}"
            "fix: +take nvcc as CUDA compiler .*or a Clang that knows ${arch}")
endforeach()
configure(WITH ${toolkit} -DCLANG=${WORK}/clang++-14 -DCALL=ARCHS,86,100f,ON_UNSUPPORTED,DROP SAYS "kernels: 86; 100f -> 86 "
          "100f dropped, Clang 14 with CUDA 13.0 does not build it")

# The Clang that is installed, where it is that of Debian 12.
find_program(clang NAMES clang++-14)
if(clang)
  configure(FAILS WITH ${toolkit} -DCLANG=${clang} -DCALL=ARCHS,100f SAYS "architectures that Clang 14 with CUDA 13.0 builds" "${known}")
endif()

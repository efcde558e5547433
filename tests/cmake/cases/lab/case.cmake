# Machines of a lab file: built for, and verified with the driver that each has.
set(machines LAB,lab.json,MACHINES,ws-07,hopper-nodes)
configure(WITH -DCALL=${machines} -DVERIFY=${machines} SAYS "kernels: lab:ws-07; lab:hopper-1 -> 89-real 90 \\(decided by the call's")
build()
verifier_log(log)
expect("the gate" "${log}"
       "--require-sass 89,90 --require-ptx 90 --lab [^ ]*/lab-[0-9a-f]+.json --machine ws-07 --machine hopper-nodes [^\n]*libkernels.so")
expect("the gate alone" "${log}" "verify --lab [^ ]*/lab-[0-9a-f]+.json --machine ws-07 --machine hopper-nodes [^\n]*kernel.cu.o")

# The lab changes: what holds its machines is verified again, without a clean build and without a word to CMake.
build()
verifier_log(log)
expect("nothing to do" "${log}" "^$")
edit(lab.json "580.95.05" "575")
verifier_answers(1)
build(FAILS TARGET kernels SAYS "target kernels does not hold what is required of it")
build(FAILS TARGET verify-objects SAYS "target objects does not hold what is required of it")
verifier_answers(0)

# All machines where none is named, in the lab beside CMakeLists.txt. What the toolkit does not build is left out where nobody must run it.
configure(WITH "-DCALL=MACHINES,robots,museum,ws-07" SAYS "kernels: lab:ws-07; lab:the old one; lab:orin -> 87-real 89"
          "\"lab:the old one\": 61-real dropped, CUDA 13.0 does not build it \\(programs should run there and need not\\)")
edit(lab.json "\"requirement\": \"should\"},
    \"robots\"" "\"requirement\": \"must\"},
    \"robots\"")
configure(FAILS WITH "-DCALL=LAB,lab.json" SAYS "\"lab:the old one\", which needs 61" "built by CUDA 9.0 to 12.9")
configure(WITH "-DCALL=LAB,lab.json,ON_UNSUPPORTED,DROP" SAYS "-> 87-real 89-real 90" "61-real dropped")

# lab:MACHINE in a list, and the variables of a preset: the list that was given is built, and must run on the machines.
configure(WITH "-DCALL=ARCHS,lab:ws-07,80-real" SAYS "kernels: lab:ws-07; 80-real -> 80-real 89 ")
configure(WITH -UCALL -DCUDA_ARCH_GUARD_LAB=lab.json "-DCUDA_ARCH_GUARD_MACHINES=hopper-nodes" SAYS
          "kernels: lab:hopper-1 -> 90 \\(decided by CUDA_ARCH_GUARD_LAB and CUDA_ARCH_GUARD_MACHINES\\)")
configure(WITH "-DCMAKE_CUDA_ARCHITECTURES=80-real,90-real" SAYS "kernels: 80-real; 90-real -> 80-real 90-real \\(decided by -D CMAKE_CUDA")
verifier_log(log)
build(TARGET kernels)
verifier_log(log)
expect("the preset" "${log}" "verify --require-sass 80,90 --lab [^ ]* --machine hopper-nodes ")
configure(WITH "-DCALL=MACHINES,ws-07" SAYS "kernels: lab:ws-07 -> 80-real 90-real \\(decided by -D CMAKE_CUDA")
build(TARGET kernels)
verifier_log(log)
expect("the user's list, the call's machine" "${log}" "verify --require-sass 80,90 --lab [^ ]* --machine ws-07 ")
file(REMOVE_RECURSE "${BUILD}")
configure(WITH "-DINIT=MACHINES,ws-07" -DCUDA_ARCH_GUARD_LAB=lab.json SAYS "CMAKE_CUDA_ARCHITECTURES is 89 \\(decided by cuda_archs_init")
file(REMOVE_RECURSE "${BUILD}")
configure(WITH "-DINIT=ARCHS,90" -DCMAKE_CUDA_ARCHITECTURES=lab:hopper-nodes SAYS "CMAKE_CUDA_ARCHITECTURES is 90-real \\(decided by -D")

# Refusals.
file(REMOVE_RECURSE "${BUILD}")
configure(FAILS WITH "-DCALL=LAB,lab.json,MACHINES,ws-70" SAYS "found: +\"ws-70\""
          "allowed: +ws-07, the old one, hopper-1, orin, hopper-nodes")
configure(FAILS WITH "-DCALL=LAB,labs.json" SAYS "labs.json, which is no file" "lab init > lab.json")
configure(FAILS WITH "-DCALL=ARCHS,90" "-DVERIFY=LAB,lab.json,MACHINES,robots" SAYS "expected: +a requirement" "should run, and need not")
configure(FAILS WITH -UVERIFY "-DCALL=ARCHS,lab:ws-70" SAYS "found: +\"ws-70\"")
edit(lab.json "\"RTX 4060 Ti\"" "\"GT 1030\"")
configure(FAILS WITH "-DCALL=LAB,lab.json" SAYS "machine ws-07.gpus: \"GT 1030\" is not a GPU" "GeForce GT 1030 \\(3.0 or 6.1\\)")
edit(lab.json "\"jit\"" "\"jti\"")
edit(lab.json "\"GT 1030\"" "\"8.9\"")
configure(FAILS WITH "-DCALL=LAB,lab.json" SAYS
          "group hopper-nodes: expected one of the keys machines, tags, requirement, jit, note, found \"jti\"")

# The template: a lab file, and presets that are made of it.
file(COPY "${ROOT}/cmake/Templates/lab/" DESTINATION "${WORK}/template")
run(COMMAND "${CMAKE_COMMAND}" -E chdir "${WORK}/template" "${GUARD_BUILD}/bin/cuda-arch-guard" lab presets --write lab-presets.json)
run(COMMAND "${CMAKE_COMMAND}" -E chdir "${WORK}/template" "${TESTED_CMAKE}" --list-presets SAYS "\"default\" +- every machine of lab.json"
    "\"lab-cluster\"")

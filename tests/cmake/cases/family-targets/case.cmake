# Family-specific targets, compiled and device-linked, on a CMake that refuses the letter f as on one that knows it.
configure(
  SAYS "sm_100 is left out: nvcc cannot build it beside sm_100f" "program: 100; 100f-real; 90-real -> 90-real 100-virtual 100f-real"
  "device: 100; 100f-real; 90-real -> 90-real 100-virtual 100f-real"
  "grown: 80-real; 90-real; 75-real -> 75-real 80-real 90 .*PTX of 90 is added" NOT_SAYS "PTX of 80")
run(COMMAND "${TESTED_CMAKE}" --build "${BUILD}" --config Release --verbose SAYS "arch=compute_100f,code=.?sm_100f"
    "arch=compute_90,code=[^ ]*sm_90[^\n]* -dlink" "arch=compute_100f,code=.?sm_100f[^\n]* -dlink")
verifier_log(log)
expect("requirement" "${log}" "--require-sass 100f,90 --require-ptx 100 [^\n]*libdevice.a")
expect("requirement" "${log}" "--require-sass 100f,90 --require-ptx 100 [^\n]*program")
expect("requirement" "${log}" "--require-sass 80,90,75 --require-ptx 90 [^\n]*libgrown.a")

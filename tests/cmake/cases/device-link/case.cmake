# The device link takes its architectures from the final target: who forgets to name it is told.
configure(
  WITH
  -DNAMED=device
  SAYS
  "program links device, which is relocatable device code for \"90-real;90-virtual\"|program links device, which is relocatable device code for \"90\""
  "Name both in one cuda_fatbin_targets")
# Also where both are named, with different lists: a part of the linked code would be of the lower virtual architecture.
configure(WITH -DNAMED=device,program SAYS "far links device, .*device link of far is for \"75\"" NOT_SAYS "program links")
configure(WITH "-DNAMED=device" -DPROGRAM_ARCHS=80,90 SAYS "program links device, .*device link of program is for \"80;90\"")
configure(WITH -DPROGRAM_ARCHS= -DNAMED=device,program,far NOT_SAYS "relocatable device code for")
# nvlink refuses objects of a newer toolkit, at the end of the build: an archive that was made by one is told before it begins.
file(WRITE "${WORK}/libbought.a" "")
file(WRITE "${WORK}/old.json" "\"toolkit\": \"12.4\",\n   \"relocatable\": true,\n \"toolkit\": null,\n   \"relocatable\": true,")
file(WRITE "${WORK}/new.json" "\"toolkit\": \"99.0\",\n   \"relocatable\": true,\n \"toolkit\": \"12.4\",\n   \"relocatable\": true,")
configure(WITH "-DBOUGHT=${WORK}/libbought.a" ENV "CAG_FAKE_INSPECT=${WORK}/old.json")
configure(FAILS ENV "CAG_FAKE_INSPECT=${WORK}/new.json" SAYS "found: +[^ ]*libbought.a, made by CUDA 99.0" "for the device link of program")

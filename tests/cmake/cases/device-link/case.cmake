# The device link takes its architectures from the final target: who forgets to name it is told.
configure(
  WITH
  -DNAMED=device
  SAYS
  "program links device, which is relocatable device code for \"90-real;90-virtual\"|program links device, which is relocatable device code for \"90\""
  "Name both in one cuda_fatbin_targets")
# Also where both are named, with different lists: a part of the linked code would be of the lower virtual architecture.
configure(WITH "-DNAMED=device" -DPROGRAM_ARCHS=80,90 SAYS "program links device, .*device link of program is for \"80;90\"")
configure(WITH -DPROGRAM_ARCHS= -DNAMED=device,program NOT_SAYS "relocatable device code for")

# The device link takes its architectures from the final target: who forgets to name it is told.
configure(
  WITH
  -DNAMED=device
  SAYS
  "program links device, which is relocatable device code for \"90-real;90-virtual\"|program links device, which is relocatable device code for \"90\""
  "Add program to cuda_fatbin_targets")
configure(WITH -DNAMED=device,program NOT_SAYS "relocatable device code for")

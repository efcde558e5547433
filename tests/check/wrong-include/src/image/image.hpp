// To the left of image: allowed.
#include "object/elf.hpp"

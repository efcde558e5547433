// A reader of sections that wants to know about CUDA: against the data flow.
#include "image/image.hpp"

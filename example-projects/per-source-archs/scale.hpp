#pragma once

void scale(float* values, int count);        // any GPU of the list
void scale_hopper(float* values, int count); // compute capability 9.0 only

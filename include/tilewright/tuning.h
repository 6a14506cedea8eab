// Searches for the fastest schedules of kernels and launches kernels with them.
// Link with Tilewright::compiler.
#ifndef TILEWRIGHT_TUNING_H
#define TILEWRIGHT_TUNING_H

#include "tilewright/tuning/Tune.h"
#include "tilewright/tuning/TunedKernel.h"

#endif // TILEWRIGHT_TUNING_H

// Searches schedules for kernels and keeps the best. Needs
// Tilewright::compiler.
#ifndef TILEWRIGHT_TUNING_H
#define TILEWRIGHT_TUNING_H

#include "tilewright/tuning/Tune.h"
#include "tilewright/tuning/TunedKernel.h"

#endif // TILEWRIGHT_TUNING_H

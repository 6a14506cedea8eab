// Tile kernels written in C++: everything that a kernel uses. None of these
// headers includes MLIR.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_AUTHORING_H
#define TILEWRIGHT_TILEIR_AUTHORING_AUTHORING_H

#include "tileir/authoring/Compute.h"
#include "tileir/authoring/Control.h"
#include "tileir/authoring/Kernel.h"
#include "tileir/authoring/Pointers.h"
#include "tileir/authoring/Shapes.h"
#include "tileir/authoring/Values.h"
#include "tileir/authoring/Views.h"

#endif // TILEWRIGHT_TILEIR_AUTHORING_AUTHORING_H

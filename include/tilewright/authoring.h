// Everything needed to write tile kernels in C++. None of these headers
// includes MLIR.
#ifndef TILEWRIGHT_AUTHORING_H
#define TILEWRIGHT_AUTHORING_H

#include "tilewright/authoring/Compute.h"
#include "tilewright/authoring/Control.h"
#include "tilewright/authoring/FastMath.h"
#include "tilewright/authoring/Kernel.h"
#include "tilewright/authoring/Pointers.h"
#include "tilewright/authoring/Shapes.h"
#include "tilewright/authoring/Values.h"
#include "tilewright/authoring/Views.h"

#endif // TILEWRIGHT_AUTHORING_H

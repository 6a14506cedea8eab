#include "spatial/numeric/Numeric.h"

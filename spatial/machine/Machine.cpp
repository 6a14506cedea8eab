#include "spatial/machine/Machine.h"

#include "spatial/simulator/Simulator.h"

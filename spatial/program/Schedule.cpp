#include "spatial/program/Schedule.h"

#include "verify/spatial/VerifySchedule.h"

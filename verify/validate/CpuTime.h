// How long work takes where other processes want the same cores.
#pragma once

#include <ctime>

namespace tilewright::verify {

/// The CPU time of this process, in seconds.
inline double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

} // namespace tilewright::verify

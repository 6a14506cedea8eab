// What builds graph-level IR, by its short names.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::torch {

using namespace build;

} // namespace tilewright::torch

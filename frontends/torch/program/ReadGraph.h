// Graphs of an exported program from their JSON.
#pragma once

#include "runtime/abi/Json.h"
#include "tilewright/compiler/TorchProgram.h"

namespace tilewright::torch {

/// A tensor's type, sizes and strides.
TensorMeta readMeta(const runtime::JsonCursor &json);
/// One argument, which is a variant: an object with one key.
Argument readArgument(const runtime::JsonCursor &json);
Graph readGraph(const runtime::JsonCursor &json);

} // namespace tilewright::torch

//===- Approximations.h - Functions by one instruction of a GPU -*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_APPROXIMATIONS_H
#define TILEWRIGHT_CODEGEN_NVPTX_APPROXIMATIONS_H

#include "codegen/numeric/Elementwise.h"

namespace tilewright::nvptx {

/// The approximate instructions of PTX for f32, which all GPUs have, with the
/// error bounds of docs/math.md.
const numeric::Approximations &approximations();

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_APPROXIMATIONS_H

//===- Float8.h - Conversions of 8-bit floats by instruction ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_FLOAT8_H
#define TILEWRIGHT_CODEGEN_NVPTX_FLOAT8_H

#include "codegen/numeric/FloatBits.h"

namespace tilewright::nvptx {

/// For targets that convert float8 (target::GpuTarget); static data.
const numeric::Float8Conversions &float8Conversions();

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_FLOAT8_H

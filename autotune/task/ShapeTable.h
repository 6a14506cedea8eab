// Operations by name and sizes.
#ifndef TILEWRIGHT_AUTOTUNE_TASK_SHAPETABLE_H
#define TILEWRIGHT_AUTOTUNE_TASK_SHAPETABLE_H

#include "tilewright/support/Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::autotune {

/// A kernel as text: a module at graph level with one function, or at tile
/// level (Task.h).
struct NamedKernel {
  /// "gemm 512x512x512 f32".
  std::string label;
  std::string code;
};

/// Reads a table. Each line is an operation, its sizes and optionally a type
/// (default f32):
///   gemm,M,N,K                  C[M,N] = A[M,K] * B[K,N]
///   conv,N,H,W,C,F,KH,KW,S      NCHW, stride S, padded to ceil(H / S) rows
///   depthwise,N,H,W,C,KH,KW,S
///   softmax,R,C                 of R rows
///   layernorm,R,C               with scale and shift
///   attention,B,L,D             B heads, length L (a multiple of 16)
/// Ignores blank lines, lines that start with '#', and a first line that starts
/// with "op". Errors have the line number.
StatusOr<std::vector<NamedKernel>> parseShapeTable(std::string_view csv);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_SHAPETABLE_H

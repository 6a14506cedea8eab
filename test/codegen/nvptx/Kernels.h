//===- Kernels.h - Kernels from their text --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_NVPTX_KERNELS_H
#define TILEWRIGHT_TEST_CODEGEN_NVPTX_KERNELS_H

#include "tilewright/mlir/Compile.h"
#include <string>

namespace tilewright::ptxtest {

/// The first kernel of `text`.
StatusOr<KernelImage> compileText(const std::string &text,
                                  const target::GpuTarget &target,
                                  const CompileOptions &options = {});

/// Compiles for all targets, and checks each text with ptxas; returns the image
/// for `wanted`, with texts.
KernelImage checkAllTargets(const std::string &text,
                            std::string_view wanted = "sm_90a");

/// How often `part` occurs in `text`.
int count(const std::string &text, const std::string &part);

} // namespace tilewright::ptxtest

#endif // TILEWRIGHT_TEST_CODEGEN_NVPTX_KERNELS_H

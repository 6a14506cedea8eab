//===- PtxProgram.h - A kernel in PTX as a side of verify -------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_PTXPROGRAM_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_PTXPROGRAM_H

#include "verify/validate/Program.h"
#include <filesystem>
#include <memory>

namespace tilewright::tool {

/// A kernel in PTX with its launch file, on the emulator. Its inputs are the
/// buffers with a file, its outputs those with an output; all shapes are fixed.
/// Errors: the launch cannot be read, or does not fit the kernel.
StatusOr<std::unique_ptr<verify::Program>>
openPtx(const std::filesystem::path &kernel,
        const std::filesystem::path &launch);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_PTXPROGRAM_H

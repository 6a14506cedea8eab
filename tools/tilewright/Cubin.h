//===- Cubin.h - PTX to cubins, by ptxas ------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_CUBIN_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_CUBIN_H

#include "tilewright/compiler/CompileModel.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"

namespace tilewright::tool {

struct CubinOptions {
  /// The path of ptxas; empty: that of PATH, or of CUDA's usual folder.
  std::string ptxas;
  /// Keep the source lines in the PTX.
  bool lineInfo = false;
};

/// Writes KERNEL.TARGET.cubin for each into `directory`, which is made. Returns
/// a warning "spills" for each kernel that spills registers, according to
/// ptxas. An error says which kernel ptxas rejected and why, or that there is
/// no ptxas.
StatusOr<std::vector<Diagnostic>>
writeCubins(const std::vector<KernelPtx> &kernels,
            const std::filesystem::path &directory,
            const CubinOptions &options);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_CUBIN_H

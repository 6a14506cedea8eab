//===- PluginPasses.h - Passes of plug-ins in a pipeline --------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_PLUGINPASSES_H
#define TILEWRIGHT_LIBRARY_COMPILER_PLUGINPASSES_H

#include "mlir/Pass/PassManager.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Registry.h"

namespace tilewright {

/// A pass of a plug-in, under the name that it was added with, over a module
/// with one kernel. Fails if the pass does, if it is not over modules or
/// tile.kernel, or if the kernel is not alone after it. `added` outlives it.
std::unique_ptr<mlir::Pass> createPluginPass(const Registry::NamedPass &added);

/// Adds the passes of plug-ins, in their order, to a pipeline over modules with
/// one kernel. `plugins` may be null.
void addPluginPasses(mlir::OpPassManager &passes, const Plugins *plugins);

/// Adds passes by their names, "a,b(c)": registered ones, and those of
/// `plugins`, which may be null and otherwise outlives them. Errors: there is
/// no such pass, or there are two.
Status parsePasses(const std::string &text, const Plugins *plugins,
                   mlir::OpPassManager &passes);

/// Takes a pass with its options, "a{b={c d}}", or the name of an op from the
/// start of a list of passes.
llvm::StringRef takePass(llvm::StringRef &text);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_PLUGINPASSES_H

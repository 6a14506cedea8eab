//===- KernelImage.h - A compiled kernel as plain data ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_KERNELIMAGE_H
#define TILEWRIGHT_CODEGEN_KERNELIMAGE_H

#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/manifest/KernelManifest.h"
#include <string>

namespace tilewright {

/// A compiled kernel: code and what a host must know to launch it.
struct KernelImage {
  runtime::KernelManifest manifest;
  /// For cpu a relocatable ELF object, for a GPU PTX, for the interpreter the
  /// text of a module at the tile level.
  std::string code;
  /// The stages as text; empty unless asked for. A CPU has no scheduled level;
  /// of a GPU, loops are what one thread does and there is no assembly.
  std::string scheduled, loops, llvmIr, assembly;
  /// Of a GPU: the module at the scheduled level as MLIR bytecode, which has
  /// the locations of its ops; empty unless asked for.
  std::string bytecode;
  /// Of a GPU: the schedule and why it was chosen.
  schedule::ExplainedSchedule schedule;
  /// What was chosen for each op and why, for people; empty unless asked for.
  std::string explanation;
  /// Of a GPU: the layout of each tile, its price and the runner-up, for
  /// people; empty unless asked for.
  std::string layouts;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_KERNELIMAGE_H

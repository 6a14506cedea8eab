//===- OracleKernel.h - A kernel, or a program of it, to interpret -*- C++
//-*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_ORACLEKERNEL_H
#define TILEWRIGHT_AUTOTUNE_TASK_ORACLEKERNEL_H

#include "autotune/task/Source.h"
#include <array>

namespace tilewright::autotune {

/// The programs of `kernel` in each grid dimension, with these arguments.
std::array<int64_t, 3> gridOf(tile::KernelOp kernel,
                              llvm::ArrayRef<TaskArgument> arguments,
                              llvm::ArrayRef<TaskTensor> tensors);

/// Makes `kernel` a single program: number `program` of `grid`, in linear
/// order. It sees the ids and counts of that program.
void isolateProgram(tile::KernelOp kernel, const std::array<int64_t, 3> &grid,
                    int64_t program);

/// Whether programs of `kernel` see nothing of each other: there are no atomic
/// operations or fences, and nothing is both read and written.
bool programsAreIndependent(tile::KernelOp kernel,
                            llvm::ArrayRef<TaskTensor> tensors);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_ORACLEKERNEL_H

//===- InterpretedKernel.h - A kernel at one of the levels ------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDKERNEL_H
#define TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDKERNEL_H

#include "tileir/reference/Shadow.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/KernelPrints.h"
#include "verify/device/DeviceMemory.h"
#include "verify/device/InterpreterDevice.h"
#include <memory>

namespace tilewright::verify {

/// What a launch of a kernel runs.
struct InterpretedLaunch {
  /// The words of the kernel's arguments.
  std::span<const uint64_t> words;
  /// Positive, and of the kernel's rank.
  llvm::ArrayRef<int64_t> grid;
  std::span<const std::shared_ptr<Block>> blocks;
  runtime::KernelPrints &prints;
  const InterpreterOptions &options;
  /// Of the device's memory, for launches with freedom.
  const std::shared_ptr<reference::Shadow> &shadow;
  reference::Undetermined &undetermined;
  bool &reachedLimit;
  threads::ErrorMemory &errors;
};

/// A kernel of a loaded module. Not safe from many threads.
class InterpretedKernel {
public:
  explicit InterpretedKernel(tile::SignatureAttr signature)
      : signature(signature) {}
  virtual ~InterpretedKernel() = default;

  /// Runs all programs. A fault of a program is an error diagnostic at the op.
  virtual mlir::LogicalResult run(const InterpretedLaunch &launch) = 0;

  /// What the kernel was at the tile level.
  const tile::SignatureAttr signature;
};

/// A kernel at the tile level or at the scheduled level.
std::unique_ptr<InterpretedKernel> makeTileKernel(tile::KernelOp kernel);

/// A kernel that became a function with a `tile.signature`, of a CPU or of the
/// threads of a GPU. Fails with an error at an op that is not known.
mlir::FailureOr<std::unique_ptr<InterpretedKernel>>
makeThreadsKernel(mlir::FunctionOpInterface function,
                  const runtime::KernelManifest &manifest);

/// The words of an argument of `type`; a pointer has those of a view without
/// sizes and strides.
size_t wordsOf(mlir::Type type);

/// The name of a block for messages: the arguments that point into it.
std::string nameOf(const Block &block, tile::SignatureAttr signature,
                   std::span<const uint64_t> words);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDKERNEL_H

//===- Emission.h - What the emitters of one kernel share -------*- C++ -*-===//
//
// A tile is computed where it is used. Loads, elementwise ops, broadcasts and
// transposes emit nothing by themselves: a consumer that needs elements (a
// store, a reduction, a contraction, a loop's carried value) requests them, one
// vector at a time, and the request travels back through the expression. A tile
// gets a buffer in the thread's scratch memory only where choose-buffers said
// so, or when its op works on whole tiles.
//
// Emitters are free functions. They take the emission last, or before the body
// that they run. Functions that only build ops take the builder first.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_EMISSION_H
#define TILEWRIGHT_CODEGEN_CPU_EMISSION_H

#include "codegen/cpu/LazyOps.h"
#include "codegen/cpu/RegisterBlock.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::cpu {

using Values = llvm::SmallVector<mlir::Value>;

/// Elements of a tile: at `index`, and `width` of them along dimension `lane`.
/// With width 1 the value is a scalar, else a vector. Missing lanes are beyond
/// the tile's end: they have any value and touch no memory.
struct Lanes : VectorPart {
  Values index;
  int lane = -1;
};

/// A tile in scratch or constant memory. Strides count elements. Buffers of
/// one allocation have one `root`: several may hold the same elements in other
/// shapes.
struct Buffer {
  mlir::Value pointer, root;
  llvm::SmallVector<int64_t> shape, strides;
  mlir::Type element;
};

/// A view argument of the kernel, or one made in it.
struct ViewArgument {
  mlir::Value pointer;
  Values dims, strides;
};

/// The tiles in memory.
struct TileBuffers {
  /// Null if the tile has no buffer yet.
  const Buffer *find(mlir::Value tile) const {
    auto known = held.find(tile);
    return known == held.end() ? nullptr : &known->second;
  }
  bool contains(mlir::Value tile) const { return held.contains(tile); }

  llvm::DenseMap<mlir::Value, Buffer> held;
  /// What choose-buffers chose.
  llvm::DenseSet<mlir::Value> chosen;
  /// Roots of buffers that hold more than one tile.
  llvm::DenseSet<mlir::Value> shared;
  /// What a gather reads from, by the gather.
  llvm::DenseMap<mlir::Operation *, Buffer> gatherSources;
  MemoryReads reads;
};

/// Elements that were computed before and are in sight.
struct KnownElements {
  mlir::Value tile;
  Lanes at;
  mlir::Value value;
};

/// The object's read-only data.
struct ReadOnlyData {
  mlir::ModuleOp module;
  /// Names of arrays, by the constant that they hold.
  llvm::DenseMap<mlir::Operation *, std::string> constants;
  /// Texts and arrays of the effects.
  unsigned count = 0;
};

/// The memory that a thread provides, and how much of it is in use.
struct Scratch {
  mlir::Value pointer;
  int64_t bytes = 0;
};

/// This program's indices in the grid, and the grid's sizes.
struct ProgramIndices {
  Values ids, counts;
};

/// What the emitters of one kernel share.
struct Emission {
  Emission(tile::KernelOp kernel, const CpuTarget &target,
           const schedule::CpuSchedule &schedule, mlir::ModuleOp module);

  tile::KernelOp kernel;
  const CpuTarget &target;
  const schedule::CpuSchedule &schedule;
  /// Its location is that of the op being emitted.
  mlir::ImplicitLocOpBuilder b;
  /// Scalars by the kernel's values: pointers as i64, small floats as bits.
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, ViewArgument> views;
  TileBuffers buffers;
  llvm::SmallVector<KnownElements> memo;
  ReadOnlyData data;
  Scratch scratch;
  ProgramIndices programs;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_EMISSION_H

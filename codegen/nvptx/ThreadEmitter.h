//===- ThreadEmitter.h - A scheduled kernel as one thread's code -*- C++
//-*-===//
//
// Emits what one thread of a block does: a tile becomes a vector of the
// registers that its layout gives the thread, a view its base address, sizes
// and strides. What comes out are loops and branches (scf) over vectors
// (arith, math, vector), with llvm and nvvm ops for memory and shuffles.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_THREADEMITTER_H
#define TILEWRIGHT_CODEGEN_NVPTX_THREADEMITTER_H

#include "codegen/gpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tilewright::layout {
struct Transformed;
} // namespace tilewright::layout

namespace tilewright::nvptx {

class Combiner;

class ThreadEmitter {
public:
  /// Emits into `module`; `kernel` is read only.
  ThreadEmitter(tile::KernelOp kernel, mlir::ModuleOp module)
      : kernel(kernel), module(module), b(kernel.getContext()),
        loc(kernel.getLoc()) {}

  /// Emits the kernel as a function of its argument words. An error names the
  /// op that has no lowering.
  mlir::LogicalResult emit();

private:
  /// A view, its strides in elements.
  struct View {
    mlir::Value base; // i64
    llvm::SmallVector<mlir::Value> sizes, strides;
  };

  //===--- Structure (TileToThreads.cpp) ------------------------------------//
  void bindArguments(mlir::Block &entry);
  View bindView(tile::ViewType type, mlir::Block &entry, unsigned &word);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitYield(mlir::Operation *op);
  void emitProgramIds(mlir::Operation *op, bool counts);
  void emitViewQuery(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
  /// Refuses elements that have no byte of their own.
  mlir::LogicalResult checkElement(mlir::Operation *op, mlir::Type element);
  /// Refuses a view that control flow carries.
  mlir::LogicalResult checkView(mlir::Operation *op, mlir::Value view);
  /// Emits `body` for the threads where `condition` holds; null: for all.
  void emitWhen(mlir::Value condition, llvm::function_ref<void()> body);

  //===--- Values (Values.cpp) ----------------------------------------------//
  /// What stands for a scalar or a tile.
  mlir::Value get(mlir::Value value) { return values.at(value); }
  void set(mlir::Value value, mlir::Value emitted) { values[value] = emitted; }
  /// The type that stands for a scalar's or a tile's.
  mlir::Type typeOf(mlir::Type type) const;
  /// An element of registers as memory holds it: an i1 takes a byte.
  static mlir::Type storedType(mlir::Type element);
  /// A scalar constant as registers hold it.
  mlir::TypedAttr inRegister(mlir::TypedAttr scalar);
  mlir::Value index(int64_t value);
  mlir::Value integer(int64_t value, unsigned bits = 32);
  mlir::Value splat(mlir::Value scalar, int64_t count);
  mlir::Value element(mlir::Value vector, int64_t at);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  /// Elements `from` of a vector; where that is -1, any.
  mlir::Value pick(mlir::Value vector, llvm::ArrayRef<int32_t> from);
  /// The elements of two vectors, one after the other.
  mlir::Value joined(mlir::Value first, mlir::Value second);

  //===--- Threads (Values.cpp) ---------------------------------------------//
  /// `map` of this thread's index in the block, as i32.
  mlir::Value applyToThread(const layout::LinearMap &map);
  /// This thread's part of the coordinates along `dim`: the coordinate of
  /// register r is this XOR that of register r of thread 0.
  mlir::Value threadPart(const layout::Layout &layout, unsigned dim);
  /// The coordinate along `dim` of each register, as a vector of i32.
  mlir::Value coordinates(const layout::Layout &layout, unsigned dim);
  /// Whether this thread owns what it holds; null where all do.
  mlir::Value ownsElements(const layout::Layout &layout);
  /// Which registers hold elements of a tile of `shape`, as a vector of i1;
  /// null where all do.
  mlir::Value inTile(const layout::Layout &layout,
                     llvm::ArrayRef<int64_t> shape);

  //===--- Elements and shapes (EmitElements.cpp) ---------------------------//
  mlir::LogicalResult emitElementwise(mlir::Operation *op);
  mlir::LogicalResult emitConstant(mlir::arith::ConstantOp op);
  void emitIota(tile::IotaOp op);
  void emitSplat(tile::SplatOp op);
  mlir::LogicalResult emitBroadcast(tile::BroadcastOp op);
  mlir::LogicalResult emitReshape(tile::ReshapeOp op);
  void emitTranspose(tile::TransposeOp op);
  mlir::LogicalResult emitExtract(tile::ExtractOp op);

  //===--- Registers that change places (EmitMovement.cpp) ------------------//
  mlir::LogicalResult emitJoin(tile::JoinOp op);
  mlir::LogicalResult emitSplit(tile::SplitOp op);
  mlir::LogicalResult emitSlice(tile::SliceOp op);
  mlir::LogicalResult emitConcat(tile::ConcatOp op);
  /// `result` from the registers of the op's operands.
  mlir::LogicalResult
  emitRearranged(mlir::Operation *op, mlir::Value result,
                 const layout::Result<layout::Transformed> &made);
  void emitCoordinate(tilegpu::CoordinateOp op);
  mlir::LogicalResult emitExchange(tilegpu::ExchangeOp op);

  //===--- Views (EmitGlobal.cpp) -------------------------------------------//
  struct TileAccess;
  template <typename Op>
  mlir::FailureOr<TileAccess> checkedAccess(Op op, mlir::RankedTensorType tile);
  TileAccess accessOf(mlir::TypedValue<tile::ViewType> view,
                      mlir::RankedTensorType tile, mlir::ValueRange offsets,
                      bool byElement, llvm::ArrayRef<int64_t> steps);
  mlir::Value moved(const TileAccess &access, mlir::Value base,
                    mlir::Value elements);
  mlir::Value threadAddress(const TileAccess &access);
  mlir::Value groupAddress(const TileAccess &access, int64_t reg);
  mlir::Value groupInside(const TileAccess &access, int64_t reg);
  mlir::Value tileInside(const TileAccess &access);
  mlir::LogicalResult emitLoad(tile::LoadOp op);
  mlir::Value loadGroups(const TileAccess &access, mlir::Value pad);
  mlir::LogicalResult emitStore(tile::StoreOp op);
  void storeGroups(const TileAccess &access, mlir::Value value, bool checked);

  //===--- Pointers (EmitPointer.cpp) ---------------------------------------//
  mlir::LogicalResult emitOffset(tile::OffsetOp op);
  mlir::LogicalResult emitLoadPtr(tile::LoadPtrOp op);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp op);
  mlir::Value loadElement(mlir::Value address, mlir::Type element);
  void storeElement(mlir::Value value, mlir::Value address);

  //===--- Shared memory (EmitShared.cpp) -----------------------------------//
  mlir::LogicalResult emitStoreShared(tilegpu::StoreSharedOp op);
  mlir::LogicalResult emitLoadShared(tilegpu::LoadSharedOp op);
  mlir::Value sharedAddress(mlir::Value memory);
  /// An element of registers as shared memory holds it.
  static mlir::Type sharedType(mlir::Type element);
  /// A tile's registers as shared memory holds them, and back.
  mlir::Value toShared(mlir::Value registers);
  mlir::Value fromShared(mlir::Value elements, mlir::VectorType type);

  //===--- Elements of shared memory (EmitSharedElements.cpp) ---------------//
  struct ElementPlaces;
  /// Of a tile of `shape`, or of a part of it.
  ElementPlaces placesIn(mlir::Value memory, const layout::Layout &layout,
                         llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> offsets,
                         llvm::ArrayRef<int64_t> steps);
  mlir::Value placeVector(const ElementPlaces &places);
  mlir::Value addressAt(const ElementPlaces &places, mlir::Value place);
  mlir::Value addressOf(const ElementPlaces &places, int64_t reg);
  mlir::Value boundedAddress(const ElementPlaces &places, int64_t reg);
  void storeElements(tilegpu::StoreSharedOp op, mlir::Value value);
  void loadElements(tilegpu::LoadSharedOp op);

  //===--- Computed places (EmitSharedIndexed.cpp) --------------------------//
  mlir::LogicalResult emitGatherShared(tilegpu::GatherSharedOp op);
  void emitReadShared(tilegpu::ReadSharedOp op);
  void emitCountShared(tilegpu::CountSharedOp op);

  //===--- Warps (EmitExchange.cpp, EmitReduction.cpp, EmitScan.cpp) --------//
  mlir::LogicalResult emitConversion(tilegpu::ConvertLayoutOp op);
  /// Element by element what lane `lane ^ mask` of the warp has.
  mlir::Value shuffleXor(mlir::Value vector, unsigned mask);
  /// What lane `lane` (i32) of the warp has of a scalar or vector.
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane);
  mlir::LogicalResult emitReduction(tilegpu::ReduceOp op);
  class Scan;
  mlir::LogicalResult emitScan(tilegpu::ScanOp op);
  /// Of the region of a reduction or scan.
  Combiner combinerOf(mlir::Region &region);

  tile::KernelOp kernel;
  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, View> views;
  /// This thread's index in the block, i32: lane | warp << 5.
  mlir::Value thread;
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_THREADEMITTER_H

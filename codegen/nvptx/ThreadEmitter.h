//===- ThreadEmitter.h - A kernel as one thread's code ----------*- C++ -*-===//
//
// Emits what one thread of a block does: a tile becomes a vector of the
// registers that its layout gives the thread, a view its base address, sizes
// and strides. What comes out are loops and branches (scf) over vectors
// (arith, math, vector), with llvm and nvvm ops for memory and shuffles.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_THREADEMITTER_H
#define TILEWRIGHT_CODEGEN_NVPTX_THREADEMITTER_H

#include "codegen/gpu/DotOperand.h"
#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Access.h"
#include "codegen/numeric/Elementwise.h"
#include "codegen/target/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tilewright::gpu {
struct MemoryOrder;
} // namespace tilewright::gpu
namespace tilewright::tilegpu {
struct WarpReduction;
} // namespace tilewright::tilegpu
namespace tilewright::layout {
struct Transformed;
} // namespace tilewright::layout

namespace tilewright::nvptx {

class Combiner;
struct Parts;

class ThreadEmitter {
public:
  /// Emits into `module`; `kernel` is read only.
  ThreadEmitter(tile::KernelOp kernel, mlir::ModuleOp module,
                const target::GpuTarget &target)
      : kernel(kernel), target(target), module(module), b(kernel.getContext()),
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
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  /// As index values.
  mlir::Value programId(unsigned dim);
  mlir::Value programCount(unsigned dim);
  void emitProgramIds(mlir::Operation *op, bool counts);
  void emitViewQuery(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
  /// Emits `body` for the threads where `condition` holds; null: for all.
  void emitWhen(mlir::Value condition, llvm::function_ref<void()> body);
  /// The same for a value; in the other threads it is `otherwise`.
  mlir::Value emitWhen(mlir::Value condition, mlir::Value otherwise,
                       llvm::function_ref<mlir::Value()> body);

  //===--- Control flow and views (EmitControl.cpp) -------------------------//
  /// A view of `type` at `base`; `next` gives the sizes and strides that the
  /// type leaves open, in order.
  View makeView(tile::ViewType type, mlir::Value base,
                llvm::function_ref<mlir::Value()> next);
  void emitMakeView(tile::MakeViewOp op);
  void emitSelectView(mlir::arith::SelectOp op);
  /// What control flow carries for values: of a view, its base and what its
  /// type leaves open. `bind` makes the values of these again.
  llvm::SmallVector<mlir::Value> partsOf(mlir::ValueRange values);
  llvm::SmallVector<mlir::Type> partTypesOf(mlir::TypeRange types);
  void bind(mlir::ValueRange values, mlir::ValueRange parts);
  mlir::Block *makeBlock(mlir::Region &region, mlir::ValueRange arguments);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitSwitch(mlir::scf::IndexSwitchOp op);

  //===--- Values (Values.cpp) ----------------------------------------------//
  /// What stands for a scalar or a tile.
  mlir::Value get(mlir::Value value) { return values.at(value); }
  void set(mlir::Value value, mlir::Value emitted) { values[value] = emitted; }
  /// The type that stands for a scalar's or a tile's.
  mlir::Type typeOf(mlir::Type type) const;
  mlir::Value index(int64_t value);
  mlir::Value integer(int64_t value, unsigned bits = 32);
  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::Value scalar, int64_t count);
  mlir::Value element(mlir::Value vector, int64_t at);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  /// Elements `from` of a vector; where that is -1, any.
  mlir::Value pick(mlir::Value vector, llvm::ArrayRef<int32_t> from);
  /// The elements of two vectors, one after the other.
  mlir::Value joined(mlir::Value first, mlir::Value second);
  /// The elements of vectors of one type, one after the other, and after them
  /// any.
  mlir::Value concatenated(llvm::ArrayRef<mlir::Value> vectors);

  //===--- Threads (Values.cpp) ---------------------------------------------//
  /// `map` of an i32.
  mlir::Value applyTo(mlir::Value bits, const layout::LinearMap &map);
  /// `map` of this thread's index in the block, as i32.
  mlir::Value applyToThread(const layout::LinearMap &map) {
    return applyTo(thread, map);
  }
  /// This thread's part of the coordinates along `dim`: the coordinate of
  /// register r is this XOR that of register r of thread 0.
  mlir::Value threadPart(const layout::Layout &layout, unsigned dim);
  /// The coordinate along `dim` of each register, as a vector of i32.
  mlir::Value coordinates(const layout::Layout &layout, unsigned dim);
  /// Whether this is thread 0 of the block.
  mlir::Value isFirstThread();
  /// Whether this thread owns what it holds; null where all do.
  mlir::Value ownsElements(const layout::Layout &layout);
  /// Which registers hold elements of a tile of `shape`, as a vector of i1;
  /// null where all do.
  mlir::Value inTile(const layout::Layout &layout,
                     llvm::ArrayRef<int64_t> shape);

  //===--- Elements and shapes (EmitElements.cpp) ---------------------------//
  /// What the target has instructions for.
  numeric::Hardware hardware() const;
  numeric::Elementwise elementwise();
  void emitElementwise(mlir::Operation *op);
  void emitAffine(mlir::Operation *op);
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
  mlir::LogicalResult emitRearranged(mlir::Operation *op, mlir::Value result,
                                     const StatusOr<layout::Transformed> &made);
  void emitCoordinate(tilegpu::CoordinateOp op);
  mlir::LogicalResult emitExchange(tilegpu::ExchangeOp op);

  //===--- Views (EmitGlobal.cpp) -------------------------------------------//
  struct TileAccess;
  mlir::LogicalResult checkSeparable(mlir::Operation *op,
                                     mlir::RankedTensorType tile);
  template <typename Op>
  mlir::FailureOr<TileAccess> checkedAccess(Op op, mlir::RankedTensorType tile);
  TileAccess accessOf(mlir::TypedValue<tile::ViewType> view,
                      mlir::RankedTensorType tile, mlir::ValueRange offsets,
                      bool byElement, llvm::ArrayRef<int64_t> steps);
  void complete(TileAccess &access, mlir::RankedTensorType tile,
                const gpu::MemoryOrder &memory);
  mlir::Value moved(const TileAccess &access, mlir::Value base,
                    mlir::Value elements);
  mlir::Value threadAddress(const TileAccess &access);
  mlir::Value groupAddress(const TileAccess &access, int64_t reg);
  mlir::Value groupInside(const TileAccess &access, int64_t reg);
  mlir::Value tileInside(const TileAccess &access);
  mlir::LogicalResult emitLoad(tile::LoadOp op);
  mlir::Value loadGroups(const TileAccess &access, mlir::Value pad);
  mlir::LogicalResult emitStore(tile::StoreOp op);
  mlir::LogicalResult emitAtomicReduce(tile::AtomicReduceOp op);
  /// Emits `write(address, registers)` for each group that this thread owns
  /// and that is in the view.
  using WriteGroup =
      llvm::function_ref<void(mlir::Value, llvm::ArrayRef<int32_t>)>;
  void writeGroups(const TileAccess &access, WriteGroup write);
  void writeGroups(const TileAccess &access, bool checked, WriteGroup write);

  //===--- Constants (EmitGlobal.cpp) ---------------------------------------//
  mlir::LogicalResult emitConstantTile(mlir::arith::ConstantOp op);
  View viewOf(mlir::DenseElementsAttr elements);

  //===--- Effects (EmitEffects.cpp) ----------------------------------------//
  mlir::LogicalResult emitInlinePtx(tile::InlinePtxOp op);
  llvm::SmallVector<mlir::Value> inlinePtx(tile::InlinePtxOp op,
                                           mlir::ValueRange operands);
  void emitAssert(tile::AssertOp op);
  mlir::LogicalResult emitPrint(tile::PrintOp op);
  mlir::Value words(size_t count);
  /// A function of the driver, declared once.
  mlir::LLVM::LLVMFuncOp driverFunction(llvm::StringRef name,
                                        mlir::LLVM::LLVMFunctionType type);
  /// The address of a zero-terminated string, a generic pointer.
  mlir::Value stringOf(llvm::StringRef text);
  /// The address of data of the module, the same for equal data.
  mlir::Value dataOf(mlir::Attribute data, mlir::Type type);

  //===--- Pointers (EmitPointer.cpp) ---------------------------------------//
  mlir::LogicalResult emitOffset(tile::OffsetOp op);
  mlir::LogicalResult emitLoadPtr(tile::LoadPtrOp op);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp op);
  mlir::Value loadElement(mlir::Value address, tile::LoadPtrOp op);
  void storeElement(mlir::Value value, mlir::Value address,
                    tile::StorePtrOp op);
  /// What `access(register)` gives where the mask of an access through
  /// pointers holds, for each register; elsewhere what `other` has, or 0.
  mlir::Value forEachPointer(mlir::RankedTensorType tile, mlir::Value mask,
                             mlir::Value other,
                             llvm::function_ref<mlir::Value(int64_t)> access);
  /// What `access` gives where this thread owns what it holds of the tile;
  /// elsewhere 0, until the result comes through shared memory.
  mlir::Value emitOnce(mlir::RankedTensorType tile,
                       llvm::function_ref<mlir::Value()> access);
  mlir::LogicalResult refuseScalar(mlir::Operation *op);

  //===--- Memory order (EmitAtomic.cpp) ------------------------------------//
  /// An order and a scope of the tile level.
  struct Ordering {
    tile::MemoryOrder order;
    tile::MemoryScope scope;
  };
  /// The syncscope of LLVM IR, and the scope of PTX.
  llvm::StringRef syncScope(tile::MemoryScope scope) const;
  llvm::StringRef ptxScope(tile::MemoryScope scope) const;
  static mlir::LLVM::AtomicOrdering llvmOrdering(tile::MemoryOrder order);
  mlir::LogicalResult emitAtomicRmw(tile::AtomicRmwOp op);
  mlir::LogicalResult emitAtomicCas(tile::AtomicCasOp op);
  void emitFence(tile::FenceOp op);
  /// Updates the element at `address`; what it was, null unless `wantsOld`.
  mlir::Value updateElement(tile::AtomicKind kind, Ordering ordering,
                            mlir::Value address, mlir::Value value,
                            bool wantsOld);
  /// Updates neighbours from `address` on.
  void updateGroup(tile::AtomicKind kind, Ordering ordering,
                   mlir::Value address, mlir::Value values);
  mlir::Value updateByExchange(tile::AtomicKind kind, Ordering ordering,
                               mlir::Value address, mlir::Value value);
  mlir::Value compareAndSwap(Ordering ordering, mlir::Value address,
                             mlir::Value expected, mlir::Value value);
  mlir::Value emitAsm(mlir::Type result, mlir::ValueRange operands,
                      const llvm::Twine &text);

  //===--- Shared memory (EmitShared.cpp) -----------------------------------//
  mlir::LogicalResult emitStoreShared(tilegpu::StoreSharedOp op);
  mlir::LogicalResult emitLoadShared(tilegpu::LoadSharedOp op);
  void emitStoreElement(tilegpu::StoreElementOp op);
  /// The first byte of a tile in shared memory.
  mlir::Value sharedBase(mlir::TypedValue<tilegpu::SharedType> memory);
  /// A thread's place in a tile in shared memory: it accesses the bytes at
  /// address + (offset XOR x) + a, for the x and a of each instruction.
  struct SharedPlace {
    mlir::Value address;
    mlir::Value offset; // i32
    /// The bits that may be set in the offset.
    int64_t mask = 0;
    int64_t elementBytes = 1;
  };
  SharedPlace sharedPlace(mlir::TypedValue<tilegpu::SharedType> memory,
                          const layout::LinearMap &threadOffset,
                          int64_t elementBytes);
  mlir::Value sharedAddress(const SharedPlace &place,
                            const layout::SharedInstruction &instruction);

  //===--- Dots (EmitDot.cpp) -----------------------------------------------//
  struct DotSource;
  mlir::FailureOr<DotSource> dotSource(tilegpu::DotOp op,
                                       tilegpu::DotSide side);
  SharedPlace chunkPlace(const DotSource &source, mlir::Value chunk);
  mlir::Value widened(const DotSource &source, mlir::Value elements,
                      mlir::Type arithmetic);
  mlir::Value dotElements(DotSource &source, const SharedPlace &place,
                          int64_t position, int64_t sums,
                          mlir::Type arithmetic);
  mlir::Value addChunk(DotSource &lhs, DotSource &rhs,
                       llvm::ArrayRef<int64_t> positions, mlir::Value chunk,
                       mlir::Value sum);
  mlir::LogicalResult emitDot(tilegpu::DotOp op);

  //===--- Elements of shared memory (EmitSharedElements.cpp) ---------------//
  struct ElementPlaces;
  /// Of a tile of `shape`, or of a part of it.
  ElementPlaces placesIn(mlir::TypedValue<tilegpu::SharedType> memory,
                         const layout::Layout &layout,
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
  void emitCountShared(tilegpu::CountSharedOp op);

  //===--- Warps (EmitExchange.cpp, EmitReduction.cpp, EmitScan.cpp) --------//
  mlir::LogicalResult emitConversion(tilegpu::ConvertLayoutOp op);
  /// Element by element what lane `lane ^ mask` of the warp has.
  mlir::Value shuffleXor(mlir::Value vector, unsigned mask);
  /// What lane `lane` (i32) of the warp has of a scalar or vector.
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane);
  mlir::LogicalResult emitReduction(tilegpu::ReduceOp op);
  Parts reduceRegisters(Combiner &combiner, tilegpu::ReduceOp op,
                        const tilegpu::WarpReduction &reduction);
  class Scan;
  mlir::LogicalResult emitScan(tilegpu::ScanOp op);
  /// Of the region of a reduction or scan.
  Combiner combinerOf(mlir::Region &region);

  tile::KernelOp kernel;
  const target::GpuTarget &target;
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

//===- TileEmitter.h - From tiles to loops over vectors ---------*- C++ -*-===//
//
// A tile is computed where it is used. Loads, elementwise ops, broadcasts and
// transposes emit nothing by themselves: a consumer that needs elements (a
// store, a reduction, a contraction, a loop's carried value) asks for them, one
// vector at a time, and the request travels back through the expression. A
// tile gets a buffer in the thread's scratch memory only where choose-buffers
// said so, or when its op works on whole tiles.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H
#define TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H

#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/LazyOps.h"
#include "codegen/cpu/RegisterBlock.h"
#include "codegen/cpu/SourceDims.h"
#include "codegen/numeric/Elementwise.h"
#include "codegen/schedule/CpuSchedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "tileir/ir/Tile.h"

namespace tilewright::cpu {

/// Elements of a tile: at `index`, and `width` of them along dimension `lane`.
/// With width 1 the value is a scalar, else a vector. Missing lanes are beyond
/// the tile's end: they have any value and touch no memory.
struct Lanes : VectorPart {
  llvm::SmallVector<mlir::Value> index;
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

/// A matrix that a contraction reads: element (r, c) lies at
/// pointer + r * rowStride + c * columnStride (in elements); or panels, of the
/// sizes of the register block (DotOperand.cpp).
struct MatrixSource {
  mlir::Value pointer, rowStride, columnStride;
  /// From one matrix of a batch to the next; null where there is only one.
  mlir::Value batchStride;
  bool unitColumns = false;
  mlir::Type element;
  bool isUnsigned = false;
  bool isPanels = false;
};

/// An operand of a contraction: the matrix, the first of those of a batch; or
/// none where panels are made of each.
struct DotOperand {
  mlir::Value tile;
  bool isRhs = false;
  bool isUnsigned = false;
  std::optional<MatrixSource> matrix;
};

/// What a panel is made of: `count` rows of the left side, or columns of the
/// right, from `start` on.
struct PanelSource {
  mlir::Value tile, batch;
  unsigned acrossDim = 0, depthDim = 0;
  mlir::Value start;
  int64_t count = 0, depth = 0;
  mlir::Type element; // in the panel
};

/// One side of a block: element i of it (a row of the left side, a column of
/// the right) at depth k lies at pointer + i * rowStride + k * depthStride.
/// Columns are next to each other.
struct BlockOperand {
  mlir::Value pointer, depthStride, rowStride;
  mlir::Type element;
  bool isUnsigned = false;
};

/// acc[rows, columns] += lhs * rhs.
struct ProductBlock {
  BlockOperand lhs, rhs;
  mlir::Value acc; // the first sum
  int64_t accStride = 0;
  mlir::Type element;
  int64_t rows = 0;
  llvm::SmallVector<VectorPart> columns;
};

/// A view argument of the kernel, or one made in it.
struct ViewArgument {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> dims, strides;
};

class TileEmitter {
public:
  TileEmitter(tile::KernelOp kernel, const CpuTarget &target,
              mlir::ModuleOp module, const schedule::CpuSchedule &schedule);
  /// Emits the kernel's function at the end of the module.
  mlir::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<mlir::LogicalResult(const Lanes &)>;

  // TileToCpu.cpp: the function's frame, and which op goes where.
  void readArguments(mlir::Value args);
  void readProgramIds(mlir::Value linear, mlir::Value grid);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitLazy(mlir::Operation *op);
  mlir::LogicalResult emitScalarOp(mlir::Operation *op);
  bool emitQuery(mlir::Operation *op);
  void completeStrides(ViewArgument &view);

  // EmitElement.cpp: elements of tiles.
  mlir::FailureOr<mlir::Value> eval(mlir::Value tile, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalUncached(mlir::Value tile, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalConstant(mlir::arith::ConstantOp op,
                                            const Lanes &at);
  mlir::FailureOr<mlir::Value> evalBroadcast(tile::BroadcastOp op,
                                             const Lanes &at);
  mlir::FailureOr<mlir::Value> evalReshape(tile::ReshapeOp op, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalElementwise(mlir::Value result,
                                               const Lanes &at);
  mlir::FailureOr<mlir::Value> createElementwise(mlir::Value result,
                                                 mlir::ValueRange operands,
                                                 const VectorPart &part);
  /// True for the lanes that are not missing; null where none is, unless it is
  /// wanted `always`.
  mlir::Value laneMask(const VectorPart &part, bool always = false);
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value laneNumbers(mlir::Type element, int64_t width);
  mlir::Value constantOf(mlir::TypedAttr value);
  static mlir::Type vectorOf(mlir::Type element, int64_t width);

  // EmitBuffer.cpp: tiles in scratch memory.
  Buffer allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::FailureOr<Buffer> bufferOf(mlir::Value tile);
  mlir::FailureOr<Buffer> denseBufferOf(mlir::Value tile);
  mlir::FailureOr<Buffer> packAs(mlir::Value tile, mlir::Type element);
  mlir::LogicalResult materializeInto(mlir::Value tile, const Buffer &buffer);
  mlir::LogicalResult copyBuffer(const Buffer &from, const Buffer &to);
  mlir::Value readBuffer(const Buffer &buffer, const Lanes &at);
  void writeBuffer(const Buffer &buffer, const Lanes &at, mlir::Value value);
  mlir::Value elementOf(const Buffer &buffer, mlir::ValueRange index);
  Buffer aliasOf(const Buffer &buffer, llvm::ArrayRef<int64_t> offsets,
                 llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> shape);
  /// What choose-buffers said.
  bool needsBuffer(mlir::Value tile) const { return buffered.contains(tile); }
  bool readsMemory(mlir::Value tile);
  bool dependsOn(mlir::Value tile, mlir::Value argument);
  bool readsInPlace(mlir::Value tile, mlir::Value argument);

  // EmitMemory.cpp: views.
  void appendScalars(mlir::Value value, Values &parts);
  size_t bindScalars(mlir::Value name, mlir::ValueRange parts);
  mlir::LogicalResult selectView(mlir::arith::SelectOp op);
  mlir::FailureOr<mlir::Value> evalLoad(tile::LoadOp op, const Lanes &at);
  mlir::LogicalResult emitStore(tile::StoreOp op);
  mlir::LogicalResult emitMakeView(tile::MakeViewOp op);
  mlir::Value address(mlir::Value base, mlir::Value element, mlir::Type type);
  mlir::Value loadLanes(mlir::Value pointer, mlir::Value stride, bool isUnit,
                        mlir::Type element, int64_t width, mlir::Value mask,
                        mlir::Value pad);
  void storeLanes(mlir::Value value, mlir::Value pointer, mlir::Value stride,
                  bool isUnit, mlir::Type element, int64_t width,
                  mlir::Value mask);
  struct Address {
    mlir::Value pointer, stride; // of the first element, between lanes
    bool isUnit = false;
    mlir::Value mask; // null when all elements are inside
  };
  Address viewAddress(mlir::Value view, mlir::ValueRange offsets,
                      llvm::ArrayRef<int64_t> steps, bool byElement,
                      llvm::ArrayRef<int64_t> tileShape, const Lanes &at,
                      bool isChecked);
  std::optional<int64_t> maximum(mlir::Value index);
  bool isInside(mlir::Value view, mlir::Value offset, int64_t scale,
                int64_t size, int64_t step, unsigned dim);
  bool readsWhatIsStored(tile::StoreOp store);

  // EmitPointer.cpp: pointers and atomic operations.
  mlir::Value createOffset(tile::OffsetOp op, mlir::ValueRange operands,
                           int64_t width);
  mlir::Value signedI64(mlir::Value value);
  mlir::FailureOr<mlir::Value> evalLoadPtr(tile::LoadPtrOp op, const Lanes &at);
  mlir::LogicalResult emitOrderedLoad(tile::LoadPtrOp op);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp op);
  mlir::LogicalResult emitAtomicRmw(tile::AtomicRmwOp op);
  mlir::LogicalResult emitAtomicCas(tile::AtomicCasOp op);
  mlir::LogicalResult emitAtomicReduce(tile::AtomicReduceOp op);
  mlir::LogicalResult emitFence(tile::FenceOp op);
  using Access =
      llvm::function_ref<mlir::Value(mlir::Value pointer, mlir::ValueRange)>;
  mlir::LogicalResult forEachPointer(mlir::Value pointers, mlir::Value mask,
                                     mlir::ValueRange operands,
                                     mlir::Value result, Access access);
  mlir::Value guarded(mlir::Value mask, mlir::Type type, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> access);
  mlir::Value updateAtomically(tile::AtomicKind kind, tile::MemoryOrder order,
                               mlir::Value pointer, mlir::Value value);
  mlir::Value updateFloat(tile::AtomicKind kind, tile::MemoryOrder order,
                          mlir::Value pointer, mlir::Value value);

  // EmitControl.cpp: loops over elements, control flow.
  mlir::LogicalResult
  inNewScope(llvm::function_ref<mlir::LogicalResult()> body);
  /// `ends`: for each dimension where it is worth stopping; null, or no ends:
  /// at its end.
  mlir::LogicalResult forEachVector(llvm::ArrayRef<int64_t> shape,
                                    mlir::Type element, Body body,
                                    llvm::ArrayRef<mlir::Value> ends = {});
  mlir::LogicalResult forEachElement(llvm::ArrayRef<int64_t> shape, Body body);
  mlir::LogicalResult forEachChunk(int64_t size, int64_t width, Lanes &at,
                                   unsigned dim, Body body,
                                   mlir::Value end = {});
  Values endsInside(tile::StoreOp op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitIndexSwitch(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult storeYielded(mlir::ValueRange yielded,
                                   llvm::ArrayRef<Buffer> targets,
                                   mlir::ValueRange carried);
  /// Tiles that control flow carries, and the scalars of all else.
  struct Carried {
    llvm::SmallVector<Buffer> tiles;
    Values scalars;
  };
  mlir::FailureOr<Carried> carry(mlir::ValueRange values);
  void bind(mlir::ValueRange names, llvm::ArrayRef<Buffer> tiles,
            mlir::ValueRange scalarValues);
  mlir::FailureOr<Values> emitRegion(mlir::Block &block,
                                     mlir::ValueRange yielded,
                                     llvm::ArrayRef<Buffer> targets,
                                     mlir::ValueRange arguments);

  // EmitShape.cpp: tiles put together and taken apart.
  mlir::LogicalResult emitJoin(tile::JoinOp op);
  mlir::LogicalResult emitConcat(tile::ConcatOp op);
  mlir::LogicalResult emitSplit(tile::SplitOp op);
  mlir::LogicalResult emitSlice(tile::SliceOp op);
  mlir::LogicalResult emitExtract(tile::ExtractOp op);
  mlir::LogicalResult emitGather(tile::GatherOp op);
  mlir::FailureOr<mlir::Value> evalGather(tile::GatherOp op, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalSlice(tile::SliceOp op, const Lanes &at);

  // EmitDot.cpp.
  mlir::LogicalResult emitDot(tile::DotOp op);
  mlir::LogicalResult emitScaledDot(tile::ScaledDotOp op);
  mlir::FailureOr<Buffer> accumulatorOf(tile::DotOp op);
  mlir::FailureOr<Buffer> scaled(mlir::Value tile, mlir::Value scale,
                                 int64_t block, unsigned dim);
  mlir::LogicalResult roundInto(mlir::Value result, const Buffer &wide);

  // DotOperand.cpp, PackPanels.cpp.
  std::optional<MatrixSource> directMatrix(mlir::Value tile);
  MatrixSource matrixIn(const Buffer &buffer);
  mlir::FailureOr<DotOperand> operandOf(mlir::Value tile, bool isRhs,
                                        bool isUnsigned, const Buffer &acc,
                                        const RegisterBlock &registers);
  mlir::FailureOr<MatrixSource> matrixOf(const DotOperand &operand,
                                         mlir::Value batch,
                                         mlir::Type accumulator,
                                         const RegisterBlock &registers);
  mlir::FailureOr<MatrixSource> packPanels(mlir::Value tile, mlir::Value batch,
                                           bool isRhs, mlir::Type accumulator,
                                           int64_t panelSize);
  mlir::LogicalResult packAcross(const PanelSource &source,
                                 const Buffer &panel);
  mlir::LogicalResult packAlong(const PanelSource &source, const Buffer &panel);
  mlir::LogicalResult packTransposed(const PanelSource &source,
                                     const Buffer &panel, mlir::Value depth,
                                     int64_t first, int64_t count);
  mlir::FailureOr<mlir::Value> evalPacked(const PanelSource &source,
                                          mlir::Value across, mlir::Value depth,
                                          unsigned lane,
                                          const VectorPart &part);
  Values transposed(Values rows);
  std::optional<unsigned> contiguousDim(mlir::Value tile, unsigned steps = 0);

  // EmitProduct.cpp.
  mlir::FailureOr<RegisterBlock> registerBlock(mlir::Operation *op,
                                               int64_t rows, int64_t columns,
                                               mlir::Type element);
  using BlockBody =
      llvm::function_ref<mlir::LogicalResult(mlir::Value start, int64_t count)>;
  mlir::LogicalResult forEachBlock(int64_t total, int64_t size, BlockBody body);
  BlockOperand blockOf(const MatrixSource &matrix, bool isRhs,
                       mlir::Value start, int64_t count, int64_t depth);
  mlir::LogicalResult emitProduct(const MatrixSource &lhs,
                                  const MatrixSource &rhs,
                                  const RegisterBlock &registers,
                                  const Buffer &acc, mlir::Value accBase,
                                  int64_t depth);
  mlir::LogicalResult emitMatrices(const DotOperand &lhs, const DotOperand &rhs,
                                   const RegisterBlock &registers,
                                   const Buffer &acc, int64_t depth);
  void emitMicroKernel(const ProductBlock &block, int64_t depth,
                       int64_t unroll);
  Values multiplyAt(const ProductBlock &block, mlir::Value k,
                    mlir::ValueRange sums);
  Values multiplyFrom(const ProductBlock &block, int64_t first, int64_t end,
                      int64_t unroll, Values sums);

  // EmitReduce.cpp, EmitScan.cpp, EmitSort.cpp: along one dimension.
  mlir::LogicalResult emitReduce(tile::ReduceOp op);
  mlir::LogicalResult emitScan(tile::ScanOp op);
  mlir::LogicalResult emitHistogram(tile::HistogramOp op);
  mlir::LogicalResult emitSort(tile::SortOp op);
  mlir::LogicalResult emitTopK(tile::TopKOp op);
  mlir::FailureOr<Values> evalAll(mlir::ValueRange tiles, const Lanes &at);
  llvm::SmallVector<Buffer> allocateResults(mlir::Operation *op);
  mlir::FailureOr<Values> combine(mlir::Operation *op, mlir::ValueRange left,
                                  mlir::ValueRange right, int64_t missing = 0);
  mlir::FailureOr<Values> reduceLanes(tile::ReduceOp op, Values values);
  mlir::FailureOr<Values>
  accumulate(tile::ReduceOp op, int64_t first, int64_t end, int64_t step,
             int64_t missing,
             llvm::function_ref<mlir::FailureOr<Values>(mlir::Value)> body);
  mlir::FailureOr<Values> reduceRow(tile::ReduceOp op, Lanes in);
  struct SortOrder {
    bool isDescending, isUnsigned;
  };
  mlir::Value comesBefore(mlir::Value x, mlir::Value y, mlir::Type element,
                          SortOrder order);
  Buffer sortRow(const Buffer &keys, mlir::ValueRange row, unsigned axis,
                 SortOrder order, const Buffer &places);
  void mergeRuns(const Buffer &keys, mlir::ValueRange row, unsigned axis,
                 SortOrder order, const Buffer &places, mlir::Value from,
                 mlir::Value to, mlir::Value run);

  // EmitEffects.cpp: assertions and prints.
  mlir::LogicalResult emitAssert(tile::AssertOp op);
  mlir::LogicalResult emitPrint(tile::PrintOp op);
  void failWhere(tile::AssertOp op, mlir::Value fails,
                 llvm::function_ref<mlir::Value()> element);
  void printNumber(mlir::Value value, mlir::Type type);
  void callDevice(llvm::StringRef name, mlir::ValueRange arguments);
  Values programArguments();
  mlir::Value dataOf(mlir::Attribute data, mlir::Type type);
  mlir::Value stringOf(llvm::StringRef text);
  mlir::Value arrayOf(llvm::ArrayRef<int64_t> numbers);

  mlir::Value index(int64_t value);
  mlir::Value toI64(mlir::Value index);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  int64_t lanesFor(mlir::Type element) const;

  struct Memo {
    mlir::Value tile;
    Lanes at;
    mlir::Value value;
  };

  tile::KernelOp kernel;
  const CpuTarget &target;
  const schedule::CpuSchedule &schedule;
  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  /// Scalars by the kernel's values: pointers as i64, small floats as bits.
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, ViewArgument> views;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseSet<mlir::Value> buffered;
  /// Roots of buffers that hold more than one tile.
  llvm::DenseSet<mlir::Value> sharedBuffers;
  /// What a gather reads from, by the gather.
  llvm::DenseMap<mlir::Operation *, Buffer> gatherSources;
  MemoryReads memoryReads;
  llvm::SmallVector<Memo> memo;
  /// Arrays in the object's read-only data, by the op they hold.
  llvm::DenseMap<mlir::Operation *, std::string> constantNames;
  /// Texts and arrays of the effects.
  unsigned dataCount = 0;
  mlir::Value scratch;
  int64_t scratchBytes = 0;
  Values programIds, programCounts;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H

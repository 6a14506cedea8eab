//===- TileEmitter.h - From tiles to loops over vectors ---------*- C++ -*-===//
//
// A tile is computed where it is used. Loads, elementwise ops, broadcasts and
// transposes emit nothing by themselves: a consumer that needs elements (a
// store, a reduction, a contraction, a loop's carried value) asks for them, one
// vector at a time, and the request travels back through the expression. A
// tile gets a buffer in the thread's scratch memory only when several consumers
// would compute it again, when a loop reads it many times, or when memory may
// change before it is read.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H
#define TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H

#include "codegen/cpu/TileToCpu.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::cpu {

/// Elements of a tile: at `index`, and `width` of them along dimension `lane`.
/// With width 1 the value is a scalar, else a vector.
struct Lanes {
  llvm::SmallVector<mlir::Value> index;
  int lane = -1;
  int64_t width = 1;
};

/// A dense row-major array in scratch or constant memory.
struct Buffer {
  mlir::Value pointer;
  llvm::SmallVector<int64_t> shape;
  mlir::Type element;
};

/// A matrix that a contraction reads in place: element (r, c) lies at
/// pointer + r * rowStride + c * columnStride (in elements).
struct MatrixSource {
  mlir::Value pointer, rowStride, columnStride;
  bool unitColumns = false;
  mlir::Type element;
};

/// A view argument of the kernel.
struct ViewArgument {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> dims, strides;
};

class TileEmitter {
public:
  TileEmitter(tile::KernelOp kernel, const CpuTarget &target,
              mlir::ModuleOp module);
  mlir::FailureOr<CpuFunction> run();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<mlir::LogicalResult(const Lanes &)>;

  // TileToCpu.cpp: the function's frame.
  void readArguments(mlir::Value args);
  void readProgramIds(mlir::Value linear, mlir::Value grid);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitScalarOp(mlir::Operation *op);

  // EmitElement.cpp: elements of tiles.
  mlir::FailureOr<mlir::Value> eval(mlir::Value tile, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalUncached(mlir::Value tile, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalConstant(mlir::arith::ConstantOp op,
                                            const Lanes &at);
  mlir::FailureOr<mlir::Value> evalBroadcast(tile::BroadcastOp op,
                                             const Lanes &at);
  mlir::FailureOr<mlir::Value> evalReshape(tile::ReshapeOp op, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalElementwise(mlir::Operation *op,
                                               const Lanes &at);
  mlir::Value createElementwise(mlir::Operation *op, mlir::ValueRange operands,
                                int64_t width);
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value laneNumbers(mlir::Type element, int64_t width);
  static mlir::Type vectorOf(mlir::Type element, int64_t width);

  // EmitMemory.cpp: views, buffers, pointers.
  mlir::FailureOr<mlir::Value> evalLoad(tile::LoadOp op, const Lanes &at);
  mlir::FailureOr<mlir::Value> evalLoadPtr(tile::LoadPtrOp op, const Lanes &at);
  mlir::LogicalResult emitStore(tile::StoreOp op);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp op);
  mlir::Value extendToStorage(mlir::Value value, int64_t width);
  mlir::Value readBuffer(const Buffer &buffer, const Lanes &at);
  void writeBuffer(const Buffer &buffer, const Lanes &at, mlir::Value value);
  Buffer allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::FailureOr<Buffer> bufferOf(mlir::Value tile);
  mlir::LogicalResult materializeInto(mlir::Value tile, const Buffer &buffer);
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
  std::optional<MatrixSource> directMatrix(mlir::Value tile);
  static mlir::Type storageType(mlir::Type element);

  // EmitControl.cpp: loops over elements, decisions, control flow.
  mlir::LogicalResult forEachVector(llvm::ArrayRef<int64_t> shape,
                                    mlir::Type element, Body body);
  mlir::LogicalResult forEachChunk(int64_t size, int64_t width, Lanes &at,
                                   unsigned dim, Body body);
  bool isLazy(mlir::Operation *op) const;
  bool needsBuffer(mlir::Value tile);
  void collectSinks(mlir::Value tile,
                    llvm::SmallPtrSetImpl<mlir::Operation *> &sinks);
  int64_t cost(mlir::Value tile);
  bool readsMemory(mlir::Value tile);
  bool dependsOn(mlir::Value tile, mlir::Value argument);
  bool readsInPlace(mlir::Value tile, mlir::Value argument);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult storeYielded(mlir::ValueRange yielded,
                                   llvm::ArrayRef<Buffer> targets,
                                   mlir::ValueRange carried);

  // EmitDot.cpp, EmitReduce.cpp.
  mlir::LogicalResult emitDot(tile::DotOp op);
  mlir::FailureOr<MatrixSource> matrixOf(mlir::Value tile, bool isRhs,
                                         mlir::Value batch);
  void emitMicroKernel(const MatrixSource &lhs, const MatrixSource &rhs,
                       const Buffer &acc, mlir::Value accBase, mlir::Value row,
                       int64_t rows, mlir::Value column,
                       llvm::ArrayRef<int64_t> widths, int64_t depth,
                       tile::DotOp op);
  mlir::LogicalResult emitReduce(tile::ReduceOp op);
  mlir::FailureOr<Values> combine(tile::ReduceOp op, mlir::ValueRange left,
                                  mlir::ValueRange right);
  mlir::FailureOr<Values> reduceLanes(tile::ReduceOp op, Values values);

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
  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, ViewArgument> views;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Pointers of buffers that hold more than one tile.
  llvm::DenseSet<mlir::Value> sharedBuffers;
  /// Answers of needsBuffer, cost and readsMemory.
  llvm::DenseMap<mlir::Value, bool> bufferDecision, memoryReads;
  llvm::DenseMap<mlir::Value, int64_t> costs;
  llvm::SmallVector<Memo> memo;
  /// Arrays in the object's read-only data, by the op they hold.
  llvm::DenseMap<mlir::Operation *, std::string> constantNames;
  mlir::Value scratch;
  int64_t scratchBytes = 0;
  Values programIds;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_TILEEMITTER_H

//===- KernelEmitter.h - One group of graph ops as a tile kernel *- C++ -*-===//
//
// The emitter starts from the tile of the group's result that one program
// computes and walks back through the ops: each op is asked for the tile that
// its reader needs (a region), translates it through its indexing maps into
// regions of its operands, and computes it there. Values from outside the
// group become structured loads.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H

#include "graph/analysis/Access.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/lowering/Cut.h"
#include "tileir/ir/Tile.h"

namespace tilewright::graph {

/// What the caller of an emitted kernel passes for one argument.
struct KernelArgument {
  /// The tensor behind a view, null for a scalar.
  mlir::Value tensor;
  /// The value of an index argument.
  mlir::AffineExpr scalar;

  friend bool operator==(const KernelArgument &,
                         const KernelArgument &) = default;
};

/// A kernel and how to call it. The first arguments are the results.
struct EmittedKernel {
  tile::KernelOp kernel;
  std::vector<KernelArgument> arguments;
};

/// An element offset with what is known of its range.
struct Offset {
  mlir::Value value;
  std::optional<int64_t> min, max;
};

/// A strided box of elements: along dimension d, `size[d]` elements from
/// `offset[d]`, each `step[d]` after the one before.
struct Region {
  llvm::SmallVector<Offset> offset;
  llvm::SmallVector<int64_t> size, step;

  unsigned rank() const { return size.size(); }
  void append(Offset o, int64_t count, int64_t stride) {
    offset.push_back(o);
    size.push_back(count);
    step.push_back(stride);
  }
};

/// Emits one kernel; used once.
class KernelEmitter {
public:
  /// `builder` stands in the body of the module that receives the kernel.
  KernelEmitter(mlir::OpBuilder &builder, SymbolicShapes &shapes,
                const Group &group, const TileLimits &limits);

  /// Gives the kernel these arguments first, whether it uses them or not:
  /// kernels of one group then have one interface.
  void declare(llvm::ArrayRef<KernelArgument> arguments) { first = arguments; }

  /// Emits the kernel that computes the group's results, cut by these values.
  mlir::FailureOr<EmittedKernel> emit(llvm::StringRef name,
                                      const CutValues &cut = {});

  /// Emits the kernel that copies input `index` of a concatenation.
  mlir::FailureOr<EmittedKernel> emitConcat(llvm::StringRef name,
                                            unsigned index);

private:
  // KernelEmitter.cpp: the frame, values and memory.
  mlir::LogicalResult begin(llvm::StringRef name, mlir::ValueRange tensors);
  mlir::FailureOr<EmittedKernel> finish();
  Region programRegion(llvm::ArrayRef<int64_t> tile,
                       llvm::ArrayRef<mlir::AffineExpr> sizes);
  mlir::Value viewOf(mlir::Value tensor);
  mlir::FailureOr<mlir::Value> sizeValue(mlir::AffineExpr size);
  mlir::Value index(int64_t constant);
  Offset constantOffset(int64_t value);
  Offset addOffsets(const Offset &a, const Offset &b);
  Offset scaleOffset(const Offset &a, int64_t factor);
  mlir::FailureOr<Offset> foldedOffset(mlir::OpFoldResult value);
  bool isInside(mlir::Value tensor, const Region &region) const;

  mlir::FailureOr<mlir::Value> emitTile(mlir::Value value,
                                        const Region &region);
  mlir::FailureOr<mlir::Value> computeTile(mlir::Value value,
                                           const Region &region);
  mlir::FailureOr<mlir::Value> emitContent(mlir::Value written,
                                           llvm::ArrayRef<int64_t> shape);
  mlir::Value emitLoad(mlir::Value tensor, const Region &region,
                       mlir::TypedAttr pad);
  mlir::FailureOr<mlir::Value> emitPad(mlir::tensor::PadOp op,
                                       const Region &region);
  mlir::FailureOr<mlir::Value> emitSlice(mlir::tensor::ExtractSliceOp op,
                                         const Region &region);

  // BodyEmitter.cpp: elementwise bodies on tiles.
  Region loopRegion(mlir::linalg::GenericOp op, const Region &region);
  mlir::LogicalResult emitInputs(mlir::linalg::GenericOp op,
                                 const Region &loops, mlir::IRMapping &mapping);
  mlir::FailureOr<mlir::Value> emitElementwise(mlir::linalg::GenericOp op,
                                               const Region &region);
  mlir::FailureOr<mlir::Value>
  emitOperand(mlir::Value operand, mlir::AffineMap map, const Region &loops);
  /// The operand's tile with one dimension for each loop in `order`.
  mlir::FailureOr<mlir::Value> emitOrdered(mlir::Value operand,
                                           mlir::AffineMap map,
                                           const Region &loops,
                                           llvm::ArrayRef<unsigned> order);
  mlir::FailureOr<mlir::Value>
  emitGather(mlir::Value operand, mlir::AffineMap map, const Region &loops);
  mlir::FailureOr<mlir::Value> gather(mlir::Value tensor,
                                      llvm::ArrayRef<mlir::Value> subscripts,
                                      llvm::ArrayRef<int64_t> shape);
  Offset evaluate(mlir::AffineExpr subscript, const Region &loops);
  mlir::Value indexTile(const Region &loops, unsigned loop);
  mlir::FailureOr<mlir::Value> emitBody(mlir::Value wanted, mlir::Block *body,
                                        mlir::IRMapping &mapping,
                                        const Region &loops);
  mlir::FailureOr<mlir::Value> emitBodyOp(mlir::Operation *op,
                                          mlir::ValueRange operands,
                                          const Region &loops);
  mlir::Value splat(mlir::TypedAttr value, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcastScalar(mlir::Value scalar,
                              llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);

  // ReductionEmitter.cpp: loops that accumulate.
  using Tiles = llvm::SmallVector<mlir::Value>;
  mlir::FailureOr<Tiles> emitReduction(mlir::linalg::GenericOp op,
                                       const Region &region);
  mlir::FailureOr<Tiles> emitLoops(
      mlir::linalg::GenericOp op, Region &loops,
      llvm::ArrayRef<unsigned> remaining, const Tiles &carried,
      llvm::function_ref<mlir::FailureOr<Tiles>(const Region &, const Tiles &)>
          step);
  mlir::FailureOr<Tiles> emitWindow(
      mlir::linalg::GenericOp op, Region &loops,
      llvm::ArrayRef<unsigned> remaining, int64_t points, const Tiles &carried,
      llvm::function_ref<mlir::FailureOr<Tiles>(const Region &, const Tiles &)>
          step);
  mlir::FailureOr<Tiles> stepSequential(mlir::linalg::GenericOp op,
                                        const Region &loops,
                                        const Tiles &carried);
  mlir::FailureOr<mlir::Value> stepMultiplyAdd(mlir::linalg::GenericOp op,
                                               mlir::Operation *product,
                                               const Region &loops,
                                               mlir::Value carried);
  mlir::FailureOr<mlir::Value> stepAccumulate(mlir::linalg::GenericOp op,
                                              const Accumulation &accumulation,
                                              const Region &loops,
                                              mlir::Value carried);
  mlir::FailureOr<mlir::Value> maskOverrun(mlir::linalg::GenericOp op,
                                           const Region &loops,
                                           llvm::ArrayRef<unsigned> order,
                                           mlir::Value tile,
                                           mlir::TypedAttr neutral);
  mlir::FailureOr<mlir::Value> emitContraction(mlir::linalg::GenericOp op,
                                               const Region &region);
  mlir::FailureOr<mlir::AffineExpr> loopSize(mlir::linalg::GenericOp op,
                                             unsigned loop);

  struct CachedTile {
    mlir::Value value;
    Region region;
    mlir::Value tile;
  };

  mlir::OpBuilder builder;
  mlir::Location loc;
  SymbolicShapes &shapes;
  const Group &group;
  TileLimits limits;
  TileSizes sizes;
  tile::KernelOp kernel;
  mlir::Block *entry = nullptr;
  llvm::ArrayRef<KernelArgument> first;
  std::vector<KernelArgument> arguments;
  llvm::SmallVector<mlir::AffineExpr> gridSizes;
  /// Tiles computed so far, visible at the insertion point; loops push a
  /// scope and drop it at their end.
  std::vector<llvm::SmallVector<CachedTile>> scopes;
  llvm::DenseMap<int64_t, mlir::Value> indexConstants;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H

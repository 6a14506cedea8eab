//===- PackageBuilder.h - A lowered graph as a package ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGEBUILDER_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGEBUILDER_H

#include "graph/analysis/LoopForm.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "runtime/core/PackageWriter.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/mlir/Compile.h"

#include <unordered_set>

namespace tilewright {

/// Assigns a buffer to each tensor of a program of launches, and makes a
/// package's manifest and weights.
class PackageBuilder {
public:
  /// `program` has `graph.launch` and the ops for sizes and checks; it outlives
  /// this.
  explicit PackageBuilder(mlir::func::FuncOp program)
      : program(program), shapes(program) {}

  /// Fills in inputs, outputs, states, buffers and steps. A buffer that is an
  /// output or read and that no step wrote before is an internal error.
  Status describe(runtime::PackageManifest &manifest);

  /// Writes the weights; the manifest is described already.
  Status addWeights(runtime::PackageWriter &writer);

private:
  StatusOr<size_t> bufferOf(mlir::Value tensor);
  StatusOr<size_t> aliasOf(graph::ResizeRowsOp op);
  StatusOr<size_t> changedBuffer(mlir::Value written);
  StatusOr<size_t> addBuffer(mlir::Value tensor,
                             runtime::BufferManifest::Kind kind);
  StatusOr<std::vector<runtime::Expression>> shapeOf(mlir::Value tensor);
  runtime::Expression expressionOf(mlir::AffineExpr size);
  StatusOr<size_t> weightBuffer(mlir::Value tensor, mlir::ElementsAttr data);
  /// The steps of a block, at the end of `list`.
  Status addBlock(mlir::Block &block, std::vector<runtime::StepManifest> &list);
  Status addStep(graph::LaunchOp launch);
  Status addCheck(graph::CheckOp check);
  Status addRead(graph::SizeOp read);
  Status addBranch(mlir::scf::IfOp op);
  Status addLoop(mlir::Operation *op, const graph::LoopForm &form);
  Status addNext(const graph::LoopForm &form, llvm::StringRef label,
                 runtime::LoopManifest &loop);
  Status placeCarried(mlir::Block &block);
  StatusOr<runtime::Expression> countOf(const graph::LoopForm &loop);
  StatusOr<size_t> resultBuffer(mlir::Value result);
  StatusOr<runtime::StepSymbol> symbolOf(mlir::AffineSymbolExpr symbol);
  StatusOr<std::vector<runtime::StepSymbol>> symbolsOf(mlir::Operation *op,
                                                       mlir::ValueRange values);
  [[nodiscard]] bool dependsOn(size_t buffer,
                               llvm::ArrayRef<runtime::StepSymbol>) const;
  mlir::Value originIn(mlir::Value value, mlir::Block &block);
  /// The result of the first of the launches that write the memory of `value`;
  /// null if it begins with something else than new memory.
  static mlir::Value firstWritten(mlir::Value value);
  Status addInterface();
  Status addInput(mlir::BlockArgument argument);
  Status addOutput(unsigned result, mlir::Value value);
  StatusOr<size_t> outputBuffer(unsigned result, mlir::Value value,
                                llvm::StringRef name);
  Status addStates();
  Status addOverwritten();
  void placeUpdates();
  Status addUpdates();
  Status addCopy(size_t from, size_t to, llvm::StringRef label);
  StatusOr<size_t> copyOf(size_t buffer, runtime::BufferManifest::Kind kind,
                          llvm::StringRef label);
  /// The buffer at the end of aliases.
  [[nodiscard]] size_t rootOf(size_t buffer) const;
  [[nodiscard]] bool isWritten(size_t id) const;
  Status checkOutputs() const;
  [[nodiscard]] bool isOfInputs(const runtime::Expression &size) const;

  mlir::func::FuncOp program;
  graph::SymbolicShapes shapes;
  runtime::PackageManifest *manifest = nullptr;
  /// The list that steps are added to.
  std::vector<runtime::StepManifest> *steps = nullptr;
  /// Buffers with a content at this point.
  std::unordered_set<size_t> written;
  /// The values of the shapes' symbols, as far as they were needed.
  std::vector<runtime::Expression> symbols;
  llvm::DenseMap<mlir::Value, size_t> buffers;
  llvm::DenseMap<mlir::Attribute, size_t> weightBuffers;
  /// Buffers that hold nothing, whatever the dynamic sizes are.
  std::unordered_set<size_t> emptyBuffers;
  /// Where the new value of a state goes, or of an input that is overwritten.
  llvm::DenseMap<mlir::Value, size_t> updated;
  /// Of the buffer of an input that is overwritten: that of its new value.
  std::unordered_map<size_t, size_t> newValues;
  /// Memory that gets other elements at the end: of states whose new value is
  /// copied there, and of inputs, as a caller may give it to their new value.
  std::unordered_set<size_t> overwritten;
  struct Weight {
    std::string name;
    mlir::ElementsAttr data;
  };
  std::vector<Weight> weights;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGEBUILDER_H

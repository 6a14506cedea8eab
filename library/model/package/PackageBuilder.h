//===- PackageBuilder.h - A lowered graph as a package ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGEBUILDER_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGEBUILDER_H

#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
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
  StatusOr<size_t> changedBuffer(mlir::Value written);
  StatusOr<size_t> addBuffer(mlir::Value tensor,
                             runtime::BufferManifest::Kind kind);
  StatusOr<std::vector<runtime::Expression>> shapeOf(mlir::Value tensor);
  runtime::Expression expressionOf(mlir::AffineExpr size);
  StatusOr<size_t> weightBuffer(mlir::Value tensor, mlir::ElementsAttr data);
  Status addStep(graph::LaunchOp launch);
  Status addCheck(graph::CheckOp check);
  Status addInterface();
  Status addInput(mlir::BlockArgument argument);
  Status addOutput(unsigned result, mlir::Value value);
  StatusOr<size_t> outputBuffer(unsigned result, mlir::Value value,
                                llvm::StringRef name);
  Status addStates();
  Status addOverwritten();
  void placeUpdates();
  Status addUpdates();
  void addCopy(size_t from, size_t to, llvm::StringRef label);
  size_t copyOf(size_t buffer, runtime::BufferManifest::Kind kind,
                llvm::StringRef label);
  Status checkWritten();

  mlir::func::FuncOp program;
  graph::SymbolicShapes shapes;
  runtime::PackageManifest *manifest = nullptr;
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

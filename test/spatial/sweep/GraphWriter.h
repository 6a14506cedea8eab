// The tensors of a graph that is being written at random.
#ifndef TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHWRITER_H
#define TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHWRITER_H

#include "graph/build/Constants.h"
#include "graph/build/Interface.h"
#include "test/spatial/sweep/RandomGraph.h"

namespace tilewright::test {

using Sizes = llvm::SmallVector<int64_t>;

/// A tensor, and what is known of its elements.
struct Known {
  build::Tensor tensor;
  Sizes shape;
  /// No element is greater.
  double most = 4;
  /// Each element is computed without rounding.
  bool isExact = true;
  bool isRead = false;
};

/// Writes operators; each reads tensors that are there, or new inputs and
/// constants.
class GraphWriter {
public:
  GraphWriter(build::GraphBuilder &b, Dice &dice) : b(b), dice(dice) {}

  /// An operator at random; empty if it does not fit the tensors.
  std::string addOperator();
  /// A tensor to begin with.
  void addFirst();

  std::vector<Known> tensors;
  /// Inputs and their data; their tensors are placeholders until then.
  std::vector<build::FunctionArgument> arguments;
  std::vector<runtime::HostTensor> inputs;
  mlir::func::FuncOp function;

private:
  using Operator = bool (GraphWriter::*)();
  struct Entry {
    const char *name;
    int weight;
    Operator write;
  };
  static const Entry entries[];

  // What operators read.
  Known make(const Sizes &shape, build::Element element, bool isConstant,
             int64_t least, int64_t most);
  Known fresh(const Sizes &shape, build::Element element, int percent = 50);
  Known freshFloat(const Sizes &shape, int constantPercent = 50) {
    return fresh(shape, build::f32(b), constantPercent);
  }
  /// The number of a tensor for which `test` holds; -1 if there is none.
  int pick(llvm::function_ref<bool(const Known &)> test);
  int pickFloat(int64_t leastRank = 0);
  Sizes randomShape(int64_t least, int64_t most);
  int64_t size();
  Sizes partOf(const Sizes &shape);
  Sizes randomAxes(int64_t rank);
  Known readOf(int number);
  llvm::SmallVector<build::Expr> exprs(llvm::ArrayRef<int64_t> sizes) {
    return build::exprsOf(b.sizes, sizes);
  }
  bool add(mlir::FailureOr<build::Tensor> tensor, double most, bool isExact);

  // Operators.
  bool addArithmetic();
  bool addUnary();
  bool addFunction();
  bool addExactUnary();
  bool addCompare();
  bool addWhere();
  bool addConvert();
  bool addIntegers();
  bool addNarrow();
  bool addMatMul();
  bool addGemm();
  bool addConv();
  bool addPool();
  bool addReduce();
  bool addSoftmax();
  bool addNorm();
  bool addReshape();
  bool addTranspose();
  bool addSlice();
  bool addConcat();
  bool addPad();
  bool addExpand();
  bool addGather();
  bool addGatherElements();
  bool addUpsample();
  bool addBlocks();

  build::GraphBuilder &b;
  Dice &dice;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHWRITER_H

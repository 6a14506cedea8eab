//===- TestRun.h - A module's text on the reference of graphs ---*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_GRAPH_REFERENCE_TESTRUN_H
#define TILEWRIGHT_TEST_GRAPH_REFERENCE_TESTRUN_H

#include "graph/reference/GraphReference.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <bit>
#include <string>

namespace tilewright::graph::reference::test {

/// f32 numbers in a shape.
Array floats(llvm::SmallVector<int64_t> shape, std::vector<float> numbers);
/// Integers of 64 bits, indices too.
Array integers(llvm::SmallVector<int64_t> shape, std::vector<int64_t> numbers);
inline Array integer(int64_t number) { return integers({}, {number}); }

/// Options of a run in which the order of sums is open.
ReferenceOptions anyOrder();

/// What makes another module of the one that has the function.
using Change = std::function<mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(
    mlir::func::FuncOp)>;

/// Runs @main of a module, or of what is made of it. Errors are kept.
class TestRun {
public:
  explicit TestRun(const std::string &text, std::vector<Array> inputs = {},
                   ReferenceOptions options = {}, const Change &change = {});

  /// All elements of a result; {} if there was an error.
  std::vector<float> floats(unsigned result = 0);
  std::vector<int64_t> integers(unsigned result = 0);
  std::vector<int64_t> shape(unsigned result = 0);
  /// One element, without the others.
  std::optional<tilewright::reference::Element>
  element(unsigned result, std::vector<int64_t> index);
  /// What is permitted as one element.
  tilewright::reference::Permitted permitted(unsigned result,
                                             std::vector<int64_t> index);
  /// What the run would have needed to know; empty if it did not end so.
  std::string undetermined() const { return run->undetermined().what; }
  /// All errors and notes so far, after asking for all results.
  std::string fault();
  uint64_t ops() const { return run->opCount(); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string errors;
  std::optional<GraphReference> run;
};

} // namespace tilewright::graph::reference::test

#endif // TILEWRIGHT_TEST_GRAPH_REFERENCE_TESTRUN_H

// One running program, and the table of the ops' evaluation functions.
#pragma once

#include "mlir/IR/Operation.h"
#include "tileir/reference/ElementOps.h"
#include "tileir/reference/Interpreter.h"
#include "tileir/reference/Memory.h"
#include "tileir/reference/TileValue.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <memory>
#include <unordered_map>

namespace tilewright::reference {

/// What all programs of one launch share.
struct Launch {
  Memory &memory;
  const LaunchOptions &options;
  llvm::SmallVector<int64_t> grid;
  int64_t steps = 0;
};

/// The state of one program: the values of its ops. A called device function
/// runs in a separate ProgramInstance.
class ProgramInstance {
public:
  ProgramInstance(Launch &launch, llvm::ArrayRef<int64_t> ids)
      : launch(launch), ids(ids) {}

  Memory &memory() { return launch.memory; }
  Launch &getLaunch() { return launch; }
  llvm::ArrayRef<int64_t> getIds() const { return ids; }

  const Value &get(mlir::Value value) const {
    auto found = values.find(value);
    assert(found != values.end() && "used before it is computed");
    return found->second;
  }
  const TileValue &tile(mlir::Value value) const {
    return std::get<TileValue>(get(value));
  }
  const ViewValue &view(mlir::Value value) const {
    return std::get<ViewValue>(get(value));
  }
  mlir::LogicalResult set(mlir::Value value, Value result) {
    values.insert_or_assign(value, std::move(result));
    return mlir::success();
  }
  void setAll(mlir::ValueRange to, llvm::ArrayRef<Value> from);

  /// State that evaluations of other ops keep for this program.
  std::shared_ptr<void> &extension() { return extensionState; }

  const FreedomOptions &getFreedom() const { return launch.options.freedom; }
  bool isOpen() const { return getFreedom().freedom != Freedom::none; }
  /// Ends the launch at `op`, which needs to know a value that has several
  /// permitted ones: `what` it is. An error only if the options take no note.
  mlir::LogicalResult stop(mlir::Operation *op, const llvm::Twine &what);

  /// The scalar integer `value`, used by `op` as address, bound or condition;
  /// an error there if it is poison. Stops if it is not determined.
  mlir::FailureOr<int64_t> scalar(mlir::Operation *op, mlir::Value value);

  /// Runs the ops of `block` and returns the operands of its terminator.
  mlir::FailureOr<llvm::SmallVector<Value>> run(mlir::Block &block);
  /// The same, its arguments set to `arguments` before.
  mlir::FailureOr<llvm::SmallVector<Value>>
  run(mlir::Block &block, llvm::ArrayRef<Value> arguments);

private:
  mlir::LogicalResult step(mlir::Operation *op);

  Launch &launch;
  llvm::ArrayRef<int64_t> ids;
  std::shared_ptr<void> extensionState;
  struct HashValue {
    size_t operator()(mlir::Value value) const {
      return mlir::hash_value(value);
    }
  };
  /// A map with stable references: evaluations hold references to their
  /// operands while one of their regions defines values.
  std::unordered_map<mlir::Value, Value, HashValue> values;
};

/// The message of `status`, a failure, at `op`.
mlir::LogicalResult errorAt(mlir::Operation *op, const Status &status);

/// The elements of a view that a tile covers: tile element `i` is view element
/// `begin + i * step`.
struct Window {
  llvm::SmallVector<int64_t> begin, step;

  llvm::SmallVector<int64_t> at(Index i) const {
    llvm::SmallVector<int64_t> index;
    for (auto [first, stride, offset] : llvm::zip_equal(begin, step, i)) {
      int64_t behind, sum;
      // Beyond the range of offsets no view has elements.
      bool overflows = llvm::MulOverflow(offset, stride, behind) ||
                       llvm::AddOverflow(first, behind, sum);
      index.push_back(overflows ? -1 : sum);
    }
    return index;
  }

  /// The window of a load, store or atomic of a tile of this shape.
  template <typename Op>
  static mlir::FailureOr<Window> of(Op op, llvm::ArrayRef<int64_t> tileShape,
                                    ProgramInstance &program) {
    Window window;
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
      mlir::FailureOr<int64_t> value = program.scalar(op, offset);
      if (mlir::failed(value))
        return mlir::failure();
      window.begin.push_back(op.getByElement() ? *value
                                               : *value * tileShape[dim]);
      window.step.push_back(op.getSteps().empty() ? 1 : op.getSteps()[dim]);
    }
    return window;
  }
};

/// Op name to evaluation.
class OpTable {
public:
  using Eval =
      std::function<mlir::LogicalResult(mlir::Operation *, ProgramInstance &)>;

  template <typename Op>
  void add(std::function<mlir::LogicalResult(Op, ProgramInstance &)> eval) {
    table[Op::getOperationName()] = [eval](mlir::Operation *op,
                                           ProgramInstance &program) {
      return eval(llvm::cast<Op>(op), program);
    };
  }

  /// An op on scalars or tiles of one shape: one function for each result.
  template <typename Op, typename... Fns>
  void addElementwise(Fns... functions) {
    addElementwise(Op::getOperationName(),
                   std::vector<EvalElement>{functions...});
  }

  /// Null if the op is not known.
  const Eval *find(mlir::Operation *op) const {
    auto found = table.find(op->getName().getStringRef());
    return found == table.end() ? nullptr : &found->second;
  }

  /// For each result how its elements are computed; none if the op is not an
  /// elementwise one.
  llvm::ArrayRef<EvalElement> elementFunctions(mlir::Operation *op) const {
    auto found = elementwise.find(op->getName().getStringRef());
    if (found == elementwise.end())
      return {};
    return found->second;
  }

  bool knows(llvm::StringRef opName) const { return table.contains(opName); }

  /// The one table, built on first use and never changed.
  static const OpTable &get();

private:
  void addElementwise(llvm::StringRef name, std::vector<EvalElement> results);

  llvm::StringMap<Eval> table;
  llvm::StringMap<std::vector<EvalElement>> elementwise;
};

/// Each group of ops adds itself.
void addArithOps(OpTable &table);
void addAtomicOps(OpTable &table);
void addCastOps(OpTable &table);
void addComputeOps(OpTable &table);
void addConvertOps(OpTable &table);
void addControlOps(OpTable &table);
void addMathOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addMiscOps(OpTable &table);
void addShapeOps(OpTable &table);
void addSortOps(OpTable &table);

} // namespace tilewright::reference

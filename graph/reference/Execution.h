// What the evaluations of ops see, and the table of these.
#pragma once

#include "graph/reference/Body.h"
#include "graph/reference/GraphReference.h"
#include "tileir/reference/RandomRounding.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace tilewright::graph::reference {

/// What one run of a function shares.
struct Machine {
  explicit Machine(const ReferenceOptions &options)
      : memory(options.rememberedElements), options(options),
        freedom(options.freedom) {
    if (options.roundingSeed)
      randomly.emplace(*options.roundingSeed);
  }
  /// A fault at `op` if too many ops have run.
  mlir::LogicalResult checkLimit(mlir::Operation *op) const;

  bool isOpen() const { return freedom.freedom != numerics::Freedom::none; }
  bool roundsFreely() const {
    return freedom.freedom == numerics::Freedom::roundings;
  }
  /// Ends the run at `op`, which needs to know a number that has several
  /// permitted values: `what` it is. This is no error.
  mlir::LogicalResult stop(mlir::Operation *op, const llvm::Twine &what);

  ElementMemory memory;
  const ReferenceOptions options;
  const numerics::FreedomOptions freedom;
  uint64_t ops = 0;
  /// Functions that call each other and have not returned.
  unsigned calls = 0;
  numerics::Undetermined undetermined;
  /// How results are rounded; none: to nearest.
  std::optional<numerics::RandomRounding> randomly;
  std::map<mlir::Operation *, std::shared_ptr<const Body>> functions;
};

/// Runs code on a frame. Fails with an error at an op.
mlir::LogicalResult run(const std::vector<Instruction> &code, Frame &frame,
                        Machine &machine);

/// One op that runs.
class Execution {
public:
  Execution(const Instruction &instruction, Frame &frame, Machine &machine)
      : instruction(instruction), frame(frame), machine(machine) {}

  const Instruction &getInstruction() const { return instruction; }
  mlir::Operation *getOp() const { return instruction.op; }
  Machine &getMachine() const { return machine; }

  // Operands, by number.
  const Slot &operand(unsigned number) const {
    return frame[instruction.operands[number]];
  }
  Scalar scalar(unsigned number) const { return operand(number).scalar; }
  const TensorPtr &tensor(unsigned number) const {
    return operand(number).tensor;
  }
  /// A condition, address or size; a fault if it is poison. The run stops if
  /// it is not determined.
  mlir::FailureOr<int64_t> integer(unsigned number) const;
  /// Of a list in which some numbers are static and the rest are operands.
  mlir::FailureOr<Shape> integers(llvm::ArrayRef<int64_t> statics,
                                  mlir::OperandRange dynamics) const;

  // Results, by number.
  void set(unsigned number, Scalar value) {
    frame[instruction.results[number]].scalar = value;
  }
  void setInteger(unsigned number, int64_t value);
  /// A fault if the shape is not that of the result's type.
  mlir::LogicalResult set(unsigned number, TensorPtr tensor);
  mlir::LogicalResult set(unsigned number, Slot value);
  mlir::LogicalResult setAll(llvm::ArrayRef<Slot> values);
  /// A tensor of the type of a result whose elements are read from others.
  mlir::LogicalResult setView(unsigned number, Shape shape, ElementFn element);
  /// The same, computed, so that it is worth remembering.
  mlir::LogicalResult setComputed(unsigned number, Shape shape,
                                  ElementFn element);

  /// Runs a region; returns the operands of its terminator.
  mlir::FailureOr<llvm::SmallVector<Slot>>
  runRegion(unsigned number, llvm::ArrayRef<Slot> arguments);
  /// A frame for the body that runs later, with what it captures now.
  Frame closureFrame() const;
  /// The frame in which the op runs.
  Frame &getFrame() { return frame; }

private:
  const Instruction &instruction;
  Frame &frame;
  Machine &machine;
};

/// The element that `op` reads: a fault if it is outside of the tensor.
mlir::FailureOr<Scalar> load(mlir::Operation *op, Tensor &tensor, Index index);
/// Elements along one dimension of a tensor.
using Row = std::vector<Scalar>;
/// Those along `axis` from `start` on, for `op`.
mlir::FailureOr<Row> readRow(mlir::Operation *op, Tensor &source, Index start,
                             int64_t axis);
/// An error at `op`, which uses poison: `what`, and why the element is poison.
mlir::LogicalResult poisonFault(mlir::Operation *op, Scalar element,
                                const llvm::Twine &what);
/// "[2, 3]", for messages.
std::string textOf(llvm::ArrayRef<int64_t> numbers);
/// The value of an affine expression; fails without a message where it divides
/// by a number that is not positive.
mlir::FailureOr<int64_t> evaluate(mlir::AffineExpr expression,
                                  llvm::ArrayRef<int64_t> dims,
                                  llvm::ArrayRef<int64_t> symbols = {});

/// A body on scalars that runs later, with what it captures now.
class LaterBody {
public:
  explicit LaterBody(Execution &execution)
      : body(execution.getInstruction().closure->body),
        frame(execution.closureFrame()), machine(execution.getMachine()) {}

  /// What the body yields.
  mlir::FailureOr<llvm::SmallVector<Scalar, 2>>
  run(llvm::ArrayRef<Scalar> arguments);
  /// The one element that it yields for an index.
  mlir::FailureOr<Scalar> at(Index index);

private:
  std::shared_ptr<const Body> body;
  Frame frame;
  Machine &machine;
};

/// The side that `condition` chooses, both if it is not determined.
Scalar choose(Scalar condition, Scalar whenTrue, Scalar whenFalse,
              mlir::Type type);
/// An element of a result as one with this set. `areSingle` says that all
/// numbers that it is computed from have no spread.
Scalar settle(Scalar computed, const numerics::Permitted &set, mlir::Type type,
              bool areSingle);

/// Op name to evaluation.
class EvalTable {
public:
  template <typename Op>
  void add(mlir::LogicalResult (*eval)(Op, Execution &)) {
    table[Op::getOperationName()] = [eval](mlir::Operation *op,
                                           Execution &execution) {
      return eval(llvm::cast<Op>(op), execution);
    };
  }
  /// Null if the op is not known.
  const Eval *find(mlir::Operation *op) const;

  /// The one table, built on first use and never changed.
  static const EvalTable &get();

private:
  llvm::StringMap<Eval> table;
};

/// Each group of ops adds itself.
void addAffineEvals(EvalTable &table);
void addControlEvals(EvalTable &table);
void addDigitEvals(EvalTable &table);
void addGraphEvals(EvalTable &table);
void addLinalgEvals(EvalTable &table);
void addRowEvals(EvalTable &table);
void addScalarEvals(EvalTable &table);
void addSliceEvals(EvalTable &table);
void addTensorEvals(EvalTable &table);

/// An op of arith or math, on scalars or on all elements of tensors.
mlir::LogicalResult evalElementwise(mlir::Operation *op, Execution &execution);
/// An op of linalg that is loops around a body.
mlir::LogicalResult evalStructured(mlir::Operation *op, Execution &execution);

} // namespace tilewright::graph::reference

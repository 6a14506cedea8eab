//===- Compiler.h - From ops to instructions --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_COMPILER_H
#define TILEWRIGHT_VERIFY_THREADS_COMPILER_H

#include "verify/threads/Code.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace tilewright::verify::threads {

class Compiler {
public:
  explicit Compiler(Code &code) : code(code) {}

  mlir::LogicalResult compile(mlir::FunctionOpInterface function);

  //===--- Values ---------------------------------------------------------===//

  /// The first lane of a value that is known.
  unsigned laneOf(mlir::Value value) const { return lanes.at(value); }
  /// The first of the new lanes of a value.
  unsigned define(mlir::Value value);
  /// Gives a value the lanes of another.
  void alias(mlir::Value value, unsigned first) { lanes[value] = first; }
  /// New lanes without a value.
  unsigned reserve(unsigned count);
  Lane &constant(unsigned lane) { return code.frame[lane]; }

  //===--- Instructions ---------------------------------------------------===//

  /// An instruction for an op whose operands and results are set. The bits are
  /// those of the first operand's and the first result's scalars. Errors of its
  /// results are unknown, but for integers of exact operands.
  Instruction begin(mlir::Operation *op);
  /// One that moves lanes as they are, with their marks.
  Instruction beginMove(mlir::Operation *op) {
    Instruction instruction = begin(op);
    instruction.tracker = nullptr;
    return instruction;
  }
  LaneRange rangeOf(mlir::Value value) const;
  unsigned emit(Instruction instruction) {
    code.instructions.push_back(std::move(instruction));
    return unsigned(code.instructions.size()) - 1;
  }
  unsigned next() const { return unsigned(code.instructions.size()); }
  Instruction &at(unsigned index) { return code.instructions[index]; }

  /// Copies values to the lanes of others, all at once.
  void emitMoves(mlir::Operation *op, mlir::ValueRange from,
                 llvm::ArrayRef<unsigned> to);
  unsigned emitJump(mlir::Operation *op, unsigned target = 0);
  /// Jumps to `otherwise` if the lane `condition` is false.
  unsigned emitBranch(mlir::Operation *op, unsigned condition);

  /// The code of a region of one block, without that of its end.
  mlir::LogicalResult compileBlock(mlir::Block &block);
  mlir::LogicalResult compileOp(mlir::Operation *op);
  /// A jump to a block of the function, once it is compiled.
  void jumpTo(mlir::Operation *op, mlir::Block *block,
              mlir::ValueRange operands);

  Code &code;

private:
  llvm::DenseMap<mlir::Value, unsigned> lanes;
  llvm::DenseMap<mlir::Block *, unsigned> blocks;
  std::vector<std::pair<unsigned, mlir::Block *>> openJumps;
};

/// How an op becomes instructions. Fails with an error at the op.
using Build = std::function<mlir::LogicalResult(mlir::Operation *, Compiler &)>;

/// The ops that the reference knows, by name.
class OpTable {
public:
  static const OpTable &get();
  const Build *find(mlir::Operation *op) const;

  /// `fn` takes the op's class.
  template <typename Op, typename Fn> void add(Fn fn) {
    builds[Op::getOperationName()] = [fn](mlir::Operation *op,
                                          Compiler &compiler) {
      return fn(mlir::cast<Op>(op), compiler);
    };
  }
  /// An op that is one instruction, which `run` executes.
  template <typename... Ops> void addRun(Run run) {
    (add<Ops>([run](mlir::Operation *op, Compiler &compiler) {
       Instruction instruction = compiler.begin(op);
       instruction.run = run;
       compiler.emit(std::move(instruction));
       return mlir::success();
     }),
     ...);
  }

private:
  OpTable();
  llvm::StringMap<Build> builds;
};

/// An op of arith or math that has functions of elements.
mlir::LogicalResult buildElementwise(mlir::Operation *op, Compiler &compiler);
/// The same bits as another type.
mlir::LogicalResult buildBitcast(mlir::Operation *op, Compiler &compiler);

void addControlOps(OpTable &ops);
void addConstantOps(OpTable &ops);
void addIntegerOps(OpTable &ops);
void addFloatOps(OpTable &ops);
void addConvertOps(OpTable &ops);
void addVectorOps(OpTable &ops);
void addPositionOps(OpTable &ops);
void addReductionOps(OpTable &ops);
void addMemoryOps(OpTable &ops);
void addMaskedOps(OpTable &ops);
void addAtomicOps(OpTable &ops);
void addCallOps(OpTable &ops);
void addWarpOps(OpTable &ops);
void addIntrinsicOps(OpTable &ops);
void addPtxOps(OpTable &ops);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_COMPILER_H

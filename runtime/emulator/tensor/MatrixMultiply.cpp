#include "runtime/emulator/tensor/MatrixMultiply.h"
#include "runtime/emulator/tensor/EnumSet.h"
#include "runtime/emulator/tensor/Sparse.h"
#include "runtime/emulator/tensor/TensorCore.h"
#include "support/Format.h"
#include <string>

namespace tilewright::emulator {

using enum ElementType;

namespace {

struct ShapeRow {
  MatrixInstruction instruction;
  bool sparse;
  unsigned types;
  int m, n, k;
};
constexpr ShapeRow shapes[] = {
#define MATRIX_SHAPE(INSTRUCTION, SPARSE, TYPES, M, N, K)                      \
  {MatrixInstruction::INSTRUCTION, SPARSE, TYPES, M, N, K},
#include "runtime/emulator/tensor/MatrixShapes.inc"
#undef MATRIX_SHAPE
};

bool isFloat(ElementType type) { return elementFacts(type).isFloat(); }

/// The widths of D that wgmma has (PTX ISA 9.7.15.2).
bool isWarpgroupWidth(ElementType type, int n) {
  if (n < 8 || n > 256)
    return false;
  bool coarse = !isFloat(type) && n > 32;
  return n % (coarse ? 16 : 8) == 0;
}

bool hasShape(MatrixInstruction instruction, bool sparse, ElementType type,
              int m, int n, int k) {
  for (const ShapeRow &row : shapes)
    if (row.instruction == instruction && row.sparse == sparse &&
        contains(row.types, type) && row.m == m && row.k == k &&
        (row.n ? row.n == n : isWarpgroupWidth(type, n)))
      return true;
  return false;
}

Status noShape(std::string_view instruction, bool sparse, ElementType type,
               int m, int n, int k) {
  return Status::unsupported(format(
      "{}{} has no shape m{}n{}k{} for {}",
      {instruction, sparse ? ".sp" : "", m, n, k, elementFacts(type).name}));
}

/// wmma has 16 elements of A and of B in f16 for each shape (PTX ISA
/// 9.7.14.4.1); a smaller matrix is held more than once.
Fragment wmmaOperand(MatrixRole role, ElementType type, int rows, int columns) {
  int copies = type == f16 ? 16 * 32 / (rows * columns) : 1;
  return makeFragment(role, type, rows, columns, copies);
}

/// Most bytes of an operand or an accumulator of one warp: B of wgmma, and D.
constexpr int mostOperandBytes = 256 * 64;
constexpr int mostAccumulatorBytes = 16 * 256 * 4;

/// The matrices of one warp, as plain arrays.
struct Matrices {
  alignas(64) unsigned char a[2 * mostStoredElements];
  alignas(64) unsigned char b[mostOperandBytes];
  alignas(64) unsigned char sums[mostAccumulatorBytes];
};

Status multiplyMatrices(const MatrixMultiply &multiply, Matrices &matrices,
                        const void *const *c, void *const *d,
                        const std::uint32_t *metadata, std::uint32_t selector,
                        HostIsa isa) {
  const Rule &rule = multiply.rule;
  const MatrixOperation &op = rule.operation;
  alignas(64) unsigned char start[mostAccumulatorBytes];
  // Where both have one type the accumulators replace C.
  void *from = op.c == op.d ? matrices.sums : start;
  if (c)
    collectFragment(multiply.c, c, from);

  if (op.sparse) {
    std::uint8_t columns[mostStoredElements];
    TILEWRIGHT_RETURN_IF_ERROR(storedColumns(
        op.a, op.depth, multiply.orderedMetadata, selector, metadata, columns));
    TILEWRIGHT_RETURN_IF_ERROR(multiplyAccumulateSparse(
        rule, multiply.columns, matrices.a, columns, matrices.b,
        c ? from : nullptr, matrices.sums, isa));
  } else {
    TILEWRIGHT_RETURN_IF_ERROR(
        multiplyAccumulate(rule, multiply.rows, multiply.columns, matrices.a,
                           matrices.b, c ? from : nullptr, matrices.sums, isa));
  }
  distributeFragment(multiply.d, matrices.sums, d);
  return {};
}

/// `lines` lines of an operand of wgmma, from `first` on.
Status readOperand(const WarpgroupOperands &operands,
                   const SharedOperand &operand, MatrixRole role,
                   ElementType type, int first, int lines, int depth,
                   void *array) {
  SharedMatrix matrix = decodeDescriptor(operand.descriptor);
  std::string name = role == MatrixRole::a ? "matrix A" : "matrix B";
  // Only B of a sparse operation: its K of 64 bytes is two of these spans, and
  // where the second begins is not documented.
  int span = 16 << matrix.swizzleBits;
  int lineBytes = depth * elementFacts(type).registerBits / 8;
  if (operand.major == MajorDimension::k && matrix.swizzleBits != 0 &&
      lineBytes > span)
    return Status::unsupported(format("{} has {} bytes of K in a swizzle of {}",
                                      {name, lineBytes, span}));
  auto outside =
      readSharedMatrix(matrix, role, operand.major, type, first, lines, depth,
                       operands.shared, operands.sharedBytes, array);
  if (!outside)
    return {};
  return Status::invalidInput(
      format("{} reaches shared memory at {} to {}, the block has {} bytes",
             {name, *outside, *outside + 15, operands.sharedBytes}));
}

} // namespace

StatusOr<MatrixMultiply> prepareMultiply(TensorArchitecture architecture,
                                         const MatrixOperation &op, int m,
                                         int n, bool orderedMetadata) {
  if (!hasShape(op.instruction, op.sparse, op.a, m, n, op.depth))
    return noShape(instructionName(op.instruction), op.sparse, op.a, m, n,
                   op.depth);
  TILEWRIGHT_ASSIGN_OR_RETURN(Rule rule, findRule(architecture, op));
  bool isWmma = op.instruction == MatrixInstruction::wmma;
  int rows = op.instruction == MatrixInstruction::wgmma ? 16 : m;
  int stored = op.sparse ? op.depth / 2 : op.depth;
  auto operand = [&](MatrixRole role, ElementType type, int r, int c) {
    return isWmma ? wmmaOperand(role, type, r, c)
                  : makeFragment(role, type, r, c);
  };
  return MatrixMultiply{rule,
                        rows,
                        n,
                        operand(MatrixRole::a, op.a, rows, stored),
                        operand(MatrixRole::b, op.b, op.depth, n),
                        makeFragment(MatrixRole::accumulator, op.c, rows, n),
                        makeFragment(MatrixRole::accumulator, op.d, rows, n),
                        orderedMetadata};
}

StatusOr<Fragment> findWmmaFragment(MatrixRole role, ElementType type, int m,
                                    int n, int k) {
  bool isAccumulator = role == MatrixRole::accumulator;
  // An accumulator has the shapes of the operands that go with it.
  constexpr ElementType operands[] = {f16, bf16, tf32, f64, s8, s4, b1};
  bool known =
      !isAccumulator && hasShape(MatrixInstruction::wmma, false, type, m, n, k);
  for (ElementType operand : operands) {
    bool fits =
        isFloat(operand)
            ? (operand == f64 ? type == f64
                              : type == f32 || (type == f16 && operand == f16))
            : type == s32;
    known |= isAccumulator && fits &&
             hasShape(MatrixInstruction::wmma, false, operand, m, n, k);
  }
  if (!known)
    return noShape("wmma", false, type, m, n, k);
  if (isAccumulator)
    return makeFragment(role, type, m, n);
  return role == MatrixRole::a ? wmmaOperand(role, type, m, k)
                               : wmmaOperand(role, type, k, n);
}

Status runMultiply(const MatrixMultiply &multiply,
                   const WarpRegisters &registers, HostIsa isa) {
  Matrices matrices;
  collectFragment(multiply.a, registers.a, matrices.a);
  collectFragment(multiply.b, registers.b, matrices.b);
  return multiplyMatrices(multiply, matrices, registers.c, registers.d,
                          registers.metadata, registers.selector, isa);
}

Status runWarpgroupMultiply(const MatrixMultiply &multiply,
                            const WarpgroupOperands &operands, HostIsa isa) {
  const MatrixOperation &op = multiply.rule.operation;
  Matrices matrices;
  if (operands.aRegisters)
    collectFragment(multiply.a, operands.aRegisters, matrices.a);
  else
    TILEWRIGHT_RETURN_IF_ERROR(readOperand(
        operands, operands.a, MatrixRole::a, op.a, 16 * operands.warp,
        multiply.rows, multiply.a.columns, matrices.a));
  TILEWRIGHT_RETURN_IF_ERROR(readOperand(operands, operands.b, MatrixRole::b,
                                         op.b, 0, multiply.columns, op.depth,
                                         matrices.b));
  if (operands.negateA)
    negateElements(op.a, matrices.a, multiply.rows * multiply.a.columns);
  if (operands.negateB)
    negateElements(op.b, matrices.b, op.depth * multiply.columns);
  return multiplyMatrices(multiply, matrices, operands.c, operands.d,
                          operands.metadata, operands.selector, isa);
}

} // namespace tilewright::emulator

//===- EmitMma.cpp - Dots by mma.sync -------------------------------------===//
//
// A warp brings fragments of operands in shared memory by ldmatrix, each when
// the first instruction needs it, and multiplies them. What a thread holds of a
// fragment is in words of 32 bits. (PTX ISA, "mma", "ldmatrix")
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/MatrixAccess.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

namespace {
/// The fragments of one operand.
class Fragments {
public:
  static FailureOr<Fragments> create(Emission &e, tilegpu::MmaOp op,
                                     TypedValue<tilegpu::SharedType> memory,
                                     const layout::Layout &registers);
  /// Of a tile that is in the registers.
  static Fragments ofTile(Emission &e, Value tile);

  /// The words, i32, of `count` registers from `first` on.
  SmallVector<Value> words(Emission &e, int64_t first, int64_t count);

private:
  void load(Emission &e, size_t instruction);

  layout::MatrixAccess access;
  SharedLocation location;
  unsigned registersOfWord = 0;
  /// For each word: the instruction that loads it, and its value when it did.
  std::vector<int32_t> loadedBy;
  SmallVector<Value> loaded;
};
} // namespace

FailureOr<Fragments> Fragments::create(Emission &e, tilegpu::MmaOp op,
                                       TypedValue<tilegpu::SharedType> memory,
                                       const layout::Layout &registers) {
  tilegpu::SharedType type = memory.getType();
  const unsigned bits = tilegpu::elementBits(type.getElementType());
  Fragments fragments;
  fragments.registersOfWord = 32 / bits;
  StatusOr<layout::MatrixAccess> access =
      layout::matrixAccess(registers, type.getLayout().getLayout(), bits);
  if (!access.ok())
    return reject(op, access.status().message());
  fragments.access = *std::move(access);
  const size_t words = size_t(registers.items()) / fragments.registersOfWord;
  fragments.loaded.resize(words);
  fragments.loadedBy.resize(words);
  for (auto [i, reg] : llvm::enumerate(fragments.access.registers))
    if (reg >= 0)
      fragments.loadedBy[size_t(reg) / fragments.registersOfWord] =
          int32_t(i / fragments.access.perInstruction);
  fragments.location =
      sharedLocation(e, memory, fragments.access.rowOffset, bits / 8);
  return fragments;
}

Fragments Fragments::ofTile(Emission &e, Value tile) {
  ImplicitLocOpBuilder &b = e.b;
  Value elements = e.get(tile);
  auto type = cast<VectorType>(elements.getType());
  Fragments fragments;
  fragments.registersOfWord = 32 / type.getElementTypeBitWidth();
  for (int32_t first = 0; first < type.getNumElements();
       first += int32_t(fragments.registersOfWord)) {
    SmallVector<int32_t> packed(fragments.registersOfWord);
    std::iota(packed.begin(), packed.end(), first);
    fragments.loaded.push_back(
        LLVM::BitcastOp::create(b, b.getI32Type(), pick(b, elements, packed)));
  }
  return fragments;
}

void Fragments::load(Emission &e, size_t instruction) {
  ImplicitLocOpBuilder &b = e.b;
  Value address = sharedAddress(e, location, access.instructions[instruction]);
  Type word = b.getI32Type(), result = word;
  if (access.count > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(access.count, word));
  auto layout = access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  Value matrices = NVVM::LdMatrixOp::create(
      b, result, address, access.count, layout,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  for (unsigned matrix = 0; matrix < access.count; ++matrix) {
    const int32_t reg = access.registers[instruction * access.perInstruction +
                                         matrix * registersOfWord];
    if (reg >= 0)
      loaded[size_t(reg) / registersOfWord] =
          access.count == 1
              ? matrices
              : LLVM::ExtractValueOp::create(b, matrices, matrix).getResult();
  }
}

SmallVector<Value> Fragments::words(Emission &e, int64_t first, int64_t count) {
  SmallVector<Value> result;
  for (int64_t word = first / registersOfWord;
       word < (first + count) / registersOfWord; ++word) {
    if (!loaded[size_t(word)])
      load(e, size_t(loadedBy[size_t(word)]));
    result.push_back(loaded[size_t(word)]);
  }
  return result;
}

/// Words as the instruction takes them: pairs of f16 as vectors, others as they
/// are.
static SmallVector<Value> asOperands(Emission &e, ArrayRef<Value> words,
                                     Type element) {
  SmallVector<Value> result(words);
  if (element.isF16())
    for (Value &word : result)
      word = LLVM::BitcastOp::create(e.b, VectorType::get({2}, element), word);
  return result;
}

static LogicalResult emitMma(tilegpu::MmaOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const target::MatrixInstruction &instruction =
      *target::findMatrixInstruction(op.getInstruction());
  if (!instruction.isOn(e.target))
    return reject(op, Twine(StringRef(e.target.name)) + " has no " +
                          op.getInstruction());
  e.ptxVersion = std::max(e.ptxVersion, instruction.ptxVersion);
  // The verifier has built it before.
  const tilegpu::MatrixProduct product = *tilegpu::matrixProduct(
      instruction, layoutOf(op.getType()), op.getDepth());
  FailureOr<Fragments> lhs =
      op.getLhsMemory()
          ? Fragments::create(e, op, op.getLhsMemory(), product.lhs)
          : Fragments::ofTile(e, op.getLhs());
  FailureOr<Fragments> rhs = Fragments::create(e, op, op.getRhs(), product.rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  Value acc = e.get(op.getAcc());
  auto type = cast<VectorType>(acc.getType());
  acc = addedUp(b, acc);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    sums.push_back(element(b, acc, i));
  const Type operands = op.getRhs().getType().getElementType();
  const auto ptxType =
      operands.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  const size_t count = size_t(product.accRegisters);
  Type result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(count, b.getF32Type()));
  for (const tilegpu::MatrixProduct::Step &step : product.steps) {
    MutableArrayRef<Value> sum =
        MutableArrayRef(sums).slice(size_t(step.acc) * count, count);
    SmallVector<Value> left = asOperands(
        e, lhs->words(e, step.lhs * product.lhsRegisters, product.lhsRegisters),
        operands);
    SmallVector<Value> right = asOperands(
        e, rhs->words(e, step.rhs * product.rhsRegisters, product.rhsRegisters),
        operands);
    Value made = NVVM::MmaOp::create(
        b, result, left, right, ValueRange(sum),
        ArrayRef<int64_t>{instruction.m, instruction.n, instruction.k},
        std::nullopt, std::nullopt, std::array{ptxType, ptxType},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, each] : llvm::enumerate(sum))
      each = LLVM::ExtractValueOp::create(b, made, int64_t(i));
  }
  SmallVector<Value> fragments;
  for (size_t first = 0; first < sums.size(); first += count)
    fragments.push_back(vectorOf(b, ArrayRef(sums).slice(first, count)));
  e.set(op, rounded(b, concatenated(b, fragments), type));
  return success();
}

void addMmaOps(GpuOps &ops) { add(ops, emitMma); }

} // namespace tilewright::nvptx

//===- EmitMma.cpp - Dots by mma.sync -------------------------------------===//
//
// Each step multiplies a fragment of lhs and one of rhs, or parts of them, and
// adds to one of the accumulators. (PTX ISA, "mma")
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/MmaOperand.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::nvptx {

using target::MatrixType;
using tilegpu::layoutOf;

/// The name that PTX has for the elements of an 8-bit operand.
static std::string_view byteName(Type element, bool isUnsigned) {
  if (isa<Float8E4M3FNType>(element))
    return "e4m3";
  if (isa<Float8E5M2Type>(element))
    return "e5m2";
  return isUnsigned ? "u8" : "s8";
}

/// The types in the name of an instruction's LLVM intrinsic: those of the sums
/// and operands that it does not imply.
static std::string typesOf(tilegpu::MmaOp op, MatrixType operands) {
  auto left = [&] {
    auto memory = op.getLhsMemory();
    return byteName(memory ? memory.getType().getElementType()
                           : getElementTypeOrSelf(op.getLhs().getType()),
                    op.getLhsUnsigned());
  };
  auto right = [&] {
    return byteName(op.getRhs().getType().getElementType(),
                    op.getRhsUnsigned());
  };
  switch (operands) {
  case MatrixType::f16:
    return "f32.f32";
  case MatrixType::bf16:
    return "bf16";
  case MatrixType::tf32:
    return "tf32";
  case MatrixType::f64:
    return "f64";
  case MatrixType::i8:
    return left() == right() ? std::string(left())
                             : format("{}.{}", {left(), right()});
  case MatrixType::f8:
    return format("f32.{}.{}.f32", {left(), right()});
  case MatrixType::f32:
  case MatrixType::i32:
    break;
  }
  llvm_unreachable("no type of operands");
}

/// Words as the intrinsic takes them: pairs of f16 as vectors, others as they
/// are.
static void appendOperands(Emission &e, SmallVector<Value> words,
                           MatrixType type, SmallVector<Value> &to) {
  for (Value word : words)
    to.push_back(type == MatrixType::f16
                     ? LLVM::BitcastOp::create(
                           e.b, VectorType::get({2}, e.b.getF16Type()), word)
                     : word);
}

namespace {
/// The instructions of a `tilegpu.mma`.
struct Multiplication {
  Emission &e;
  tilegpu::MmaOp op;
  const target::MatrixInstruction &instruction;
  const tilegpu::MatrixProduct &product;
  MmaOperand lhs, rhs;
  /// The LLVM intrinsic.
  StringAttr intrinsic;

  /// Adds the products of the steps from k = `first` up to `last` (in
  /// instructions) to `sums`, small parts of products first.
  void add(int64_t first, int64_t last, MutableArrayRef<Value> sums);

private:
  void add(const tilegpu::MatrixProduct::Step &step,
           const tilegpu::PartsOfProduct &parts, MutableArrayRef<Value> sums);
};
} // namespace

void Multiplication::add(const tilegpu::MatrixProduct::Step &step,
                         const tilegpu::PartsOfProduct &parts,
                         MutableArrayRef<Value> sums) {
  ImplicitLocOpBuilder &b = e.b;
  const size_t count = size_t(product.accRegisters);
  MutableArrayRef<Value> sum = sums.slice(size_t(step.acc) * count, count);
  SmallVector<Value> operands;
  appendOperands(e, lhs.words(e, step.lhs, parts.lhs), instruction.operands,
                 operands);
  appendOperands(e, rhs.words(e, step.rhs, parts.rhs), instruction.operands,
                 operands);
  llvm::append_range(operands, sum);
  Type result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(count, sum[0].getType()));
  Value made = LLVM::CallIntrinsicOp::create(b, result, intrinsic, operands)
                   .getResult(0);
  for (auto [i, each] : llvm::enumerate(sum))
    each = LLVM::ExtractValueOp::create(b, made, int64_t(i));
}

void Multiplication::add(int64_t first, int64_t last,
                         MutableArrayRef<Value> sums) {
  const size_t stepsOfK = sums.size() / size_t(product.accRegisters);
  for (int64_t k = first; k < last; ++k)
    for (const tilegpu::PartsOfProduct &parts :
         tilegpu::partsOfProduct(op.getPrecision()))
      for (const tilegpu::MatrixProduct::Step &step :
           ArrayRef(product.steps).slice(size_t(k) * stepsOfK, stepsOfK))
        add(step, parts, sums);
}

/// How many instructions along k may add to each other: those that sum with
/// fewer bits than f32 for 128 positions, then their sums are added in f32.
static int64_t longestChain(const target::MatrixInstruction &instruction,
                            int64_t depth) {
  constexpr int64_t most = 128;
  const bool isShort =
      instruction.rounding == target::MatrixRounding::truncated13;
  return (isShort ? most : depth) / instruction.k;
}

static LogicalResult emitMma(tilegpu::MmaOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const target::MatrixInstruction &instruction =
      *target::findMatrixInstruction(op.getInstruction());
  if (!instruction.isOn(e.target))
    return reject(op, Twine(StringRef(e.target.name)) + " has no " +
                          op.getInstruction());
  e.ptxVersion = std::max(e.ptxVersion, instruction.ptxVersion);
  const unsigned bits =
      tilegpu::elementBits(op.getRhs().getType().getElementType());
  // The verifier has built it before.
  const tilegpu::MatrixProduct product = *tilegpu::matrixProduct(
      instruction, bits, layoutOf(op.getType()), op.getDepth());
  FailureOr<MmaOperand> lhs =
      op.getLhsMemory()
          ? MmaOperand::inMemory(e, op, op.getLhsMemory(), product.lhs)
          : MmaOperand::ofTile(e, op.getLhs());
  FailureOr<MmaOperand> rhs =
      MmaOperand::inMemory(e, op, op.getRhs(), product.rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  lhs->become(instruction, tilegpu::DotSide::lhs, op.getPrecision(),
              product.lhsRegisters);
  rhs->become(instruction, tilegpu::DotSide::rhs, op.getPrecision(),
              product.rhsRegisters);
  Value acc = e.get(op.getAcc());
  auto type = cast<VectorType>(acc.getType());
  acc = addedUp(b, acc);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    sums.push_back(element(b, acc, i));
  const std::string intrinsic =
      format("llvm.nvvm.mma.m{}n{}k{}.row.col.{}",
             {instruction.m, instruction.n, instruction.k,
              typesOf(op, instruction.operands)});
  Multiplication multiplication{e,
                                op,
                                instruction,
                                product,
                                *std::move(lhs),
                                *std::move(rhs),
                                b.getStringAttr(intrinsic)};
  const int64_t depth = op.getDepth() / instruction.k;
  const int64_t chain = longestChain(instruction, op.getDepth());
  for (int64_t first = 0; first < depth; first += chain) {
    const int64_t last = std::min(depth, first + chain);
    if (instruction.rounding != target::MatrixRounding::truncated13) {
      multiplication.add(first, last, sums);
      continue;
    }
    SmallVector<Value> part(sums.size(),
                            arith::ConstantOp::create(b, b.getF32FloatAttr(0)));
    multiplication.add(first, last, part);
    for (auto [sum, added] : llvm::zip_equal(sums, part))
      sum = arith::AddFOp::create(b, sum, added);
  }
  SmallVector<Value> fragments;
  const size_t count = size_t(product.accRegisters);
  for (size_t first = 0; first < sums.size(); first += count)
    fragments.push_back(vectorOf(b, ArrayRef(sums).slice(first, count)));
  e.set(op, rounded(b, concatenated(b, fragments), type));
  return success();
}

void addMmaOps(GpuOps &ops) { add(ops, emitMma); }

} // namespace tilewright::nvptx

//===- MmaOperand.cpp - Operands of matrix instructions -------------------===//
#include "codegen/nvptx/MmaOperand.h"

#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/Elements.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;

namespace tilewright::nvptx {

using tile::DotPrecision;

/// How many elements a word holds.
static unsigned elementsOfWord(unsigned elementBits) {
  return std::max(1u, 32 / elementBits);
}

static Type wordOf(Emission &e, unsigned elementBits) {
  return elementBits == 64 ? Type(e.b.getF64Type()) : e.b.getI32Type();
}

//===--- Loads ------------------------------------------------------------===//

FailureOr<MmaOperand>
MmaOperand::inMemory(Emission &e, tilegpu::MmaOp op,
                     TypedValue<tilegpu::SharedType> memory,
                     const layout::Layout &registers) {
  tilegpu::SharedType type = memory.getType();
  const unsigned bits = tilegpu::elementBits(type.getElementType());
  MmaOperand operand;
  operand.element = type.getElementType();
  operand.registersOfWord = elementsOfWord(bits);
  StatusOr<layout::MatrixAccess> access =
      layout::fragmentAccess(registers, type.getLayout().getLayout(), bits);
  if (!access.ok())
    return reject(op, access.status().message());
  operand.access = *std::move(access);
  const size_t words = size_t(registers.items()) / operand.registersOfWord;
  operand.loaded.resize(words);
  operand.loadedBy.resize(words);
  for (auto [i, reg] : llvm::enumerate(operand.access.registers))
    if (reg >= 0)
      operand.loadedBy[size_t(reg) / operand.registersOfWord] =
          int32_t(i / operand.access.perInstruction);
  operand.location =
      sharedLocation(e, memory, operand.access.threadOffset, bits / 8);
  return operand;
}

MmaOperand MmaOperand::ofTile(Emission &e, Value tile) {
  ImplicitLocOpBuilder &b = e.b;
  Value elements = numeric::toMemory(b, b.getLoc(), e.get(tile));
  auto type = cast<VectorType>(elements.getType());
  const unsigned bits = type.getElementTypeBitWidth();
  MmaOperand operand;
  operand.element = getElementTypeOrSelf(tile.getType());
  operand.registersOfWord = elementsOfWord(bits);
  for (int32_t first = 0; first < type.getNumElements();
       first += int32_t(operand.registersOfWord)) {
    SmallVector<int32_t> packed(operand.registersOfWord);
    std::iota(packed.begin(), packed.end(), first);
    operand.loaded.push_back(
        LLVM::BitcastOp::create(b, wordOf(e, bits), pick(b, elements, packed)));
  }
  return operand;
}

/// The words that one instruction loads.
static SmallVector<Value> loadedWords(Emission &e,
                                      const layout::MatrixAccess &access,
                                      Value address, unsigned elementBits) {
  ImplicitLocOpBuilder &b = e.b;
  const unsigned count = access.count;
  const Type word = wordOf(e, elementBits);
  Value made;
  if (access.byLdmatrix) {
    Type result = word;
    if (count > 1)
      result = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                SmallVector<Type>(count, word));
    made = NVVM::LdMatrixOp::create(
        b, result, address, count,
        access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  } else {
    made = LLVM::LoadOp::create(b, VectorType::get({int64_t(count)}, word),
                                address, count * elementBits / 8);
  }
  SmallVector<Value> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(!access.byLdmatrix ? element(b, made, i)
                    : count == 1
                        ? made
                        : LLVM::ExtractValueOp::create(b, made, i).getResult());
  return words;
}

void MmaOperand::load(Emission &e, size_t instruction) {
  Value address = sharedAddress(e, location, access.instructions[instruction]);
  SmallVector<Value> words =
      loadedWords(e, access, address, tilegpu::elementBits(element));
  for (auto [i, word] : llvm::enumerate(words)) {
    const int32_t reg = access.registers[instruction * access.perInstruction +
                                         i * registersOfWord];
    if (reg >= 0)
      loaded[size_t(reg) / registersOfWord] = word;
  }
}

SmallVector<Value> MmaOperand::wholeWords(Emission &e, int64_t fragment) {
  SmallVector<Value> result;
  const int64_t words = registersOfFragment / registersOfWord;
  for (int64_t word = fragment * words; word < (fragment + 1) * words; ++word) {
    if (!loaded[size_t(word)])
      load(e, size_t(loadedBy[size_t(word)]));
    result.push_back(loaded[size_t(word)]);
  }
  return result;
}

//===--- Parts ------------------------------------------------------------===//

/// The upper bits of an f32 that a part takes, and what is left of it.
static std::pair<Value, Value> cut(ImplicitLocOpBuilder &b, Value word,
                                   uint32_t mask) {
  Value upper = arith::AndIOp::create(
      b, word, arith::ConstantIntOp::create(b, b.getI32Type(), int32_t(mask)));
  auto asFloat = [&](Value bits) {
    return LLVM::BitcastOp::create(b, b.getF32Type(), bits);
  };
  Value rest = arith::SubFOp::create(b, asFloat(word), asFloat(upper));
  return {upper, LLVM::BitcastOp::create(b, b.getI32Type(), rest)};
}

/// Of f32 words: two parts of tf32, whose instruction ignores the lower bits.
static SmallVector<SmallVector<Value>> partsOfTf32(ImplicitLocOpBuilder &b,
                                                   ArrayRef<Value> words) {
  constexpr uint32_t mask = 0xffffe000;
  SmallVector<SmallVector<Value>> parts(2);
  for (Value word : words) {
    auto [upper, rest] = cut(b, word, mask);
    parts[0].push_back(upper);
    parts[1].push_back(rest);
  }
  return parts;
}

/// Of f32 words: `count` parts of bf16, each the upper half of what those
/// before left. A word packs two elements that are `distance` apart.
static SmallVector<SmallVector<Value>> partsOfBf16(ImplicitLocOpBuilder &b,
                                                   SmallVector<Value> words,
                                                   size_t count,
                                                   size_t distance) {
  constexpr uint32_t mask = 0xffff0000;
  constexpr int32_t upperHalves = 0x7632;
  SmallVector<SmallVector<Value>> parts(count);
  for (size_t part = 0; part < count; ++part) {
    for (size_t i = 0; i < words.size(); ++i)
      if (!(i & distance))
        parts[part].push_back(NVVM::PermuteOp::create(
            b, b.getI32Type(), words[i], words[i + distance],
            arith::ConstantIntOp::create(b, b.getI32Type(), upperHalves),
            NVVM::PermuteMode::DEFAULT));
    if (part + 1 < count)
      for (Value &word : words)
        word = cut(b, word, mask).second;
  }
  return parts;
}

/// Of words of four 8-bit floats of type `from`: two words of f16 each, those
/// of the lower halves first.
static SmallVector<Value> asHalves(Emission &e, ArrayRef<Value> words,
                                   FloatType from) {
  ImplicitLocOpBuilder &b = e.b;
  const numeric::Hardware hardware = hardwareOf(e.target);
  numeric::FloatBits bits(b, b.getLoc(), hardware);
  SmallVector<Value> halves[2];
  for (Value word : words) {
    Value bytes =
        LLVM::BitcastOp::create(b, VectorType::get({4}, b.getI8Type()), word);
    Value floats = hardware.float8
                       ? hardware.float8->decode(b, b.getLoc(), bytes, from)
                       : bits.round(bits.decode(bytes, from), b.getF16Type());
    Value pair = LLVM::BitcastOp::create(
        b, VectorType::get({2}, b.getI32Type()), floats);
    for (unsigned half : {0, 1})
      halves[half].push_back(element(b, pair, half));
  }
  llvm::append_range(halves[0], halves[1]);
  return halves[0];
}

void MmaOperand::become(const target::MatrixInstruction &ofInstruction,
                        tilegpu::DotSide ofSide, DotPrecision ofDot,
                        int64_t registers) {
  instruction = &ofInstruction;
  side = ofSide;
  precision = ofDot;
  registersOfFragment = registers;
}

SmallVector<Value> MmaOperand::words(Emission &e, int64_t fragment,
                                     int32_t part) {
  auto [known, isNew] = parts.try_emplace(fragment);
  if (!isNew)
    return known->second[size_t(part)];
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> whole = wholeWords(e, fragment);
  const bool isHalf = instruction->operands == target::MatrixType::f16;
  if (precision == DotPrecision::tf32x3)
    known->second = partsOfTf32(b, whole);
  else if (precision == DotPrecision::bf16x3 ||
           precision == DotPrecision::bf16x6)
    // Fragments of lhs have rows 8 .. 15 before what differs in k.
    known->second =
        partsOfBf16(b, whole, precision == DotPrecision::bf16x3 ? 2 : 3,
                    side == tilegpu::DotSide::lhs ? 2 : 1);
  else if (isHalf && tilegpu::elementBits(element) == 8)
    known->second = {asHalves(e, whole, cast<FloatType>(element))};
  else
    known->second = {whole};
  return known->second[size_t(part)];
}

} // namespace tilewright::nvptx

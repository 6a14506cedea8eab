#include "verify/validate/Elements.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using llvm::APFloat;
using llvm::APInt;

namespace tilewright::verify {

using runtime::DType;
using runtime::DTypeKind;

const llvm::fltSemantics *semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return &APFloat::IEEEhalf();
  case DType::BF16:
    return &APFloat::BFloat();
  case DType::F32:
    return &APFloat::IEEEsingle();
  case DType::F64:
    return &APFloat::IEEEdouble();
  case DType::F8E4M3FN:
    return &APFloat::Float8E4M3FN();
  case DType::F8E5M2:
    return &APFloat::Float8E5M2();
  case DType::F4E2M1FN:
    return &APFloat::Float4E2M1FN();
  case DType::F8E8M0FNU:
    return &APFloat::Float8E8M0FNU();
  default:
    return nullptr;
  }
}

unsigned bitWidth(DType dtype) { return runtime::dtypeInfo(dtype).bits; }

uint64_t bitsOf(const runtime::HostTensor &tensor, size_t position) {
  const size_t bytes = runtime::dtypeBytes(tensor.dtype());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + position * bytes, bytes);
  return bits & llvm::maskTrailingOnes<uint64_t>(bitWidth(tensor.dtype()));
}

void setBits(runtime::HostTensor &tensor, size_t position, uint64_t bits) {
  // An i4 takes a byte, which has its sign.
  if (tensor.dtype() == DType::I4)
    bits = uint64_t(llvm::SignExtend64<4>(bits));
  const size_t bytes = runtime::dtypeBytes(tensor.dtype());
  std::memcpy(tensor.data() + position * bytes, &bits, bytes);
}

static APFloat floatOf(DType dtype, uint64_t bits) {
  return APFloat(*semanticsOf(dtype), APInt(bitWidth(dtype), bits));
}

bool isNan(DType dtype, uint64_t bits) {
  return semanticsOf(dtype) && floatOf(dtype, bits).isNaN();
}

double toDouble(DType dtype, uint64_t bits) {
  if (semanticsOf(dtype)) {
    APFloat value = floatOf(dtype, bits);
    bool losesInfo = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToDouble();
  }
  if (runtime::dtypeInfo(dtype).kind == DTypeKind::signedInteger)
    return double(llvm::SignExtend64(bits, bitWidth(dtype)));
  return double(bits);
}

uint64_t fromDouble(DType dtype, double value) {
  const llvm::fltSemantics *semantics = semanticsOf(dtype);
  if (!semantics)
    return fromInteger(dtype, std::abs(value) < 9.2e18 ? int64_t(value) : 0);
  APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(*semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

uint64_t fromInteger(DType dtype, int64_t value) {
  if (semanticsOf(dtype))
    return fromDouble(dtype, double(value));
  if (dtype == DType::Bool)
    return value & 1;
  return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(bitWidth(dtype));
}

std::string elementText(DType dtype, uint64_t bits) {
  if (dtype == DType::Bool)
    return bits ? "true" : "false";
  if (!semanticsOf(dtype))
    return runtime::dtypeInfo(dtype).kind == DTypeKind::signedInteger
               ? std::to_string(llvm::SignExtend64(bits, bitWidth(dtype)))
               : std::to_string(bits);
  APFloat value = floatOf(dtype, bits);
  if (value.isNaN())
    return "nan";
  if (value.isInfinity())
    return value.isNegative() ? "-inf" : "inf";
  llvm::SmallString<32> text;
  value.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6);
  return text.str().str();
}

runtime::Shape indexOf(const runtime::Shape &shape, size_t position) {
  runtime::Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = int64_t(position) % shape[d];
    position /= size_t(shape[d]);
  }
  return index;
}

int64_t elementCount(const runtime::Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

} // namespace tilewright::verify

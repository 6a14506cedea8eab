#include "verify/numerics/Quad.h"

#include "tileir/reference/Rounding.h"
#include "verify/validate/Elements.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::verify {

using llvm::APFloat;
using runtime::DType;
using runtime::HostTensor;

APFloat quadOf(const HostTensor &tensor, size_t position) {
  const uint64_t bits = bitsOf(tensor, position);
  const runtime::DTypeInfo &info = runtime::dtypeInfo(tensor.dtype());
  bool isLost = false;
  if (const llvm::fltSemantics *semantics = semanticsOf(tensor.dtype())) {
    APFloat number(*semantics, llvm::APInt(info.bits, bits));
    number.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &isLost);
    return number;
  }
  APFloat number(APFloat::IEEEquad());
  number.convertFromAPInt(llvm::APInt(info.bits, bits),
                          info.kind == runtime::DTypeKind::signedInteger,
                          APFloat::rmNearestTiesToEven);
  return number;
}

APFloat quadOf(const reference::Element &element, DType dtype) {
  APFloat number(APFloat::IEEEquad());
  bool isLost = false;
  if (llvm::isa<mlir::FloatType>(element.getType())) {
    number = element.real();
    number.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &isLost);
    return number;
  }
  const bool isSigned =
      runtime::dtypeInfo(dtype).kind == runtime::DTypeKind::signedInteger;
  number.convertFromAPInt(element.integer(), isSigned,
                          APFloat::rmNearestTiesToEven);
  return number;
}

double distance(APFloat computed, const APFloat &exact) {
  if ((computed.isNaN() && exact.isNaN()) || computed == exact)
    return 0;
  if (computed.isNaN() || !exact.isFinite())
    return std::numeric_limits<double>::infinity();
  computed.subtract(exact, APFloat::rmNearestTiesToEven);
  return std::fabs(reference::asDouble(computed));
}

double unitOf(DType dtype, const APFloat &exact) {
  const llvm::fltSemantics *semantics = semanticsOf(dtype);
  if (!semantics || !exact.isFinite())
    return 1;
  int exponent = APFloat::semanticsMinExponent(*semantics);
  if (!exact.isZero())
    exponent = std::clamp(llvm::ilogb(exact), exponent,
                          APFloat::semanticsMaxExponent(*semantics));
  return std::ldexp(1.0, exponent -
                             int(APFloat::semanticsPrecision(*semantics)) + 1);
}

} // namespace tilewright::verify

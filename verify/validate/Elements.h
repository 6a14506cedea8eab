// Single elements of host tensors, of any type, as bits and as numbers.
#pragma once

#include "tilewright/runtime/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include <string>

namespace tilewright::verify {

/// A float type's semantics; null if the type is not a float.
const llvm::fltSemantics *semanticsOf(runtime::DType dtype);

/// The bits that an element has.
unsigned bitWidth(runtime::DType dtype);
/// The bits of an element, those above its width 0.
uint64_t bitsOf(const runtime::HostTensor &tensor, size_t position);
void setBits(runtime::HostTensor &tensor, size_t position, uint64_t bits);

/// Whether the bits are a float that is not a number.
bool isNan(runtime::DType dtype, uint64_t bits);
/// A float, exact, or an integer by its sign, as double.
double toDouble(runtime::DType dtype, uint64_t bits);
/// A number as an element: floats rounded to nearest even, integers truncated
/// to the width.
uint64_t fromDouble(runtime::DType dtype, double value);
uint64_t fromInteger(runtime::DType dtype, int64_t value);

/// An element for people: "3", "-0", "1.5", "nan", "true".
std::string elementText(runtime::DType dtype, uint64_t bits);

/// The index of the element at a position in row-major order.
runtime::Shape indexOf(const runtime::Shape &shape, size_t position);
/// The number of elements of a shape.
int64_t elementCount(const runtime::Shape &shape);

} // namespace tilewright::verify

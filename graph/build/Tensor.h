// What is known of a tensor while IR is built.
#pragma once

#include "graph/analysis/Sizes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <memory>
#include <optional>

namespace tilewright::build {

using graph::constantOf;
using graph::constantsOf;
using graph::Dims;
using graph::Expr;
using graph::isConst;
using graph::Sizes;

/// An element type: a signless MLIR type and its signedness.
struct Element {
  mlir::Type type;
  bool isUnsigned = false;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isBool() const { return type.isInteger(1); }
  bool isInteger() const { return type.isInteger() && !isBool(); }
  /// A float narrower than 32 bits.
  bool isNarrowFloat() const {
    return isFloat() && type.getIntOrFloatBitWidth() < 32;
  }
  unsigned bits() const { return type.getIntOrFloatBitWidth(); }
  /// Bytes of one element in a buffer; types of less than a byte take one.
  unsigned bytes() const { return (bits() + 7) / 8; }
  bool operator==(const Element &) const = default;
};

/// The dtype name of the manifest: "f32", "u8", "bool", ...
std::string dtypeName(Element element);

/// Elements of a constant tensor in row-major order, little endian, one or more
/// whole bytes each (bool, 2- and 4-bit types: one byte, sign- or
/// zero-extended). A splat has a single element.
struct ConstantData {
  llvm::StringRef bytes;
  bool splat = false;
  /// Owns the bytes: a mapped file, or a vector.
  std::shared_ptr<const void> owner;
  std::string name;

  const char *at(int64_t index, unsigned elementBytes) const {
    return bytes.data() + (splat ? 0 : index * elementBytes);
  }
};

/// One tensor: an SSA value, a constant, known integers, or several of
/// these. `value` may hold the dimensions in another order and without those
/// of size 1: its dimension k is dimension axes[k] of the tensor, and the
/// dimensions not in `axes` have size 1.
struct TensorInfo {
  Element element;
  Dims dims;

  mlir::Value value;
  llvm::SmallVector<unsigned, 4> axes;
  /// The value with all dimensions in order, once it was requested.
  mlir::Value dense;
  /// Elements of a small integer or bool tensor, row-major.
  std::optional<Dims> content;
  std::shared_ptr<ConstantData> constant;

  int64_t rank() const { return dims.size(); }
};

/// Shared and, apart from the memo `dense` (and `value` of a constant), never
/// changed after it was made.
using Tensor = std::shared_ptr<TensorInfo>;

/// The elements of a constant, converted. Indices are in row-major order.
double floatAt(const TensorInfo &tensor, int64_t index);
int64_t intAt(const TensorInfo &tensor, int64_t index);
/// The attribute of one element.
mlir::TypedAttr scalarAttr(const TensorInfo &tensor, int64_t index);
/// Number of elements if the shape is static.
std::optional<int64_t> countOf(const TensorInfo &tensor);

/// Owned constant data of `count` elements, to be filled through `data`.
std::shared_ptr<ConstantData> ownedConstant(int64_t count,
                                            unsigned elementBytes, char *&data);
/// Writes one element from its attribute.
void writeElement(char *data, Element element, mlir::Attribute value);

/// The attribute for an arith.constant of this type: dense for splats and up to
/// 1 KiB, else a resource that shares the data.
mlir::ElementsAttr elementsAttr(const TensorInfo &tensor,
                                mlir::RankedTensorType type);

} // namespace tilewright::build

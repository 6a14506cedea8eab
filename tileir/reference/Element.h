// One element of a tile, of any element type. The rest of the interpreter
// computes with it and need not check widths of types.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "tileir/reference/Permitted.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <string>
#include <variant>

namespace tilewright::reference {

/// A pointer remembers the allocation it was made from: an access outside of
/// that is an error even if it hits other memory.
struct Pointer {
  /// Index in Memory, or -1 for null.
  int64_t allocation = -1;
  int64_t byteOffset = 0;

  bool operator==(const Pointer &) const = default;
};

/// A value of type integer, index (64 bits), float or pointer. May be poison:
/// the result of an operation that is not defined for its operands (a shift by
/// too much, a float that does not fit an integer). Poison spreads through
/// arithmetic; storing it, or using it as address or condition, is an error.
class Element {
public:
  static Element ofInteger(mlir::Type type, llvm::APInt value);
  /// `value` is truncated to the width of `type`.
  static Element ofInt(mlir::Type type, int64_t value);
  /// `value` has the semantics of `type`.
  static Element ofFloat(mlir::Type type, llvm::APFloat value);
  /// `value` rounded to `type`, to nearest, ties to even.
  static Element ofDouble(mlir::Type type, double value);
  static Element ofPointer(mlir::Type type, Pointer value);
  /// The element whose bits are all 0; the null pointer.
  static Element zero(mlir::Type type);
  /// `origin` is the op with the undefined result, for messages.
  static Element poison(mlir::Type type, mlir::Operation *origin);
  /// Integers and floats: the element with these bits.
  static Element fromBits(mlir::Type type, const llvm::APInt &bits);

  mlir::Type getType() const { return type; }
  bool isPoison() const { return std::holds_alternative<Poison>(value); }
  /// Of a poison element, the op that made it.
  mlir::Operation *poisonOrigin() const {
    return std::get<Poison>(value).origin;
  }

  /// Each of these expects an element of that kind, not poison.
  const llvm::APInt &integer() const { return std::get<llvm::APInt>(value); }
  const llvm::APFloat &real() const { return std::get<llvm::APFloat>(value); }
  Pointer pointer() const { return std::get<Pointer>(value); }
  /// A float as double: exact for every element type of programs; f128 is
  /// rounded.
  double toDouble() const;
  /// An integer as signed 64-bit number.
  int64_t toInt() const { return integer().getSExtValue(); }
  bool isTrue() const { return !integer().isZero(); }
  llvm::APInt toBits() const;

  // What a run with freedom permits beside this value.
  Spread getSpread() const { return spread; }
  bool hasSpread() const { return bool(spread); }
  Element withSpread(Spread wider) const {
    Element copy = *this;
    copy.spread = wider;
    return copy;
  }
  /// This number, from now on one of a set. Not for pointers and poison.
  Element among(const Permitted &set) const;
  /// All of the set; this number alone without a spread.
  Permitted permitted() const;
  /// Whether an element of the same type is one of the set: without a spread,
  /// whether it has the same bits or both are NaN.
  bool permits(const Element &found) const;

  /// For messages: "3", "0.5", "nan", "poison", "pointer".
  std::string text() const;

private:
  struct Poison {
    mlir::Operation *origin = nullptr;
  };
  using Value = std::variant<Poison, llvm::APInt, llvm::APFloat, Pointer>;
  Element(mlir::Type type, Value value) : type(type), value(std::move(value)) {}

  mlir::Type type;
  Spread spread;
  Value value;
};

/// Bits of an integer, index or float type.
unsigned widthOf(mlir::Type type);

} // namespace tilewright::reference

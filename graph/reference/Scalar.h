// One element of a tensor, or a scalar, in two words.
#pragma once

#include "mlir/IR/Operation.h"
#include "tileir/reference/ElementOps.h"
#include <cstdint>

namespace tilewright::graph::reference {

/// What arithmetic on single elements is: shared with the interpreter of tiles.
namespace numerics = ::tilewright::reference;

/// The bits of a number of at most 64 bits, whose type is known where it is
/// used; in a run with freedom perhaps one number among others. Or poison: a
/// result that is not defined, or what nothing wrote.
///
/// A number of f128 keeps 111 of its 113 bits of precision, rounded to nearest:
/// enough for the product of two numbers of f64. It has no freedom.
class Scalar {
public:
  /// Not computed yet.
  Scalar() : state(kUnknown) {}
  /// The bits above the type's width are 0.
  static Scalar ofBits(uint64_t bits) { return {bits, kDefined}; }
  /// `origin` is the op with the undefined result or content, for messages.
  static Scalar poison(mlir::Operation *origin) {
    return {0, reinterpret_cast<uintptr_t>(origin) | kPoison};
  }
  static Scalar of(const numerics::Element &element) {
    if (element.isPoison())
      return poison(element.poisonOrigin());
    if (element.getType().isF128())
      return ofQuad(element.real());
    return {element.toBits().getZExtValue(), element.getSpread().toWord()};
  }

  /// One number, and no other.
  bool isDefined() const { return (state & kStates) == kDefined; }
  bool isPoison() const { return (state & kStates) == kPoison; }
  bool isKnown() const { return state != kUnknown; }
  /// A number, and others that are permitted as well.
  bool hasSpread() const { return (state & kStates) == kSpread; }
  /// The number without the others.
  Scalar alone() const { return hasSpread() ? ofBits(number) : *this; }
  /// A number, which may be any other one.
  Scalar amongAny() const {
    return isPoison() ? *this
                      : Scalar{number, numerics::Spread::any().toWord()};
  }
  /// The op that made a poison element.
  mlir::Operation *getOrigin() const {
    return reinterpret_cast<mlir::Operation *>(state & ~kStates);
  }
  /// Not of f128.
  uint64_t bits() const { return number; }
  /// Of an element of this type that is known.
  numerics::Element element(mlir::Type type) const {
    if (isPoison())
      return numerics::Element::poison(type, getOrigin());
    if (type.isF128())
      return numerics::Element::fromBits(type,
                                         llvm::APInt(128, {state, number}));
    auto element = numerics::Element::fromBits(
        type, llvm::APInt(numerics::widthOf(type), number));
    return hasSpread() ? element.withSpread(numerics::Spread::fromWord(state))
                       : element;
  }
  /// An integer: an i1 is 0 or 1, other integers are signed unless their type
  /// is not.
  int64_t integer(mlir::Type type) const {
    unsigned width = numerics::widthOf(type);
    if (width == 1 || type.isUnsignedInteger())
      return static_cast<int64_t>(number);
    return llvm::SignExtend64(number, width);
  }

private:
  /// The low bits of `state`: those of the address of an op are 0.
  static constexpr uint64_t kDefined = 0, kPoison = 1, kUnknown = 2,
                            kSpread = numerics::Spread::kTag, kStates = 3;
  Scalar(uint64_t bits, uint64_t state) : number(bits), state(state) {}
  static Scalar ofQuad(const llvm::APFloat &quad) {
    llvm::APInt bits = quad.bitcastToAPInt();
    if (quad.isFinite())
      bits += 1 + bits[2]; // To nearest, ties to even.
    return {bits.extractBitsAsZExtValue(64, 64),
            bits.extractBitsAsZExtValue(64, 0) & ~kStates};
  }

  /// Of f128 the first word.
  uint64_t number = 0;
  /// With poison the op that made it, with a spread the spread, of f128 the
  /// second word.
  uint64_t state;
};

} // namespace tilewright::graph::reference

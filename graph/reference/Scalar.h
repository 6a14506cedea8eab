// One element of a tensor, or a scalar, in two words.
#pragma once

#include "mlir/IR/Operation.h"
#include "tileir/reference/ElementOps.h"
#include "llvm/ADT/PointerIntPair.h"
#include <cstdint>

namespace tilewright::graph::reference {

/// What arithmetic on single elements is: shared with the interpreter of tiles.
namespace numerics = ::tilewright::reference;

/// The bits of a number of at most 64 bits, whose type is known where it is
/// used. Or poison: a result that is not defined, or what nothing wrote.
class Scalar {
public:
  enum class State { defined, poison, unknown };

  /// Not computed yet.
  Scalar() : origin(nullptr, State::unknown) {}
  /// The bits above the type's width are 0.
  static Scalar ofBits(uint64_t bits) {
    return {bits, nullptr, State::defined};
  }
  /// `origin` is the op with the undefined result or content, for messages.
  static Scalar poison(mlir::Operation *origin) {
    return {0, origin, State::poison};
  }
  static Scalar of(const numerics::Element &element) {
    if (element.isPoison())
      return poison(element.poisonOrigin());
    return ofBits(element.toBits().getZExtValue());
  }

  bool isDefined() const { return origin.getOpaqueValue() == nullptr; }
  bool isPoison() const { return origin.getInt() == State::poison; }
  bool isKnown() const { return origin.getInt() != State::unknown; }
  /// The op that made a poison element.
  mlir::Operation *getOrigin() const { return origin.getPointer(); }
  uint64_t bits() const { return number; }
  /// Of a defined or poison element of this type.
  numerics::Element element(mlir::Type type) const {
    if (isPoison())
      return numerics::Element::poison(type, getOrigin());
    return numerics::Element::fromBits(
        type, llvm::APInt(numerics::widthOf(type), number));
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
  Scalar(uint64_t bits, mlir::Operation *origin, State state)
      : number(bits), origin(origin, state) {}

  uint64_t number = 0;
  llvm::PointerIntPair<mlir::Operation *, 2, State> origin;
};

} // namespace tilewright::graph::reference

// The untyped operations behind the typed headers. They append to the kernel
// that this thread builds. A rejected operation records an error and returns an
// empty handle; after the first error all operations do nothing and return
// empty handles.
#ifndef TILEWRIGHT_AUTHORING_BUILD_H
#define TILEWRIGHT_AUTHORING_BUILD_H

#include "tilewright/authoring/Elements.h"
#include "tilewright/authoring/Handle.h"
#include "tilewright/manifest/Precision.h"
#include "tilewright/support/Export.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::authoring::detail {

using Sizes = std::span<const int64_t>;

//===--- Elementwise ------------------------------------------------------===//

enum class Unary : uint8_t {
  negate,
  invert,
  abs,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt,
  rsqrt,
  cbrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  floor,
  ceil,
  round,
  trunc,
};
enum class Binary : uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  min,
  max,
  bitAnd,
  bitOr,
  bitXor,
  shiftLeft,
  shiftRight,
  power,
  atan2,
  copysign,
  ceilDiv,
  floorDiv,
};
/// A test of each float.
enum class FloatClass : uint8_t { nan, infinite, finite };
enum class Comparison : uint8_t { lt, le, gt, ge, eq, ne };

/// How operators interpret an element type.
struct ElementTraits {
  ElementType type;
  bool isFloat = false, isSigned = false;
};
/// Default traits for a type that is no element type; RequireElement reports
/// it.
template <class T> consteval ElementTraits traitsFor() {
  if constexpr (IsElement<T>)
    return {T::type, T::isFloat, T::isSigned};
  else
    return {};
}
template <class T> inline constexpr ElementTraits traitsOf = traitsFor<T>();

TILEWRIGHT_API Handle unary(Unary op, const Operand &x,
                            ElementTraits elementTraits);
/// Scalars and numbers are broadcast to the shape of a tile, dimensions of size
/// 1 to the size in the other operand.
TILEWRIGHT_API Handle binary(Binary op, const Operand &a, const Operand &b,
                             ElementTraits elementTraits);
TILEWRIGHT_API Handle compare(Comparison op, const Operand &a, const Operand &b,
                              ElementTraits elementTraits);
TILEWRIGHT_API Handle select(const Operand &condition, const Operand &a,
                             const Operand &b, ElementTraits elementTraits);
TILEWRIGHT_API Handle classify(FloatClass what, const Operand &x);
/// 1 / (1 + exp(-x)).
TILEWRIGHT_API Handle sigmoid(const Operand &x, ElementTraits elementTraits);
TILEWRIGHT_API Handle fma(const Operand &a, const Operand &b, const Operand &c,
                          ElementTraits elementTraits);

//===--- Conversion -------------------------------------------------------===//

enum class Rounding : uint8_t {
  nearestEven,
  nearestAway,
  towardZero,
  down,
  up,
};
/// Default rounding: to nearest, ties to even; to an integer toward zero.
TILEWRIGHT_API Handle cast(const Operand &x, ElementTraits from,
                           ElementTraits to, std::optional<Rounding> rounding,
                           bool saturate);
TILEWRIGHT_API Handle bitcast(const Operand &x, ElementType to);

//===--- Tiles ------------------------------------------------------------===//

/// The shape of a tile; all sizes are 1 after an error.
TILEWRIGHT_API std::vector<int64_t> shapeOf(Handle tile, int rank,
                                            std::source_location where);
/// One size of a tile; 1 after an error.
TILEWRIGHT_API int64_t sizeOf(Handle tile, int dim, std::source_location where);
TILEWRIGHT_API Handle scalar(const Operand &x, ElementTraits elementTraits);
TILEWRIGHT_API Handle full(const Operand &x, ElementTraits elementTraits,
                           Sizes shape, std::source_location where);
TILEWRIGHT_API Handle iota(ElementType type, int64_t size,
                           std::source_location where);
TILEWRIGHT_API Handle reshape(Handle tile, Sizes shape,
                              std::source_location where);
TILEWRIGHT_API Handle broadcast(Handle tile, Sizes shape,
                                std::source_location where);
TILEWRIGHT_API Handle expand(Handle tile, int axis, std::source_location where);
TILEWRIGHT_API Handle squeeze(Handle tile, int axis,
                              std::source_location where);
TILEWRIGHT_API Handle transpose(Handle tile, Sizes permutation,
                                std::source_location where);
TILEWRIGHT_API Handle concat(const Handles &tiles, int axis,
                             std::source_location where);
TILEWRIGHT_API Handle join(const Handles &tiles, std::source_location where);
TILEWRIGHT_API Handles split(Handle tile, size_t count,
                             std::source_location where);
TILEWRIGHT_API Handle slice(Handle tile, Sizes offsets, Sizes shape,
                            Sizes steps, std::source_location where);
TILEWRIGHT_API Handle gather(Handle tile, Handle indices, int axis,
                             std::source_location where);
TILEWRIGHT_API Handle extract(Handle tile, const Handles &index,
                              std::source_location where);
/// The carry for the next tile of a scan: the last elements of `scanned` along
/// the axis, which keeps size 1. `carry`, the previous one, must have the same
/// shape.
TILEWRIGHT_API Handle nextCarry(Handle carry, Handle scanned, int axis,
                                std::source_location where);

//===--- Compute ----------------------------------------------------------===//

using runtime::Precision;
struct DotTraits {
  bool lhsUnsigned = false, rhsUnsigned = false;
};
TILEWRIGHT_API Handle dot(Handle lhs, Handle rhs, Handle acc,
                          Precision precision, DotTraits elementTraits,
                          std::source_location where);
TILEWRIGHT_API Handle scaledDot(Handle lhs, Handle lhsScale, Handle rhs,
                                Handle rhsScale, Handle acc,
                                std::source_location where);
/// The shape of a matrix product or of a batch of them.
TILEWRIGHT_API std::vector<int64_t>
productShape(Handle lhs, Handle rhs, int rank, std::source_location where);

/// Takes the left elements followed by the right ones; returns the combined
/// elements.
using Combine = std::function<Handles(const Handles &)>;
/// The results keep the axis, with size 1. Messages use `name`.
TILEWRIGHT_API Handles reduce(const Handles &tiles, int axis,
                              const Combine &combine,
                              std::source_location where,
                              std::string_view name = "reduce");
/// The index of the largest or smallest element along the axis, which keeps
/// size 1: the first of equal elements; NaN precedes all numbers.
TILEWRIGHT_API Handle locationOf(Handle tile, int axis, bool largest,
                                 ElementTraits elementTraits,
                                 std::source_location where);
TILEWRIGHT_API Handles scan(const Handles &tiles, int axis, bool reverse,
                            const Combine &combine, std::source_location where,
                            std::string_view name = "scan");
TILEWRIGHT_API Handles sort(const Handles &tiles, int axis, bool descending,
                            bool isUnsigned, std::source_location where);
TILEWRIGHT_API Handles topK(Handle tile, int64_t count, int axis, bool smallest,
                            bool isUnsigned, std::source_location where);
/// `mask` is optional.
TILEWRIGHT_API Handle histogram(Handle tile, int64_t bins,
                                std::optional<Handle> mask,
                                std::source_location where);
TILEWRIGHT_API Handles philox(const std::vector<Operand> &counterAndKey,
                              std::source_location where);

//===--- Memory -----------------------------------------------------------===//

/// The location of a tile in a view: a tile index, or an element offset with
/// steps.
struct Address {
  std::vector<Operand> at;
  bool byElement = false;
  Sizes steps;
};
/// Without padding, a read outside the view is a fault.
TILEWRIGHT_API Handle load(Handle view, const Address &address, Sizes shape,
                           std::optional<Literal> padding,
                           ElementTraits elementTraits,
                           std::source_location where);
TILEWRIGHT_API void store(Handle view, const Address &address, Handle tile,
                          std::source_location where);
/// A mask of the tile's elements that are inside the view.
TILEWRIGHT_API Handle inside(Handle view, const Address &address, Sizes shape,
                             std::source_location where);
/// One element, which must be inside the view.
TILEWRIGHT_API Handle elementAt(Handle view, const Address &address,
                                ElementTraits elementTraits,
                                std::source_location where);
TILEWRIGHT_API Handle viewSize(Handle view, int dim,
                               std::source_location where);
TILEWRIGHT_API Handle viewStride(Handle view, int dim,
                                 std::source_location where);
TILEWRIGHT_API Handle viewBase(Handle view, std::source_location where);
/// A view at a pointer; row-major if `strides` is empty.
TILEWRIGHT_API Handle makeView(Handle pointer,
                               const std::vector<Operand> &sizes,
                               const std::vector<Operand> &strides,
                               std::source_location where);
/// Assumptions about an argument, which the caller must satisfy.
TILEWRIGHT_API void assumeAlignment(Handle argument, int64_t bytes,
                                    std::source_location where);
TILEWRIGHT_API void assumeDivisible(Handle argument, Sizes sizes,
                                    std::source_location where);
TILEWRIGHT_API void assumeDisjoint(Handle argument, Handle other,
                                   std::source_location where);

/// When a workspace is set to zero: `once` is before the first launch that uses
/// the memory, which then holds what the last launch left.
enum class Zeroed : uint8_t { never, once, launch };
TILEWRIGHT_API void workspace(Handle argument, const Operand &elements,
                              Zeroed zeroed, std::source_location where);

enum class Order : uint8_t { weak, relaxed, acquire, release, acqRel, seqCst };
enum class Scope : uint8_t { program, cluster, device, system };
struct Ordering {
  Order order = Order::relaxed;
  Scope scope = Scope::device;
};
enum class Atomic : uint8_t { exchange, add, bitAnd, bitOr, bitXor, max, min };

TILEWRIGHT_API Handle offset(Handle pointer, const Operand &elements,
                             std::source_location where);
/// Converts 64-bit byte addresses to pointers, and back.
TILEWRIGHT_API Handle pointerAt(Handle address, ElementType pointee,
                                std::source_location where);
TILEWRIGHT_API Handle addressOf(Handle pointer, std::source_location where);
TILEWRIGHT_API Handle pointerCast(Handle pointer, ElementType pointee,
                                  std::source_location where);
/// `mask` and `other` may be null.
TILEWRIGHT_API Handle loadPointer(Handle pointer, const Operand *mask,
                                  const Operand *other,
                                  ElementTraits elementTraits,
                                  Ordering ordering,
                                  std::source_location where);
TILEWRIGHT_API void storePointer(Handle pointer, const Operand &value,
                                 const Operand *mask,
                                 ElementTraits elementTraits, Ordering ordering,
                                 std::source_location where);
TILEWRIGHT_API Handle atomic(Atomic op, Handle pointer, const Operand &value,
                             const Operand *mask, ElementTraits elementTraits,
                             Ordering ordering, std::source_location where);
TILEWRIGHT_API Handle atomicCompareExchange(
    Handle pointer, const Operand &expected, const Operand &desired,
    const Operand *mask, ElementTraits elementTraits, Ordering ordering,
    std::source_location where);
TILEWRIGHT_API void atomicReduce(Atomic op, Handle view, const Address &address,
                                 Handle tile, ElementTraits elementTraits,
                                 Ordering ordering, std::source_location where);
TILEWRIGHT_API void fence(Ordering ordering, std::source_location where);

//===--- Control ----------------------------------------------------------===//

using LoopBody = std::function<Handles(Handle index, const Handles &carried)>;
using Body = std::function<Handles()>;
using StateBody = std::function<Handles(const Handles &)>;
using StateCondition = std::function<Handle(const Handles &)>;

TILEWRIGHT_API Handles loop(const Operand &begin, const Operand &end,
                            const Operand &step, const Handles &initial,
                            const LoopBody &body, std::source_location where);
TILEWRIGHT_API Handles branch(const Operand &condition, const Body &then,
                              const Body &otherwise,
                              std::source_location where);
TILEWRIGHT_API Handles loopWhile(const Handles &initial,
                                 const StateCondition &condition,
                                 const StateBody &body,
                                 std::source_location where);

//===--- The program ------------------------------------------------------===//

/// Sets the kernel's grid. Returns the index of this program in it.
TILEWRIGHT_API Handles program(const std::vector<Operand> &counts,
                               std::source_location where);
TILEWRIGHT_API Handle programCount(int dim, std::source_location where);
TILEWRIGHT_API void persistent(int64_t programs, std::source_location where);
TILEWRIGHT_API int64_t tunable(std::string_view name, Sizes values,
                               std::source_location where);
TILEWRIGHT_API void require(bool holds, std::string_view message,
                            std::source_location where);
TILEWRIGHT_API void check(const Operand &condition, std::string_view message,
                          std::source_location where);
TILEWRIGHT_API void print(std::string_view text, const Handles &values,
                          std::source_location where);
TILEWRIGHT_API Handle assumeDivisible(Handle value, int64_t divisor,
                                      std::source_location where);
TILEWRIGHT_API Handle assumeRange(Handle value, int64_t low, int64_t high,
                                  std::source_location where);
TILEWRIGHT_API Handles inlinePtx(std::string_view ptx,
                                 std::string_view constraints,
                                 const Handles &operands,
                                 const std::vector<ElementType> &results,
                                 std::source_location where);

} // namespace tilewright::authoring::detail

#endif // TILEWRIGHT_AUTHORING_BUILD_H

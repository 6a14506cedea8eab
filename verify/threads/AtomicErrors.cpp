#include "verify/threads/AtomicErrors.h"

#include "tileir/reference/Interval.h"
#include "verify/threads/Tracking.h"

using namespace mlir;

namespace tilewright::verify::threads {

void AtomicUpdate::readMarks(const ErrorMemory &errors) {
  oldMark = errors.read(address, bitsOf(type) / 8);
  sum = errors.findSum(address);
}

/// Each of the partial sums is rounded, whichever they are: none is greater
/// than all magnitudes together. Multiples of one unit are added exactly as
/// long as they have room.
static double boundOf(const ErrorMemory::Sum &sum, const NumberFormat &format,
                      bool flushes) {
  const double most = enlarged(sum.magnitude + 2 * sum.errors);
  const double room = std::ldexp(sum.unit, format.precision);
  const bool isExact = sum.errors == 0 && most <= room;
  const double each = (isExact ? 0 : format.unit(most) / 2) +
                      (flushes ? format.leastNormal() : 0);
  return enlarged(sum.errors + double(sum.terms) * each);
}

static void addTerm(ErrorMemory::Sum &sum, const Inexact &term) {
  sum.errors = enlarged(sum.errors + term.error);
  sum.magnitude = enlarged(sum.magnitude + term.size());
  if (term.value != 0 && std::isfinite(term.value))
    sum.unit = std::min(sum.unit, reference::powerOfTwoIn(term.value));
}

static void markSum(Thread &t, const AtomicUpdate &update,
                    const NumberFormat &format) {
  ErrorMemory &errors = t.launch.errors();
  auto numberOf = [&](const Lane &lane) {
    return Inexact{format.load(lane.bits), errorOf(lane, bitsOf(update.type))};
  };
  ErrorMemory::Sum sum = update.sum.value_or(ErrorMemory::Sum());
  if (!update.sum)
    addTerm(sum, numberOf({update.oldBits, update.oldMark}));
  addTerm(sum, numberOf(update.value));
  ++sum.terms;
  // Those of a GPU on f32 flush subnormal numbers, which smaller units give.
  const bool flushes = t.launch.architecture && update.type.isF32() &&
                       sum.unit < format.leastNormal();
  errors.write(update.address, bitsOf(update.type) / 8,
               Mark::error(boundOf(sum, format, flushes)));
  errors.keepSum(update.address, sum);
}

void markUpdate(Thread &t, const AtomicUpdate &update) {
  ErrorMemory &errors = t.launch.errors();
  const unsigned bytes = bitsOf(update.type) / 8;
  const bool isExact = update.oldMark.isExact() && update.value.mark.isExact();
  auto real = dyn_cast<FloatType>(update.type);
  Mark made = isExact ? Mark() : Mark::unknown();
  switch (update.combining) {
  case Combining::add:
  case Combining::sub:
    if (real)
      return markSum(t, update, NumberFormat(real));
    break;
  case Combining::mul:
    made = real ? Mark::unknown() : made;
    break;
  case Combining::maxNumber:
  case Combining::minNumber:
  case Combining::maximum:
  case Combining::minimum:
    made = Mark::error(
        std::max(errorOf({update.oldBits, update.oldMark}, bytes * 8),
                 errorOf(update.value, bytes * 8)));
    break;
  default:
    break;
  }
  errors.write(update.address, bytes, made);
}

Mark markOfOld(const AtomicUpdate &update) {
  return isa<FloatType>(update.type) ? Mark::unknown() : update.oldMark;
}

} // namespace tilewright::verify::threads

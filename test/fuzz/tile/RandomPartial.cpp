// Ops that are poison for some of their operands, whatever the operands are. A
// select keeps the elements that are not.
#include "RandomProgram.h"

using std::to_string;
using tilewright::kerneltest::isFloat;
using tilewright::kerneltest::widthOf;

namespace tilewright::fuzz {

void RandomProgram::keepWhere(const Value &condition, const Value &made,
                              const Value &otherwise) {
  Value kept = keep(k.op("arith.select $0, $1, $2 : %0, %r",
                         {condition, made, otherwise}, made.type));
  if (chance(60))
    write(kept);
}

/// Whether the elements are less than the width of their type, unsigned.
Value RandomProgram::fitsWidth(const Value &x) {
  Value width = k.constant(to_string(widthOf(x.type.element)), x.type);
  return k.op("arith.cmpi ult, $0, $1 : %0", {x, width}, x.type.of("i1"));
}

/// By numbers of which some are 0, or by 1 << y, which is 0 for no y.
void RandomProgram::anyDivision(const Value &x) {
  static const char *const ops[] = {"divsi",     "divui",     "remsi",
                                    "remui",     "ceildivsi", "ceildivui",
                                    "floordivsi"};
  std::string op = "arith." + std::string(oneOf(ops));
  Value y = like(x.type), zero = k.constant("0", x.type);
  Value fits;
  if (chance(40)) {
    fits = fitsWidth(y);
    y = apply("arith.shli", k.constant("1", x.type), y);
  } else {
    if (chance(70))
      y = apply("arith.andi", y, k.constant("3", x.type));
    fits = k.op("arith.cmpi ne, $0, $1 : %0", {y, zero}, x.type.of("i1"));
  }
  keepWhere(fits, apply(op, x, y), x);
}

void RandomProgram::anyShift(const Value &x) {
  static const char *const ops[] = {"shli", "shrsi", "shrui"};
  Value by = like(x.type);
  if (chance(50))
    by = apply("arith.andi", by, k.constant("127", x.type));
  keepWhere(fitsWidth(by), apply("arith." + std::string(oneOf(ops)), x, by), x);
}

/// To an integer that only some of the floats fit.
void RandomProgram::anyToInteger(const Value &x) {
  static const char *const ops[] = {"arith.fptosi $0 : %0 to %r",
                                    "arith.fptoui $0 : %0 to %r",
                                    "tile.convert $0 rounding down : %0 -> %r"};
  static const char *const integers[] = {"i8", "i16", "i32", "i64"};
  TileType to = x.type.of(oneOf(integers));
  auto compare = [&](const char *how, const char *bound) {
    return k.op("arith.cmpf " + std::string(how) + ", $0, $1 : %0",
                {x, k.constant(bound, x.type)}, x.type.of("i1"));
  };
  Value low = compare("oge", "0.0"), high = compare("olt", "64.0");
  Value made = k.op(oneOf(ops), {x}, to);
  keepWhere(apply("arith.andi", low, high), made, k.constant("7", to));
}

void RandomProgram::partial(const Value &x) {
  int width = widthOf(x.type.element);
  if (width < 8)
    return;
  if (!isFloat(x.type.element))
    return chance(60) ? anyDivision(x) : anyShift(x);
  if (width >= 16)
    return anyToInteger(x);
}

} // namespace tilewright::fuzz

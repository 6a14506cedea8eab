// Video instructions: PTX section 9.7.18.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/program/Selector.h"
#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tilewright::emulator {

__extension__ typedef __int128 Int128;

namespace {

enum class Operation : uint8_t {
  add,
  sub,
  absdiff,
  average,
  min,
  max,
  shiftLeft,
  shiftRight,
  compare,
};
enum class Secondary : uint8_t { none, add, min, max };
enum class Comparison : uint8_t { eq, ne, lt, le, gt, ge };

/// All modifiers; an instruction keeps them in its immediate.
struct Video {
  Operation operation = Operation::add;
  Secondary secondary = Secondary::none;
  Comparison comparison = Comparison::eq;
  bool dSigned = false, aSigned = false, bSigned = false;
  bool saturates = false;
  /// Of shifts: the amount counts modulo 32.
  bool wraps = false;
};
static_assert(sizeof(Video) == sizeof(Instruction::immediate));

Video videoOf(const Instruction &in) {
  return std::bit_cast<Video>(in.immediate);
}

//===--- Values -----------------------------------------------------------===//

/// The lower `bits` of `value`, as a signed or unsigned number.
int64_t extended(uint64_t value, unsigned bits, bool isSigned) {
  uint64_t upper = ~uint64_t{0} << bits;
  bool negative = isSigned && value >> (bits - 1) & 1;
  return int64_t(negative ? value | upper : value & ~upper);
}
int64_t clamped(int64_t value, unsigned bits, bool isSigned) {
  int64_t most = (int64_t{1} << (bits - isSigned)) - 1;
  int64_t least = isSigned ? -most - 1 : 0;
  return std::clamp(value, least, most);
}

struct BitRange {
  unsigned shift, bits;
};
BitRange rangeOf(uint32_t part) {
  switch (Part(part)) {
  case Part::whole:
    break;
  case Part::h0:
    return {0, 16};
  case Part::h1:
    return {16, 16};
  default:
    return {8 * (part - uint32_t(Part::b0)), 8};
  }
  return {0, 32};
}

/// Section 9.7.18.1: the part, as a number of 33 bits.
int64_t selected(uint32_t value, uint32_t part, bool isSigned) {
  BitRange range = rangeOf(part);
  return extended(value >> range.shift, range.bits, isSigned);
}

bool compared(Comparison comparison, int64_t a, int64_t b) {
  switch (comparison) {
  case Comparison::eq:
    return a == b;
  case Comparison::ne:
    return a != b;
  case Comparison::lt:
    return a < b;
  case Comparison::le:
    return a <= b;
  case Comparison::gt:
    return a > b;
  case Comparison::ge:
    return a >= b;
  }
  return false;
}

int64_t primary(const Video &video, int64_t a, int64_t b) {
  switch (video.operation) {
  case Operation::add:
    return a + b;
  case Operation::sub:
    return a - b;
  case Operation::absdiff:
    return std::abs(a - b);
  case Operation::average:
    return (a + b + (a + b >= 0)) >> 1;
  case Operation::min:
    return std::min(a, b);
  case Operation::max:
    return std::max(a, b);
  case Operation::compare:
    return compared(video.comparison, a, b);
  case Operation::shiftLeft:
  case Operation::shiftRight:
    break;
  }
  unsigned amount = unsigned(video.wraps ? b & 31 : std::min<int64_t>(b, 32));
  if (video.operation == Operation::shiftRight)
    return a >> amount;
  // The result has 34 bits.
  return extended(uint64_t(a) << amount, 34, true);
}

/// With the third operand; the manual's intermediate result has 33 bits here.
int64_t secondary(const Video &video, int64_t value, int64_t c) {
  value = extended(uint64_t(value), 33, true);
  switch (video.secondary) {
  case Secondary::none:
    return value;
  case Secondary::add:
    return value + c;
  case Secondary::min:
    return std::min(value, c);
  case Secondary::max:
    return std::max(value, c);
  }
  return value;
}

//===--- Scalar instructions ----------------------------------------------===//

/// The operands d, a and b and their selectors; then c, if there is one.
struct Operands {
  Operands(Warp &warp, const Instruction &in)
      : d(operand<uint32_t>(warp, in, 0)), a(operand<uint32_t>(warp, in, 2)),
        b(operand<uint32_t>(warp, in, 4)),
        dPart(operand<uint32_t>(warp, in, 1)[0]),
        aPart(operand<uint32_t>(warp, in, 3)[0]),
        bPart(operand<uint32_t>(warp, in, 5)[0]),
        c(in.operands[6].present() ? operand<uint32_t>(warp, in, 6) : nullptr) {
  }
  uint32_t *d;
  const uint32_t *a, *b;
  uint32_t dPart, aPart, bPart;
  const uint32_t *c;
};

Step runScalar(Warp &warp, const Instruction &in) {
  const Video video = videoOf(in);
  const Operands at(warp, in);
  const BitRange range = rangeOf(at.dPart);
  forActive(warp, at.d, [&](unsigned lane) {
    int64_t a = selected(at.a[lane], at.aPart, video.aSigned);
    int64_t b = selected(at.b[lane], at.bPart, video.bSigned);
    uint32_t c = at.c ? at.c[lane] : 0;
    int64_t value = primary(video, a, b);
    if (video.saturates)
      value = clamped(value, range.bits, video.dSigned);
    value = secondary(video, value, extended(c, 32, video.dSigned));
    if (range.bits == 32)
      return uint32_t(value);
    uint32_t mask = ((uint32_t{1} << range.bits) - 1) << range.shift;
    return (uint32_t(value) << range.shift & mask) | (c & ~mask);
  });
  return Step::next;
}

/// Section 9.7.18.1.3: d = a * b + c, scaled.
enum Scale : uint8_t { unscaled = 0, shr7 = 7, shr15 = 15 };
struct Mad {
  bool aSigned = false, bSigned = false, saturates = false, plusOne = false;
  uint8_t scale = unscaled;
  uint8_t unused[3] = {};
};
static_assert(sizeof(Mad) == sizeof(Instruction::immediate));

Step runMad(Warp &warp, const Instruction &in) {
  const Mad mad = std::bit_cast<Mad>(in.immediate);
  const Operands at(warp, in);
  // A product is negated if just one of its factors is; c only if it is not.
  const bool product = (in.negated >> 2 & 1) != (in.negated >> 4 & 1);
  const bool addend = in.negated >> 6 & 1;
  const bool isSigned = mad.aSigned || mad.bSigned || product || addend;
  forActive(warp, at.d, [&](unsigned lane) {
    Int128 value = Int128(selected(at.a[lane], at.aPart, mad.aSigned)) *
                   selected(at.b[lane], at.bPart, mad.bSigned);
    uint32_t c = at.c[lane];
    bool one = mad.plusOne;
    if (!one && product) {
      value = ~value;
      one = true;
    } else if (!one && addend) {
      c = ~c;
      one = true;
    }
    value = (value + extended(c, 32, isSigned) + one) >> mad.scale;
    if (mad.saturates) {
      Int128 least = clamped(INT64_MIN, 32, isSigned);
      Int128 most = clamped(INT64_MAX, 32, isSigned);
      value = std::clamp(value, least, most);
    }
    return uint32_t(value);
  });
  return Step::next;
}

//===--- Two halves, four bytes -------------------------------------------===//

/// Section 9.7.18.2.
template <unsigned Count> Step runParallel(Warp &warp, const Instruction &in) {
  constexpr unsigned bits = 32 / Count;
  constexpr uint32_t element = (uint32_t{1} << bits) - 1;
  const Video video = videoOf(in);
  const Operands at(warp, in);
  forActive(warp, at.d, [&](unsigned lane) {
    uint64_t both = uint64_t{at.b[lane]} << 32 | at.a[lane];
    uint32_t c = at.c[lane], sum = c, merged = c;
    for (unsigned i = 0; i < Count; ++i) {
      if (!(at.dPart >> i & 1))
        continue;
      auto chosen = [&](uint32_t choices, bool isSigned) {
        return extended(both >> bits * (choices >> 4 * i & 15), bits, isSigned);
      };
      int64_t value = primary(video, chosen(at.aPart, video.aSigned),
                              chosen(at.bPart, video.bSigned));
      if (video.saturates)
        value = clamped(value, bits, video.dSigned);
      sum += uint32_t(value);
      merged = (merged & ~(element << bits * i)) | (uint32_t(value) & element)
                                                       << bits * i;
    }
    return video.secondary == Secondary::add ? sum : merged;
  });
  return Step::next;
}

//===--- Choosing ---------------------------------------------------------===//

Comparison comparisonOf(std::string_view name) {
  using enum Comparison;
  return name == "eq"   ? eq
         : name == "ne" ? ne
         : name == "lt" ? lt
         : name == "le" ? le
         : name == "gt" ? gt
                        : ge;
}
Secondary secondaryOf(const Match &match) {
  std::string_view name = match["secondary"];
  return name == "add"   ? Secondary::add
         : name == "min" ? Secondary::min
         : name == "max" ? Secondary::max
                         : Secondary::none;
}

template <Operation O, Execute Run>
Execute build(const Match &match, Instruction &in) {
  auto isSigned = [&](std::string_view slot) { return match[slot] == "s32"; };
  Video video;
  video.operation = O;
  video.secondary = secondaryOf(match);
  video.comparison = comparisonOf(match["cmp"]);
  // The result of a comparison is unsigned, as a shift's amount is.
  video.dSigned = isSigned("dtype");
  video.aSigned = isSigned("atype");
  video.bSigned = isSigned("btype");
  video.saturates = match.has("sat");
  video.wraps = match["mode"] == "wrap";
  in.immediate = std::bit_cast<uint64_t>(video);
  return Run;
}
template <Operation O> constexpr auto scalar = build<O, runScalar>;
template <Operation O> constexpr auto halves = build<O, runParallel<2>>;
template <Operation O> constexpr auto bytes = build<O, runParallel<4>>;

Execute buildMad(const Match &match, Instruction &in) {
  Mad mad;
  mad.aSigned = match["atype"] == "s32";
  mad.bSigned = match["btype"] == "s32";
  mad.saturates = match.has("sat");
  mad.plusOne = match.has("po");
  mad.scale = match["scale"] == "shr7"    ? shr7
              : match["scale"] == "shr15" ? shr15
                                          : unscaled;
  in.immediate = std::bit_cast<uint64_t>(mad);
  return runMad;
}

} // namespace

//===--- The table --------------------------------------------------------===//

#define TYPES "dtype=u32|s32 atype=u32|s32 btype=u32|s32 "
#define SECONDARY "secondary=add|min|max"
#define A_B "a.part:b32, b.part:b32"
#define WHOLE "d.whole:b32, " A_B ", c:b32?"
#define MERGED "d.location:b32, " A_B ", c:b32"
#define COMBINED "d.whole:b32, " A_B ", c:b32"
#define HALVES "d.halfMask:b32, a.halves:b32, b.halves:b32, c:b32"
#define BYTES "d.byteMask:b32, a.bytes:b32, b.bytes:b32, c:b32"

/// Merged with c; the whole result; combined with c.
#define SCALAR(NAME, OPERATION, MODIFIERS, SECTION)                            \
  {NAME, MODIFIERS, MERGED, SECTION, scalar<OPERATION>},                       \
      {NAME, MODIFIERS, WHOLE, SECTION, scalar<OPERATION>}, {                  \
    NAME, MODIFIERS " " SECONDARY, COMBINED, SECTION, scalar<OPERATION>        \
  }
#define ARITHMETIC(NAME, OPERATION)                                            \
  SCALAR(NAME, OPERATION, TYPES ".sat?", "9.7.18.1.1")
#define SHIFT(NAME, OPERATION)                                                 \
  SCALAR(NAME, OPERATION,                                                      \
         "dtype=u32|s32 atype=u32|s32 .u32 .sat? mode=clamp|wrap",             \
         "9.7.18.1.2")
#define PARALLEL(NAME, OPERATION)                                              \
  {NAME "2", TYPES ".sat?", HALVES, "9.7.18.2.1", halves<OPERATION>},          \
      {NAME "2", TYPES "secondary=add", HALVES, "9.7.18.2.1",                  \
       halves<OPERATION>},                                                     \
      {NAME "4", TYPES ".sat?", BYTES, "9.7.18.2.3", bytes<OPERATION>}, {      \
    NAME "4", TYPES "secondary=add", BYTES, "9.7.18.2.3", bytes<OPERATION>     \
  }
#define COMPARED "atype=u32|s32 btype=u32|s32 cmp=eq|ne|lt|le|gt|ge"

static constexpr Form table[] = {
    ARITHMETIC("vadd", Operation::add),
    ARITHMETIC("vsub", Operation::sub),
    ARITHMETIC("vabsdiff", Operation::absdiff),
    ARITHMETIC("vmin", Operation::min),
    ARITHMETIC("vmax", Operation::max),
    SHIFT("vshl", Operation::shiftLeft),
    SHIFT("vshr", Operation::shiftRight),
    {"vmad", TYPES ".sat? scale?=shr7|shr15",
     "d.whole:b32, !a.part:b32, !b.part:b32, !c:b32", "9.7.18.1.3", buildMad},
    {"vmad", TYPES ".po .sat? scale?=shr7|shr15",
     "d.whole:b32, a.part:b32, b.part:b32, c:b32", "9.7.18.1.3", buildMad},
    SCALAR("vset", Operation::compare, COMPARED, "9.7.18.1.4"),
    PARALLEL("vadd", Operation::add),
    PARALLEL("vsub", Operation::sub),
    PARALLEL("vavrg", Operation::average),
    PARALLEL("vabsdiff", Operation::absdiff),
    PARALLEL("vmin", Operation::min),
    PARALLEL("vmax", Operation::max),
    {"vset2", COMPARED, HALVES, "9.7.18.2.2", halves<Operation::compare>},
    {"vset2", COMPARED " secondary=add", HALVES, "9.7.18.2.2",
     halves<Operation::compare>},
    {"vset4", COMPARED, BYTES, "9.7.18.2.4", bytes<Operation::compare>},
    {"vset4", COMPARED " secondary=add", BYTES, "9.7.18.2.4",
     bytes<Operation::compare>},
};

std::span<const Form> videoForms() { return table; }

} // namespace tilewright::emulator

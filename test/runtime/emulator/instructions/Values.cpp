#include "test/runtime/emulator/instructions/Values.h"

namespace instructions {

uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3;
  return hash;
}

namespace {
struct Layout {
  unsigned exponentBits, fractionBits;
};
} // namespace

static Layout layoutOf(Kind kind) {
  switch (kind) {
  case Kind::half:
    return {5, 10};
  case Kind::bfloat:
    return {8, 7};
  case Kind::single:
    return {8, 23};
  default:
    return {11, 52};
  }
}

static std::vector<Bits> integerEdges(unsigned bits) {
  Bits all = lowBits(bits), top = Bits{1} << (bits - 1);
  std::vector<Bits> edges = {0,   1,       2,       3,       7,
                             31,  32,      33,      all,     all - 1,
                             top, top + 1, top - 1, top - 2, all - top / 2};
  for (unsigned half = 4; half < bits; half *= 2)
    for (Bits value : {lowBits(half), Bits{1} << half, lowBits(half - 1),
                       Bits{1} << (half - 1), ~lowBits(half - 1)})
      edges.push_back(value & all);
  edges.push_back(Bits{0x8040201008040201} & all);
  return edges;
}

static std::vector<Bits> floatEdges(Kind kind) {
  Layout layout = layoutOf(kind);
  unsigned width = layout.exponentBits + layout.fractionBits;
  Bits unit = Bits{1} << layout.fractionBits;
  Bits infinity = lowBits(layout.exponentBits) << layout.fractionBits;
  Bits one = lowBits(layout.exponentBits - 1) << layout.fractionBits;
  std::vector<Bits> magnitudes = {0,
                                  1,
                                  2,
                                  unit / 2,
                                  unit - 1,
                                  unit,
                                  unit + 1,
                                  one - unit,
                                  one - 1,
                                  one,
                                  one + 1,
                                  one + unit / 2,
                                  one + unit,
                                  one + unit + unit / 2,
                                  one + 2 * unit + unit / 4,
                                  one + layout.fractionBits * unit,
                                  one + 15 * unit,
                                  infinity - unit,
                                  infinity - 1,
                                  infinity,
                                  infinity + 1,
                                  infinity + unit / 2 + 5};
  std::vector<Bits> edges;
  for (Bits magnitude : magnitudes)
    for (Bits sign : {Bits{0}, Bits{1} << width})
      edges.push_back(magnitude | sign);
  return edges;
}

std::vector<Bits> edgesOf(const Operand &operand) {
  std::vector<Bits> edges;
  switch (operand.kind) {
  case Kind::predicate:
    return {0, 1};
  case Kind::amount:
    edges = {0,  1,  7,  8,  15,  16,  17,  31,         32,
             33, 63, 64, 65, 255, 256, 257, 0x80000000, 0xFFFFFFFF};
    break;
  case Kind::integer:
    edges = integerEdges(operand.bits);
    break;
  default:
    edges = floatEdges(operand.kind);
  }
  if (operand.elements == 2)
    for (size_t i = 0, count = edges.size(); i < count; ++i)
      edges[i] |= edges[(i * 7 + 3) % count] << operand.bits;
  return edges;
}

static Bits anyFloat(Kind kind, Random &random) {
  Layout layout = layoutOf(kind);
  unsigned width = layout.exponentBits + layout.fractionBits;
  Bits bits = random() & lowBits(width + 1);
  if (random() % 2)
    return bits;
  // Near 1, so that operands have to do with one another.
  Bits exponent = lowBits(layout.exponentBits - 1) + random() % 24 - 12;
  Bits keep = lowBits(layout.fractionBits) | Bits{1} << width;
  return (bits & keep) | exponent << layout.fractionBits;
}

static Bits anyElement(const Operand &operand, Random &random) {
  switch (operand.kind) {
  case Kind::predicate:
    return random() & 1;
  case Kind::amount:
    return random() % 80;
  case Kind::integer: {
    Bits bits = Bits{random()} << 64 | random();
    // Of few bits as often as of many.
    unsigned shift = random() % 2 ? unsigned(random() % operand.bits) : 0;
    bits = (bits & lowBits(operand.bits)) >> shift;
    return random() % 4 == 0 ? ~bits & lowBits(operand.bits) : bits;
  }
  default:
    return anyFloat(operand.kind, random);
  }
}

Bits sampleOf(const Operand &operand, const std::vector<Bits> &edges,
              Random &random) {
  if (random() % 3 == 0)
    return edges[random() % edges.size()];
  Bits bits = anyElement(operand, random);
  if (operand.elements == 2)
    bits |= anyElement(operand, random) << operand.bits;
  return bits;
}

} // namespace instructions

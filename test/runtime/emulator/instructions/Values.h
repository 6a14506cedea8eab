// The values of operands: their C++ types, their bits, and samples of them.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_VALUES_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_VALUES_H

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace instructions {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Bits;

// Types that C++ lacks. Integers, float and double are used directly, bool for
// a predicate.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
/// Pairs: the first element in the lower bits.
struct Half2 {
  uint32_t bits;
};
struct BFloat2 {
  uint32_t bits;
};
struct Float2 {
  uint64_t bits;
};
/// A number of bits or the like: samples are small.
struct Amount {
  uint32_t value;
  operator uint32_t() const { return value; }
};
/// A register of 8 bits.
struct Byte {
  uint8_t bits;
};

/// How an operand's samples are made and its results compared.
enum class Kind : uint8_t {
  integer,
  amount,
  predicate,
  half,
  bfloat,
  single,
  twice, // double
};

inline bool isFloat(Kind kind) { return kind >= Kind::half; }

struct Operand {
  Kind kind = Kind::integer;
  /// Of one element; a pair has two.
  unsigned bits = 32;
  unsigned elements = 1;
  /// Of the register, at least the elements'.
  unsigned registerBits = 32;
};

template <class T> constexpr Operand operandOf() {
  constexpr unsigned bits = 8 * sizeof(T);
  if constexpr (std::is_same_v<T, bool>)
    return {Kind::predicate, 1, 1, 1};
  else if constexpr (std::is_same_v<T, Amount>)
    return {Kind::amount, 32, 1, 32};
  else if constexpr (std::is_same_v<T, Half>)
    return {Kind::half, 16, 1, 16};
  else if constexpr (std::is_same_v<T, BFloat>)
    return {Kind::bfloat, 16, 1, 16};
  else if constexpr (std::is_same_v<T, Half2>)
    return {Kind::half, 16, 2, 32};
  else if constexpr (std::is_same_v<T, BFloat2>)
    return {Kind::bfloat, 16, 2, 32};
  else if constexpr (std::is_same_v<T, Float2>)
    return {Kind::single, 32, 2, 64};
  else if constexpr (std::is_same_v<T, float>)
    return {Kind::single, 32, 1, 32};
  else if constexpr (std::is_same_v<T, double>)
    return {Kind::twice, 64, 1, 64};
  else
    return {Kind::integer, bits, 1, bits};
}

template <class T> Bits toBits(T value) {
  static_assert(sizeof(T) <= sizeof(Bits));
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> T fromBits(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline Bits lowBits(unsigned count) {
  return count >= 128 ? ~Bits{0} : (Bits{1} << count) - 1;
}

/// A repeatable stream of numbers.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t operator()() {
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

/// A name's number, for seeds.
uint64_t hashOf(const std::string &text);

/// The bits of values at which something may change: 0, the ends of the
/// range, powers of two; of floats also infinities, NaNs, subnormals, ...
std::vector<Bits> edgesOf(const Operand &operand);

/// One value: an edge, a small one, or any.
Bits sampleOf(const Operand &operand, const std::vector<Bits> &edges,
              Random &random);

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_VALUES_H

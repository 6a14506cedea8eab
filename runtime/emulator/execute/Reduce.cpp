#include "runtime/emulator/execute/Reduce.h"
#include "runtime/emulator/execute/AtomicOps.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace tilewright::emulator {

ReduceOp reduceOpFromName(std::string_view name) {
  constexpr std::array<std::string_view, 8> names = {
      "add", "min", "max", "inc", "dec", "and", "or", "xor"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return ReduceOp(i);
  return ReduceOp::add;
}

template <class T, class Op>
static void reduceEach(std::byte *to, const std::byte *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(T)) {
    T old, value;
    std::memcpy(&old, to + i, sizeof(T));
    std::memcpy(&value, from + i, sizeof(T));
    old = Op::apply(old, value);
    std::memcpy(to + i, &old, sizeof(T));
  }
}

template <class T> static ReduceElements ofInteger(ReduceOp op) {
  switch (op) {
  case ReduceOp::add:
    return reduceEach<T, AddInteger>;
  case ReduceOp::min:
    return reduceEach<T, MinInteger>;
  case ReduceOp::max:
    return reduceEach<T, MaxInteger>;
  case ReduceOp::inc:
    return std::is_same_v<T, uint32_t> ? reduceEach<T, Inc> : nullptr;
  case ReduceOp::dec:
    return std::is_same_v<T, uint32_t> ? reduceEach<T, Dec> : nullptr;
  default:
    return nullptr;
  }
}
template <class T> static ReduceElements ofBits(ReduceOp op) {
  switch (op) {
  case ReduceOp::bitAnd:
    return reduceEach<T, And>;
  case ReduceOp::bitOr:
    return reduceEach<T, Or>;
  case ReduceOp::bitXor:
    return reduceEach<T, Xor>;
  default:
    return nullptr;
  }
}
template <class T> static ReduceElements ofSmallFloat(ReduceOp op) {
  switch (op) {
  case ReduceOp::add:
    return reduceEach<T, AddFloat<false>>;
  case ReduceOp::min:
    return reduceEach<T, MinFloat>;
  case ReduceOp::max:
    return reduceEach<T, MaxFloat>;
  default:
    return nullptr;
  }
}

ReduceElements reduceElements(ReduceOp op, Type type) {
  switch (type) {
  case Type::u32:
    return ofInteger<uint32_t>(op);
  case Type::s32:
    return ofInteger<int32_t>(op);
  case Type::u64:
    return ofInteger<uint64_t>(op);
  case Type::s64:
    return ofInteger<int64_t>(op);
  case Type::b32:
    return ofBits<uint32_t>(op);
  case Type::b64:
    return ofBits<uint64_t>(op);
  case Type::f16:
    return ofSmallFloat<Half>(op);
  case Type::bf16:
    return ofSmallFloat<BFloat>(op);
  case Type::f32:
    return op == ReduceOp::add ? reduceEach<float, AddFloat<true>> : nullptr;
  case Type::f64:
    return op == ReduceOp::add ? reduceEach<double, AddFloat<false>> : nullptr;
  default:
    return nullptr;
  }
}

constexpr std::array types = {Type::u32, Type::s32, Type::u64, Type::s64,
                              Type::b32, Type::b64, Type::f16, Type::bf16,
                              Type::f32, Type::f64};

uint8_t packReduction(ReduceOp op, Type type) {
  auto index = std::find(types.begin(), types.end(), type) - types.begin();
  return uint8_t(uint8_t(op) | index << 3);
}
ReduceElements unpackReduction(uint8_t packed) {
  return reduceElements(ReduceOp(packed & 7), types[packed >> 3]);
}

} // namespace tilewright::emulator

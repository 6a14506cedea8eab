// Sets of enumerators, as the tables of this folder write them.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_ENUMSET_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_ENUMSET_H

namespace tilewright::emulator {

/// One bit for each enumerator.
template <class... Values> constexpr unsigned enumSet(Values... values) {
  return ((1u << static_cast<unsigned>(values)) | ...);
}

template <class Value> constexpr bool contains(unsigned set, Value value) {
  return set >> static_cast<unsigned>(value) & 1;
}

} // namespace tilewright::emulator

#endif

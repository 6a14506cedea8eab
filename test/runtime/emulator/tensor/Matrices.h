// Helpers of the tensor-core tests: matrices as arrays of element bits.
#ifndef TILEWRIGHT_TEST_EMULATOR_TENSOR_MATRICES_H
#define TILEWRIGHT_TEST_EMULATOR_TENSOR_MATRICES_H

#include "runtime/emulator/tensor/DotProduct.h"
#include "runtime/emulator/tensor/Fragments.h"
#include "runtime/emulator/tensor/Kernels.h"
#include "runtime/emulator/tensor/TensorCore.h"
#include <cstring>
#include <string>
#include <vector>

namespace tilewright::emulator {

/// A matrix stored by columns, as multiplyAccumulate takes it.
class Matrix {
public:
  Matrix(ElementType type, int rows, int columns)
      : type(type), rows(rows), columns(columns),
        bytesPer(elementFacts(type).storageBytes),
        bytes(std::size_t(rows) * columns * bytesPer) {}

  void set(int row, int column, std::uint64_t bits) {
    std::memcpy(index(row, column), &bits, bytesPer);
  }
  std::uint64_t get(int row, int column) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, const_cast<Matrix *>(this)->index(row, column),
                bytesPer);
    return bits;
  }
  const void *data() const { return bytes.data(); }
  void *data() { return bytes.data(); }

  /// A row of A, or a column of B, for dotProduct.
  StridedElements row(int index) const {
    return {type, bytes.data() + std::size_t(index) * bytesPer, rows};
  }
  StridedElements column(int index) const {
    return {type, bytes.data() + std::size_t(index) * rows * bytesPer, 1};
  }

  const ElementType type;
  const int rows, columns;

private:
  unsigned char *index(int row, int column) {
    return bytes.data() + (std::size_t(column) * rows + row) * bytesPer;
  }
  int bytesPer;
  std::vector<unsigned char> bytes;
};

/// Registers of a warp, of 64 bits each to have room for both kinds.
struct Registers {
  explicit Registers(const Fragment &fragment)
      : bits(fragment.registerBits()),
        storage(std::size_t(fragment.registers()) * 32) {
    for (int i = 0; i < fragment.registers(); ++i)
      list.push_back(storage.data() + std::size_t(i) * 32);
  }
  void put(const Fragment &fragment, int lane, int element,
           std::uint64_t value) {
    int per = fragment.elementsPerRegister();
    auto *words = static_cast<std::uint32_t *>(list[element / per]);
    if (bits == 64)
      static_cast<std::uint64_t *>(list[element])[lane] = value;
    else
      words[lane] |= static_cast<std::uint32_t>(value)
                     << element % per * (32 / per);
  }
  [[nodiscard]] std::uint64_t get(const Fragment &fragment, int lane,
                                  int element) const {
    int per = fragment.elementsPerRegister();
    if (bits == 64)
      return static_cast<std::uint64_t *>(list[element])[lane];
    std::uint32_t word =
        static_cast<std::uint32_t *>(list[element / per])[lane];
    return per == 1
               ? word
               : word >> element % per * (32 / per) & ((1u << 32 / per) - 1);
  }
  int bits;
  std::vector<std::uint64_t> storage;
  std::vector<void *> list;
};

/// The instruction sets that this machine can run, with their names.
struct NamedIsa {
  HostIsa isa;
  const char *name;
};
inline std::vector<NamedIsa> availableIsas() {
  std::vector<NamedIsa> result;
  for (NamedIsa named :
       {NamedIsa{HostIsa::baseline, "baseline"},
        NamedIsa{HostIsa::avx2, "avx2"}, NamedIsa{HostIsa::avx512, "avx512"}})
    if (hasTensorKernels(named.isa))
      result.push_back(named);
  return result;
}

/// The element of `type` whose value is that of these f32 bits, which it must
/// be able to hold, or be rounded to nearest even (f16 alone).
std::uint32_t elementOfFloat(ElementType type, std::uint32_t floatBits);
/// The f32 bits of an f16.
std::uint32_t floatOfHalf(std::uint32_t half);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_TENSOR_MATRICES_H

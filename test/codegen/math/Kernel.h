//===- Kernel.h - A math function on the CPU device -------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_MATH_KERNEL_H
#define TILEWRIGHT_TEST_CODEGEN_MATH_KERNEL_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilewright::mathtest {

/// A function of the math dialect, compiled for this host with the pipeline
/// that all kernels take. Fails the test that makes or runs it on an error.
class Kernel {
public:
  /// `name`: the op's name after "math."; `type`: f32 or f64. The exponents of
  /// fpowi have the integer type `exponent`; sincos returns the sine, or with
  /// `result` 1 the cosine.
  Kernel(const std::string &name, const std::string &type,
         const std::string &exponent = "i32", int result = 0);
  ~Kernel();

  /// The results for operands of one or, per element, two arrays. T and U have
  /// the size of the elements.
  template <typename T, typename U = T>
  std::vector<T> run(std::span<const T> x, std::span<const U> y = {}) const {
    std::vector<T> results(x.size());
    launch(std::as_bytes(x), std::as_bytes(y),
           std::as_writable_bytes(std::span(results)));
    return results;
  }

private:
  void launch(std::span<const std::byte> x, std::span<const std::byte> y,
              std::span<std::byte> results) const;
  struct Loaded;
  std::unique_ptr<Loaded> loaded;
};

/// Whether the function has two operands.
bool isBinary(const std::string &name);

} // namespace tilewright::mathtest

#endif // TILEWRIGHT_TEST_CODEGEN_MATH_KERNEL_H

// Runs kernels on arrays of the host, by the reference interpreter.
#pragma once

#include "tilewright/authoring.h"

#include <cmath>
#include <variant>

namespace tilewright::test {

/// An array for a view or a pointer.
struct Array {
  void *data;
  int64_t bytes;
  std::vector<int64_t> dims, strides;
};
/// Numbers are given as int64_t or double.
using Argument = std::variant<Array, int64_t, double>;

/// The array as a view of `dims`; without them of one dimension.
template <class T>
Array array(std::vector<T> &values, std::vector<int64_t> dims = {},
            std::vector<int64_t> strides = {}) {
  if (dims.empty())
    dims = {static_cast<int64_t>(values.size())};
  return {values.data(), static_cast<int64_t>(values.size() * sizeof(T)),
          std::move(dims), std::move(strides)};
}

/// Builds the kernel and runs all its programs; the error, or nothing. Its
/// results are in the arrays.
std::string run(const authoring::Kernel &kernel,
                const std::vector<Argument> &arguments,
                const authoring::Bindings &bindings = {},
                const authoring::BuildOptions &options = {});

/// Whether the bytes are a module that verifies.
bool verifies(const std::string &bytecode);

/// The type that holds an element on the host.
template <class T> struct HostOf;
template <> struct HostOf<authoring::F32> {
  using type = float;
};
template <> struct HostOf<authoring::F64> {
  using type = double;
};
template <> struct HostOf<authoring::I8> {
  using type = int8_t;
};
template <> struct HostOf<authoring::I16> {
  using type = int16_t;
};
template <> struct HostOf<authoring::I32> {
  using type = int32_t;
};
template <> struct HostOf<authoring::I64> {
  using type = int64_t;
};
template <> struct HostOf<authoring::U8> {
  using type = uint8_t;
};
template <> struct HostOf<authoring::U16> {
  using type = uint16_t;
};
template <> struct HostOf<authoring::U32> {
  using type = uint32_t;
};
template <> struct HostOf<authoring::U64> {
  using type = uint64_t;
};
template <> struct HostOf<authoring::IndexElement> {
  using type = int64_t;
};
template <> struct HostOf<authoring::Bool> {
  using type = uint8_t;
};
template <class T> using Host = typename HostOf<T>::type;

/// first, first + step, ...: `count` numbers.
template <class T>
std::vector<T> numbers(size_t count, double first = 0, double step = 1) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(first + double(i) * step);
  return values;
}

} // namespace tilewright::test

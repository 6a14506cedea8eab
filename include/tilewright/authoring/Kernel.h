// A tile kernel written in C++.
#ifndef TILEWRIGHT_AUTHORING_KERNEL_H
#define TILEWRIGHT_AUTHORING_KERNEL_H

#include "tilewright/authoring/Control.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

#include <map>
#include <memory>

namespace tilewright::authoring {

/// Values of tunables by name.
using Bindings = std::map<std::string, int64_t>;

/// A parameter of a kernel.
struct Tunable {
  std::string name;
  /// The first is the default.
  std::vector<int64_t> values;
};

struct BuildOptions {
  /// Insert checks into the kernel: each read without padding is inside its
  /// view, each extracted or gathered element inside its tile.
  bool checkBounds = false;
};

namespace detail {
/// A parameter of the user's function.
struct ParameterType {
  enum class Kind : uint8_t { view, pointer, scalar };
  Kind kind = Kind::scalar;
  ElementType element;
  int rank = 0;
  bool strided = false;
};
} // namespace detail

/// A kernel with its tunables bound, as tile IR.
struct BuiltKernel {
  std::string name;
  /// Contains only this kernel, with the user's source locations.
  TileModule module;
  /// All tunables, including those at their defaults.
  Bindings bindings;
  /// Those of the user's function. A launch checks its arguments against them
  /// for facts that the tile IR lacks: the sign of integers and the types
  /// behind pointers.
  std::vector<detail::ParameterType> parameters;
};

namespace detail {

template <class T> struct ParameterOf;
template <class T, int Rank, Strides S> struct ParameterOf<View<T, Rank, S>> {
  static constexpr ParameterType type = {ParameterType::Kind::view, T::type,
                                         Rank, S == Strides::any};
};
template <class T> struct ParameterOf<Pointer<T>> {
  static constexpr ParameterType type = {ParameterType::Kind::pointer, T::type};
};
template <class T> struct ParameterOf<Scalar<T>> {
  static constexpr ParameterType type = {ParameterType::Kind::scalar, T::type};
};

template <class T>
concept KernelParameter = requires { ParameterOf<T>::type; };

using KernelBody = std::function<void(const Handles &)>;

} // namespace detail

/// A kernel: the user's function, which each build runs again. Copies share it.
/// Safe to build from several threads if the function is.
class TILEWRIGHT_API Kernel {
public:
  Kernel(std::string name, std::vector<detail::ParameterType> parameters,
         detail::KernelBody body, std::source_location where);

  [[nodiscard]] const std::string &name() const { return definition->name; }

  /// Runs the function and returns the tile IR. Tunables without a binding have
  /// their defaults. The first mistake in the function is returned as the
  /// error, located at the user's line, and is also added to `diagnostics`. The
  /// function must neither throw nor build kernels.
  [[nodiscard]] StatusOr<BuiltKernel>
  build(const Bindings &bindings = {}, const BuildOptions &options = {},
        std::vector<Diagnostic> *diagnostics = nullptr) const;

  /// The tunables in the order of their first use.
  [[nodiscard]] StatusOr<std::vector<Tunable>> tunables() const;

  /// All variants of the kernel, one for each combination of tunables, as the
  /// text that the tuner and the command line read (tileir/text/Template.h).
  /// Combinations that violate a `require` are left out. The text contains no
  /// source locations, so it is the same on every machine. Errors: those of
  /// build() for any combination; more than `mostVariants` combinations.
  [[nodiscard]] StatusOr<std::string> printVariants() const;
  static constexpr size_t mostVariants = 256;

  /// The tile IR as text, for reading.
  [[nodiscard]] StatusOr<std::string>
  print(const Bindings &bindings = {}) const;

private:
  struct Definition {
    std::string name;
    std::vector<detail::ParameterType> parameters;
    detail::KernelBody body;
    std::source_location where;
  };
  std::shared_ptr<const Definition> definition;
};

namespace detail {
/// A callable whose parameter types are known: no `auto`.
template <class F>
concept FunctionWithTypedParameters = requires { &F::operator(); };

template <class F, class R, class... A>
Kernel kernelOf(std::string name, F function, std::source_location where,
                R (F::*)(A...) const) {
  constexpr bool good = (KernelParameter<std::remove_cvref_t<A>> && ...);
  static_assert(good, "the parameters of a kernel are views, pointers and "
                      "scalars: View<F32, 2>, Pointer<I32>, Scalar<F32>, "
                      "Index");
  static_assert(std::is_void_v<R>,
                "a kernel returns nothing: it stores its results in views");
  if constexpr (good)
    return Kernel(
        std::move(name), {ParameterOf<std::remove_cvref_t<A>>::type...},
        [function](const Handles &handles) {
          [&]<size_t... I>(std::index_sequence<I...>) {
            function(std::remove_cvref_t<A>(handles[I])...);
          }(std::index_sequence_for<A...>());
        },
        where);
}
template <class F, class R, class... A>
Kernel kernelOf(std::string name, F, std::source_location where,
                R (F::*)(A...)) {
  static_assert(sizeof(F) == 0, "the lambda of a kernel is not mutable: each "
                                "build runs it anew, on the same captures");
  return Kernel(std::move(name), {}, {}, where);
}
} // namespace detail

/// Makes a kernel from a lambda or a function. Its parameters are views,
/// pointers and scalars; it returns nothing.
template <detail::FunctionWithTypedParameters F>
Kernel kernel(std::string name, F function,
              std::source_location where = std::source_location::current()) {
  return detail::kernelOf(std::move(name), std::move(function), where,
                          &F::operator());
}
template <class... A>
Kernel kernel(std::string name, void (*function)(A...),
              std::source_location where = std::source_location::current()) {
  return kernel(std::move(name), [function](A... a) { function(a...); }, where);
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_KERNEL_H

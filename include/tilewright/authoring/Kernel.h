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
  /// Check where the kernel runs that each read without padding stays in its
  /// view and each extracted and gathered element in its tile.
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
  /// The kernel alone, with the source locations of the user in it.
  TileModule module;
  /// All tunables, those included that the caller left at their default.
  Bindings bindings;
  /// Those of the user's function: a launch checks against them what the tile
  /// IR does not know, the sign of integers and what pointers point to.
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

/// A kernel: the user's function, run anew for each build. Copies share it.
/// Safe to build from several threads if the function is.
class TILEWRIGHT_API Kernel {
public:
  Kernel(std::string name, std::vector<detail::ParameterType> parameters,
         detail::KernelBody body, std::source_location where);

  [[nodiscard]] const std::string &name() const { return definition->name; }

  /// Runs the function and returns the tile IR. Tunables that `bindings` leaves
  /// out have their default. The first mistake in the function is the error, at
  /// the user's line; `diagnostics` also has it as data. The function must not
  /// throw, nor build kernels itself.
  [[nodiscard]] StatusOr<BuiltKernel>
  build(const Bindings &bindings = {}, const BuildOptions &options = {},
        std::vector<Diagnostic> *diagnostics = nullptr) const;

  /// The tunables in the order in which the function names them.
  [[nodiscard]] StatusOr<std::vector<Tunable>> tunables() const;

  /// The kernel by every value of its tunables, as one text that the tuner and
  /// the command line read: a template of variants (tileir/text/Template.h).
  /// Combinations that break a `require` are left out. It says nothing of where
  /// the function stands, so that it is the same wherever that is. Errors: as
  /// build() by any combination; there are more than `mostVariants`.
  [[nodiscard]] StatusOr<std::string> printVariants() const;
  static constexpr size_t mostVariants = 256;

  /// The tile IR as text, for people.
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
/// Not with `auto` for a type, nor mutable.
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

/// The kernel whose program is `function`, a lambda or a function. Its
/// parameters are views, pointers and scalars; it returns nothing.
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

#include "tilewright/runtime/Launch.h"
#include "runtime/core/LaunchFormulas.h"
#include "runtime/core/WorkspacePool.h"
#include "support/Format.h"
#include <algorithm>
#include <bit>
#include <functional>

namespace tilewright::runtime {

LaunchArgument LaunchArgument::view(const Buffer &buffer, Shape dims,
                                    Shape strides) {
  LaunchArgument argument;
  argument.isView = true;
  argument.address = buffer.address();
  argument.bytes = buffer.size();
  argument.space = buffer.space();
  argument.dims = std::move(dims);
  argument.strides = std::move(strides);
  return argument;
}

LaunchArgument LaunchArgument::pointer(const Buffer &buffer) {
  LaunchArgument argument = integer(static_cast<int64_t>(buffer.address()));
  argument.space = buffer.space();
  return argument;
}

LaunchArgument LaunchArgument::integer(int64_t value) {
  LaunchArgument argument;
  argument.word = static_cast<uint64_t>(value);
  return argument;
}

LaunchArgument LaunchArgument::f32(float value) {
  LaunchArgument argument;
  argument.word = std::bit_cast<uint32_t>(value);
  return argument;
}

LaunchArgument LaunchArgument::f64(double value) {
  LaunchArgument argument;
  argument.word = std::bit_cast<uint64_t>(value);
  return argument;
}

/// Strides of a row-major view. Wrap-around is harmless here: the extent is
/// checked with overflow detection before any use.
static Shape rowMajorStrides(std::span<const int64_t> dims) {
  Shape strides(dims.size(), 1);
  uint64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[d]);
  }
  return strides;
}

/// The bytes from the view's address to the end of its furthest element;
/// nothing if they are more than 64 bits count, or strides are missing. Sizes
/// and strides are not negative.
static std::optional<uint64_t> spanOf(const LaunchArgument &view,
                                      const Shape &strides, DType dtype) {
  int64_t last = 0; // Index of the element furthest from the address.
  bool overflow = strides.size() < view.dims.size();
  for (size_t d = 0; d < view.dims.size() && !overflow; ++d) {
    if (view.dims[d] == 0)
      return 0;
    int64_t step = 0;
    overflow |= __builtin_mul_overflow(view.dims[d] - 1, strides[d], &step) ||
                __builtin_add_overflow(last, step, &last);
  }
  uint64_t bytes = 0;
  overflow |=
      __builtin_mul_overflow(uint64_t(last) + 1, dtypeBytes(dtype), &bytes);
  return overflow ? std::nullopt : std::optional(bytes);
}

/// Checks that every element of the view is in its memory.
static Status checkExtent(const LaunchArgument &view, const Shape &strides,
                          DType dtype) {
  for (size_t d = 0; d < view.dims.size(); ++d) {
    if (view.dims[d] < 0)
      return Status::invalidInput(
          format("shape {} has a negative dimension", {printShape(view.dims)}));
    if (strides[d] < 0)
      return Status::unsupported(
          format("strides {} must not be negative", {printShape(strides)}));
  }
  std::optional<uint64_t> needed = spanOf(view, strides, dtype);
  if (needed && *needed <= view.bytes)
    return {};
  return Status::invalidInput(
      format("a view of {}{} with strides {} does not fit in {} bytes",
             {dtypeName(dtype), printShape(view.dims), printShape(strides),
              view.bytes}));
}

static Status packArgument(const KernelArgument &taken,
                           const LaunchArgument &given, const Shape &strides,
                           std::vector<uint64_t> &words) {
  if (taken.isView() != given.isView)
    return Status::invalidInput(std::string("expected a ") +
                                (taken.isView() ? "view" : "scalar"));
  if (!taken.isView()) {
    words.push_back(given.word);
    return {};
  }
  if (given.dims.size() != taken.rank)
    return Status::invalidInput(
        format("expected a view of rank {}, found shape {}",
               {taken.rank, printShape(given.dims)}));
  if (strides.size() != taken.rank)
    return Status::invalidInput(
        format("expected {} strides, found {}", {taken.rank, strides.size()}));
  TILEWRIGHT_RETURN_IF_ERROR(checkExtent(given, strides, *taken.dtype));
  words.push_back(given.address);
  for (unsigned dim : taken.dims)
    words.push_back(static_cast<uint64_t>(given.dims[dim]));
  for (unsigned dim : taken.strides)
    words.push_back(static_cast<uint64_t>(strides[dim]));
  return {};
}

namespace {
/// The arguments of one launch, with all strides.
class GivenArguments {
public:
  GivenArguments(std::span<const LaunchArgument> arguments,
                 int64_t multiprocessors)
      : arguments(arguments), multiprocessors(multiprocessors) {
    for (const LaunchArgument &argument : arguments)
      strides.push_back(argument.strides.empty()
                            ? rowMajorStrides(argument.dims)
                            : argument.strides);
  }

  /// Whether the arguments are of the manifest's kinds and its guards on sizes
  /// hold. `formulas` are those of the manifest.
  [[nodiscard]] bool fit(const LaunchFormulas &formulas,
                         const KernelManifest &manifest) const;
  /// Whether the guards on addresses hold too, where the others do.
  [[nodiscard]] bool fitAddresses(const LaunchFormulas &formulas,
                                  const KernelManifest &manifest) const;
  [[nodiscard]] StatusOr<LaunchPlan> plan(const LaunchFormulas &formulas,
                                          const KernelManifest &manifest) const;

private:
  using Values = std::span<const int64_t>;

  /// Of two views, by their addresses.
  struct Distance {
    unsigned lower, upper;
    /// The bytes from one address to the other.
    uint64_t apart;
    /// Those of the lower view; none if they are more than 64 bits count.
    std::optional<uint64_t> bytes;
  };
  /// None if there is no such argument.
  [[nodiscard]] std::optional<Distance>
  distance(const Guard &guard, const KernelManifest &manifest) const;
  /// Not where an expression has no value.
  [[nodiscard]] bool holds(const LaunchFormulas::Condition &condition,
                           Values values, const KernelManifest &manifest) const;
  /// Why a guard does not hold; `text` is the manifest's.
  Status failureOf(const LaunchFormulas::Condition &condition,
                   const std::string &text, const LaunchFormulas &formulas,
                   Values values, const KernelManifest &manifest) const;
  Status checkGuards(const LaunchFormulas &formulas, Values values,
                     const KernelManifest &manifest) const;
  StatusOr<LaunchPlan> unnamedPlan(const LaunchFormulas &formulas,
                                   const KernelManifest &manifest) const;
  /// What the guard `aligned` is about.
  [[nodiscard]] int64_t addressOf(const Guard &guard) const {
    return static_cast<int64_t>(arguments[guard.argument].address & INT64_MAX);
  }

  std::span<const LaunchArgument> arguments;
  std::vector<Shape> strides;
  int64_t multiprocessors;
};
} // namespace

/// The value of the formula; the error is that of the expression behind it.
static StatusOr<int64_t> evaluate(const Formula &formula,
                                  const Expression &expression,
                                  const LaunchFormulas &formulas,
                                  std::span<const int64_t> values) {
  if (std::optional<int64_t> value = formula.evaluate(values))
    return *value;
  return expression.evaluate(
      [&](std::string_view name) -> std::optional<int64_t> {
        std::optional<uint32_t> position = formulas.positionOf(name);
        return position ? std::optional(values[*position]) : std::nullopt;
      });
}

std::optional<GivenArguments::Distance>
GivenArguments::distance(const Guard &guard,
                         const KernelManifest &manifest) const {
  unsigned lower = guard.argument, upper = guard.other;
  if (std::max(lower, upper) >= arguments.size())
    return std::nullopt;
  if (arguments[lower].address > arguments[upper].address)
    std::swap(lower, upper);
  const DType dtype = manifest.arguments[lower].dtype.value_or(DType::I8);
  return Distance{lower, upper,
                  arguments[upper].address - arguments[lower].address,
                  spanOf(arguments[lower], strides[lower], dtype)};
}

bool GivenArguments::holds(const LaunchFormulas::Condition &condition,
                           Values values,
                           const KernelManifest &manifest) const {
  const Guard &guard = condition.guard;
  if (guard.kind == Guard::Kind::disjoint) {
    const std::optional<Distance> views = distance(guard, manifest);
    // Two views of nothing share nothing, wherever they are.
    return views && (std::ranges::find(arguments[views->upper].dims, 0) !=
                         arguments[views->upper].dims.end() ||
                     (views->bytes && guard.holds(int64_t(views->apart),
                                                  int64_t(*views->bytes))));
  }
  std::optional<int64_t> lhs;
  if (guard.kind != Guard::Kind::aligned)
    lhs = condition.lhs.evaluate(values);
  else if (guard.argument < arguments.size())
    lhs = addressOf(guard);
  const std::optional<int64_t> rhs = condition.rhs.evaluate(values);
  return lhs && rhs && guard.holds(*lhs, *rhs);
}

Status GivenArguments::failureOf(const LaunchFormulas::Condition &condition,
                                 const std::string &text,
                                 const LaunchFormulas &formulas, Values values,
                                 const KernelManifest &manifest) const {
  const auto &[guard, left, right] = condition;
  const bool isDisjoint = guard.kind == Guard::Kind::disjoint;
  const bool isAligned = guard.kind == Guard::Kind::aligned;
  if ((isDisjoint && !distance(guard, manifest)) ||
      (isAligned && guard.argument >= arguments.size()))
    return Status::invalidInput(format("guard '{}': no such argument", {text}));
  if (isDisjoint) {
    const Distance views = *distance(guard, manifest);
    return Status::invalidInput(format(
        "guard '{}' does not hold: arg{} begins {} bytes after arg{}, "
        "which has {}",
        {text, views.upper, views.apart, views.lower,
         views.bytes ? format("{}", {*views.bytes}) : std::string("more")}));
  }
  int64_t lhs = isAligned ? addressOf(guard) : 0;
  if (!isAligned) {
    TILEWRIGHT_ASSIGN_OR_RETURN(lhs,
                                evaluate(left, guard.lhs, formulas, values));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t rhs,
                              evaluate(right, guard.rhs, formulas, values));
  return Status::invalidInput(
      format("guard '{}' does not hold: {} against {}", {text, lhs, rhs}));
}

bool GivenArguments::fit(const LaunchFormulas &formulas,
                         const KernelManifest &manifest) const {
  const auto values = formulas.valuesOf(arguments, strides, multiprocessors);
  return values && formulas.conditions().ok() &&
         std::ranges::all_of(*formulas.conditions(),
                             [&](const auto &condition) {
                               return condition.isAboutAddresses() ||
                                      holds(condition, *values, manifest);
                             });
}

bool GivenArguments::fitAddresses(const LaunchFormulas &formulas,
                                  const KernelManifest &manifest) const {
  if (!formulas.asksAddresses())
    return true;
  const auto values = formulas.valuesOf(arguments, strides, multiprocessors);
  return values && std::ranges::all_of(
                       *formulas.conditions(), [&](const auto &condition) {
                         return !condition.isAboutAddresses() ||
                                holds(condition, *values, manifest);
                       });
}

Status GivenArguments::checkGuards(const LaunchFormulas &formulas,
                                   Values values,
                                   const KernelManifest &manifest) const {
  TILEWRIGHT_RETURN_IF_ERROR(formulas.conditions().status());
  const std::string *text = manifest.guards.data();
  for (const LaunchFormulas::Condition &condition : *formulas.conditions()) {
    if (!holds(condition, values, manifest))
      return failureOf(condition, *text, formulas, values, manifest);
    ++text;
  }
  return {};
}

/// Checks the guards last: what they say makes sense of arguments that fit.
StatusOr<LaunchPlan>
GivenArguments::unnamedPlan(const LaunchFormulas &formulas,
                            const KernelManifest &manifest) const {
  if (arguments.size() != manifest.arguments.size())
    return Status::invalidInput(
        format("expected {} arguments, found {}",
               {manifest.arguments.size(), arguments.size()}));
  LaunchPlan result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Status packed = packArgument(manifest.arguments[i], arguments[i],
                                 strides[i], result.words);
    if (!packed.ok())
      return packed.prefixed(format("argument {}", {i}));
  }
  const auto values = formulas.valuesOf(arguments, strides, multiprocessors);
  assert(values && "packed arguments fit");
  for (size_t d = 0; d < manifest.grid.size() && d < 3; ++d) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        result.grid[d],
        evaluate(formulas.grid()[d], manifest.grid[d], formulas, *values));
  }
  TILEWRIGHT_RETURN_IF_ERROR(programCount(result.grid).status());
  if (manifest.workspace) {
    TILEWRIGHT_ASSIGN_OR_RETURN(result.workspace,
                                evaluate(*formulas.workspace(),
                                         manifest.workspace->bytes, formulas,
                                         *values));
    result.words.push_back(0);
  }
  TILEWRIGHT_RETURN_IF_ERROR(checkGuards(formulas, *values, manifest));
  return result;
}

StatusOr<LaunchPlan>
GivenArguments::plan(const LaunchFormulas &formulas,
                     const KernelManifest &manifest) const {
  StatusOr<LaunchPlan> result = unnamedPlan(formulas, manifest);
  if (!result.ok())
    return result.status().prefixed(format("kernel '{}'", {manifest.name}));
  return result;
}

StatusOr<LaunchPlan> planLaunch(const KernelManifest &manifest,
                                std::span<const LaunchArgument> arguments,
                                int64_t multiprocessors) {
  return GivenArguments(arguments, multiprocessors)
      .plan(LaunchFormulas(manifest), manifest);
}

StatusOr<LaunchPlan> planLaunch(const Kernel &kernel,
                                std::span<const LaunchArgument> arguments) {
  return GivenArguments(arguments, kernel.device().multiprocessors)
      .plan(kernel.formulas(), kernel.manifest());
}

/// The first variant whose guards hold, or else the last. `fits` says of which
/// those on sizes do.
static size_t chooseVariant(std::span<const std::shared_ptr<Kernel>> variants,
                            const GivenArguments &given,
                            const std::vector<bool> &fits) {
  for (size_t i = 0; i + 1 < variants.size(); ++i)
    if (fits[i] &&
        given.fitAddresses(variants[i]->formulas(), variants[i]->manifest()))
      return i;
  return variants.size() - 1;
}

StatusOr<VariantPlan>
planLaunch(std::span<const std::shared_ptr<Kernel>> variants,
           std::span<const LaunchArgument> arguments) {
  const GivenArguments given(arguments,
                             variants.front()->device().multiprocessors);
  VariantPlan result;
  for (const std::shared_ptr<Kernel> &variant : variants)
    result.fits.push_back(variant != variants.back() &&
                          given.fit(variant->formulas(), variant->manifest()));
  result.variant = chooseVariant(variants, given, result.fits);
  const Kernel &kernel = *variants[result.variant];
  TILEWRIGHT_ASSIGN_OR_RETURN(result.plan,
                              given.plan(kernel.formulas(), kernel.manifest()));
  return result;
}

Status changeAddresses(std::span<const std::shared_ptr<Kernel>> variants,
                       std::span<const LaunchArgument> arguments,
                       VariantPlan &launch) {
  const bool asks = std::ranges::any_of(variants, [](const auto &variant) {
    return variant->formulas().asksAddresses();
  });
  if (asks) {
    const GivenArguments given(arguments,
                               variants.front()->device().multiprocessors);
    const Kernel &kernel = *variants[launch.variant];
    if (chooseVariant(variants, given, launch.fits) != launch.variant ||
        !given.fitAddresses(kernel.formulas(), kernel.manifest())) {
      TILEWRIGHT_ASSIGN_OR_RETURN(launch, planLaunch(variants, arguments));
      return {};
    }
  }
  size_t word = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument &taken =
        variants[launch.variant]->manifest().arguments[i];
    if (!taken.isView()) {
      ++word;
      continue;
    }
    launch.plan.words[word] = arguments[i].address;
    word += 1 + taken.dims.size() + taken.strides.size();
  }
  return {};
}

/// Checks that the kernels of `stream` can access all memory.
static Status checkMemory(const Stream &stream, const KernelManifest &manifest,
                          std::span<const LaunchArgument> arguments) {
  const MemorySpace *reached = stream.space();
  for (size_t i = 0; reached && i < arguments.size(); ++i) {
    const MemorySpace *space = arguments[i].space;
    if (!space || space == reached)
      continue;
    bool isOther = space->device != reached->device;
    return Status::invalidInput(
        format("kernel '{}': argument {}: its memory is of {}'{}', the kernel "
               "runs on '{}'; copy it to that device first",
               {manifest.name, i, isOther ? "" : "another device ",
                space->device, reached->device}));
  }
  return {};
}

Status launch(Stream &stream, const Kernel &kernel, const LaunchPlan &plan) {
  if (!kernel.manifest().workspace)
    return stream.launch(kernel, plan.words, plan.grid);
  std::vector<uint64_t> words = plan.words;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      words.back(),
      stream.workspaces().provide(stream, kernel, plan.workspace));
  return stream.launch(kernel, words, plan.grid);
}

Status launch(Stream &stream, const Kernel &kernel,
              std::span<const LaunchArgument> arguments,
              const std::optional<Grid> &grid) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LaunchPlan plan, planLaunch(kernel, arguments));
  TILEWRIGHT_RETURN_IF_ERROR(checkMemory(stream, kernel.manifest(), arguments));
  plan.grid = grid.value_or(plan.grid);
  return launch(stream, kernel, plan);
}

} // namespace tilewright::runtime

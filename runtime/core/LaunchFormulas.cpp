#include "runtime/core/LaunchFormulas.h"
#include <charconv>

namespace tilewright::runtime {

LaunchFormulas::LaunchFormulas(const KernelManifest &manifest)
    : guards(std::vector<Condition>()) {
  for (const KernelArgument &argument : manifest.arguments) {
    const auto rank = static_cast<uint32_t>(argument.rank);
    arguments.push_back({valueCount, argument.isView(), rank});
    valueCount += argument.isView() ? 2 * rank : 1;
  }
  auto positions = [this](std::string_view name) { return positionOf(name); };
  for (const Expression &size : manifest.grid)
    sizes.emplace_back(size, positions);
  if (manifest.workspace)
    bytes.emplace(manifest.workspace->bytes, positions);
  StatusOr<std::vector<Guard>> parsed = parseGuards(manifest);
  if (!parsed.ok()) {
    guards = parsed.status();
    return;
  }
  for (Guard &guard : *parsed) {
    Formula lhs(guard.lhs, positions), rhs(guard.rhs, positions);
    guards->push_back({std::move(guard), std::move(lhs), std::move(rhs)});
  }
}

/// Reads digits at the beginning of `text` and takes them off it.
static std::optional<size_t> takeNumber(std::string_view &text) {
  size_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

static bool take(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<uint32_t>
LaunchFormulas::positionOf(std::string_view name) const {
  if (name == multiprocessorsName)
    return 0;
  if (!take(name, "arg"))
    return std::nullopt;
  const std::optional<size_t> index = takeNumber(name);
  if (!index || *index >= arguments.size())
    return std::nullopt;
  const Argument &argument = arguments[*index];
  if (!argument.isView)
    return name.empty() ? std::optional(argument.first) : std::nullopt;
  const bool isDim = take(name, ".dim");
  if (!isDim && !take(name, ".stride"))
    return std::nullopt;
  const std::optional<size_t> dim = takeNumber(name);
  if (!dim || !name.empty() || *dim >= argument.rank)
    return std::nullopt;
  return argument.first + (isDim ? 0 : argument.rank) +
         static_cast<uint32_t>(*dim);
}

std::optional<std::vector<int64_t>>
LaunchFormulas::valuesOf(std::span<const LaunchArgument> given,
                         std::span<const Shape> strides,
                         int64_t multiprocessors) const {
  if (given.size() != arguments.size())
    return std::nullopt;
  std::vector<int64_t> values;
  values.reserve(valueCount);
  values.push_back(multiprocessors);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].isView != arguments[i].isView)
      return std::nullopt;
    if (!given[i].isView) {
      values.push_back(static_cast<int64_t>(given[i].word));
      continue;
    }
    for (const Shape *sizes : {&given[i].dims, &strides[i]}) {
      if (sizes->size() != arguments[i].rank)
        return std::nullopt;
      values.insert(values.end(), sizes->begin(), sizes->end());
    }
  }
  return values;
}

} // namespace tilewright::runtime

#include "runtime/core/LaunchFormulas.h"
#include "runtime/abi/NumberedNames.h"

namespace tilewright::runtime {

LaunchFormulas::LaunchFormulas(const KernelManifest &manifest)
    : guards(std::vector<Condition>()) {
  for (const KernelArgument &argument : manifest.arguments) {
    const auto rank = static_cast<uint32_t>(argument.rank);
    arguments.push_back({valueCount, argument.isView(), rank});
    valueCount += argument.isView() ? 2 * rank : 1;
  }
  auto positions = [this](std::string_view name) {
    hasScalars |= name.find('.') == std::string_view::npos;
    return positionOf(name);
  };
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
    hasAddressGuards |= guards->back().isAboutAddresses();
  }
}

std::optional<uint32_t>
LaunchFormulas::positionOf(std::string_view name) const {
  if (name == multiprocessorsName)
    return 0;
  const size_t dot = name.find('.');
  const std::optional<unsigned> index = indexAfter(
      name.substr(0, dot), "arg", static_cast<unsigned>(arguments.size()));
  if (!index)
    return std::nullopt;
  const auto &[first, isView, rank] = arguments[*index];
  if (isView == (dot == std::string_view::npos))
    return std::nullopt;
  if (!isView)
    return first;
  const std::string_view size = name.substr(dot + 1);
  if (std::optional<unsigned> dim = indexAfter(size, "dim", rank))
    return first + *dim;
  if (std::optional<unsigned> dim = indexAfter(size, "stride", rank))
    return first + rank + *dim;
  return std::nullopt;
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

#include "frontends/torch/program/Schemas.h"

#include <algorithm>
#include <charconv>

namespace tilewright::torch {
namespace {

struct SchemaRow {
  std::string_view target, parameters;
};

/// Sorted by target.
constexpr SchemaRow schemas[] = {
#define TILEWRIGHT_SCHEMA(TARGET, PARAMETERS) {TARGET, PARAMETERS},
#include "frontends/torch/program/Schemas.inc"
#undef TILEWRIGHT_SCHEMA
};

/// Text up to a separator, which is removed with it.
std::string_view takeUntil(std::string_view &text, char separator) {
  size_t end = std::min(text.find(separator), text.size());
  std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// A default as native_functions.yaml writes it.
Argument parseDefault(std::string_view text) {
  if (text == "None")
    return {};
  if (text == "True" || text == "False")
    return {text == "True"};
  if (text == "contiguous_format")
    return {MemoryFormat::Contiguous};
  if (text == "long")
    return {DType::Int64};
  // at::Reduction.
  if (text == "Mean")
    return {int64_t(1)};
  if (text.starts_with("'"))
    return {std::string(text.substr(1, text.size() - 2))};
  if (text.starts_with("[")) {
    Argument::List list;
    std::string_view inner = text.substr(1, text.size() - 2);
    while (!inner.empty())
      list.push_back(parseDefault(takeUntil(inner, ',')));
    return {std::move(list)};
  }
  const char *end = text.data() + text.size();
  int64_t integer;
  if (std::from_chars(text.data(), end, integer).ptr == end)
    return {integer};
  double real = 0;
  std::from_chars(text.data(), end, real);
  return {real};
}

} // namespace

std::vector<Parameter> parametersOf(std::string_view target) {
  const auto *row = std::lower_bound(
      std::begin(schemas), std::end(schemas), target,
      [](const SchemaRow &row, std::string_view t) { return row.target < t; });
  std::vector<Parameter> result;
  if (row == std::end(schemas) || row->target != target)
    return result;
  std::string_view rest = row->parameters;
  while (!rest.empty()) {
    std::string_view otherwise = takeUntil(rest, ' ');
    std::string_view name = takeUntil(otherwise, '=');
    Parameter &parameter = result.emplace_back(Parameter{name, std::nullopt});
    if (!otherwise.empty())
      parameter.otherwise = parseDefault(otherwise);
  }
  return result;
}

} // namespace tilewright::torch

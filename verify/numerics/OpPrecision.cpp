#include "verify/numerics/OpPrecision.h"

#include <algorithm>

namespace tilewright::verify {

namespace {
struct Row {
  OpPrecision precision;
  std::string_view name;
  MatrixArithmetic arithmetic;
};
} // namespace

static const std::vector<Row> &table() {
  using enum OpPrecision;
  static const std::vector<Row> rows = {
      {tf32, "tf32", {{{0, 0}}, 0xffffe000, 4}},
      {tf32x3, "tf32x3", {{{0, 0}, {0, 1}, {1, 0}}, 0xffffe000, 4}},
      {bf16x3, "bf16x3", {{{0, 0}, {0, 1}, {1, 0}}, 0xffff0000, 8}},
      {bf16x6,
       "bf16x6",
       {{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 1}, {2, 0}}, 0xffff0000, 8}},
      {bf16, "bf16", {{{0, 0}}, 0, 8}},
      {f16, "f16", {{{0, 0}}, 0, 8}},
  };
  return rows;
}

static const Row &rowOf(OpPrecision precision) {
  return *std::ranges::find(table(), precision, &Row::precision);
}

std::string_view opPrecisionName(OpPrecision precision) {
  return rowOf(precision).name;
}

std::optional<OpPrecision> findOpPrecision(std::string_view name) {
  auto found = std::ranges::find(table(), name, &Row::name);
  if (found == table().end())
    return std::nullopt;
  return found->precision;
}

bool isNarrowType(OpPrecision precision) {
  return precision == OpPrecision::bf16 || precision == OpPrecision::f16;
}

const MatrixArithmetic &matrixArithmetic(OpPrecision precision) {
  return rowOf(precision).arithmetic;
}

} // namespace tilewright::verify

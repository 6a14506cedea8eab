//===- NumericsReport.cpp - Errors as text and JSON -----------------------===//
#include "tools/tilewright/NumericsReport.h"

#include "support/Format.h"
#include "tools/tilewright/Report.h"

#include <algorithm>

namespace tilewright::tool {

using verify::Greatest;
using verify::OpRanking;
using verify::RankedOp;
using Json = nlohmann::ordered_json;

Json toJson(const Greatest &greatest) {
  Json object = {{"error", greatest.value}};
  if (!greatest.index.empty())
    object["index"] = greatest.index;
  return object;
}

std::string textOf(const Greatest &greatest, const char *unit) {
  char number[32];
  std::snprintf(number, sizeof(number), "%.3g%s", greatest.value, unit);
  if (greatest.index.empty())
    return number;
  return number + (" at " + runtime::printShape(greatest.index));
}

//===--- Ops --------------------------------------------------------------===//

/// Those that add something to an output, the greatest errors first.
static std::vector<const RankedOp *> opsOf(const OpRanking &ranking,
                                           size_t output) {
  std::vector<const RankedOp *> ops;
  for (const RankedOp &op : ranking.ops)
    if (op.alone[output].value > 0)
      ops.push_back(&op);
  std::ranges::stable_sort(ops, [&](const RankedOp *a, const RankedOp *b) {
    return a->alone[output].value > b->alone[output].value;
  });
  return ops;
}

static Json toJson(const RankedOp &op, size_t output) {
  Json object = {{"op", op.name},
                 {"kind", op.op},
                 {"alone", toJson(op.alone[output])},
                 {"share", op.shares[output]}};
  if (!op.without.empty())
    object["without"] = toJson(op.without[output]);
  if (!op.failure.empty())
    object["failure"] = op.failure;
  return object;
}

/// The name of the op with this number among all.
static std::string nameOf(const OpRanking &ranking, size_t number) {
  auto found = std::ranges::find(ranking.ops, number, &RankedOp::number);
  return found == ranking.ops.end() ? "op " + std::to_string(number)
                                    : found->name;
}

static Json toJson(const verify::KeptOps &kept, const OpRanking &ranking) {
  Json object = {{"error", kept.mostError},
                 {"reached", kept.isReached},
                 {"late", kept.isLate},
                 {"ops", Json::array()},
                 {"outputs", Json::array()}};
  for (const size_t number : kept.ops)
    object["ops"].push_back(nameOf(ranking, number));
  for (size_t i = 0; i < kept.errors.size(); ++i)
    object["outputs"].push_back(
        {{"output", ranking.outputs[i]}, {"absolute", toJson(kept.errors[i])}});
  return object;
}

Json toJson(const OpRanking &ranking, verify::OpPrecision precision) {
  Json object = {{"precision", verify::opPrecisionName(precision)},
                 {"count", ranking.count},
                 {"unknown", ranking.unknown},
                 {"outputs", Json::array()}};
  for (size_t i = 0; i < ranking.none.size(); ++i) {
    Json output = {{"output", ranking.outputs[i]},
                   {"all", toJson(ranking.all[i])},
                   {"none", toJson(ranking.none[i])},
                   {"ops", Json::array()}};
    for (const RankedOp *op : opsOf(ranking, i))
      output["ops"].push_back(toJson(*op, i));
    object["outputs"].push_back(output);
  }
  if (ranking.kept)
    object["kept"] = toJson(*ranking.kept, ranking);
  return object;
}

/// "  98 %  MatMul_3 (linalg.matmul): 3e-04 at [2] alone, without it 1e-05".
static std::string lineOf(const RankedOp &op, size_t output) {
  char share[32];
  std::snprintf(share, sizeof(share), "  %3.0f %%  ", op.shares[output] * 100);
  std::string line = share + printable(op.name) + " (" + op.op +
                     "): " + textOf(op.alone[output], "") + " alone";
  if (!op.failure.empty())
    return line + ": " + printable(op.failure);
  if (!op.without.empty())
    line += ", without it " + textOf(op.without[output], "");
  return line;
}

/// "at most 0.001 with 1 of 2 ops in f32, found greedily: y 0.00073 at [0]",
/// and a line for each op.
static void print(const verify::KeptOps &kept, const OpRanking &ranking) {
  const std::string most = textOf(Greatest{kept.mostError, {}}, "");
  if (!kept.isReached) {
    std::printf("f32 has greater errors than %s\n", most.c_str());
    return;
  }
  std::string errors;
  for (size_t i = 0; i < kept.errors.size(); ++i)
    errors += (i == 0 ? "" : ", ") + printable(ranking.outputs[i]) + " " +
              textOf(kept.errors[i], "");
  std::printf("at most %s with %zu of %zu ops in f32, found greedily%s: %s\n",
              most.c_str(), kept.ops.size(), ranking.count,
              kept.isLate ? " until --time-limit" : "", errors.c_str());
  for (const size_t number : kept.ops)
    std::printf("  %s\n", printable(nameOf(ranking, number)).c_str());
}

void printRanking(const OpRanking &ranking, verify::OpPrecision precision) {
  constexpr size_t most = 10;
  const std::string name(verify::opPrecisionName(precision));
  if (ranking.count == 0) {
    std::printf("%s changes no op of the model\n", name.c_str());
    return;
  }
  for (size_t i = 0; i < ranking.none.size(); ++i) {
    std::printf("%s: %zu ops in %s: greatest error %s, in f32 %s\n",
                printable(ranking.outputs[i]).c_str(), ranking.count,
                name.c_str(), textOf(ranking.all[i], "").c_str(),
                textOf(ranking.none[i], "").c_str());
    const std::vector<const RankedOp *> ops = opsOf(ranking, i);
    for (size_t n = 0; n < std::min(most, ops.size()); ++n)
      std::printf("%s\n", lineOf(*ops[n], i).c_str());
    if (ops.size() > most)
      std::printf("  and %zu more\n", ops.size() - most);
  }
  if (ranking.unknown > 0)
    std::printf("%zu of %zu ops are not ranked: give --time-limit for more\n",
                ranking.unknown, ranking.count);
  if (ranking.kept)
    print(*ranking.kept, ranking);
}

} // namespace tilewright::tool

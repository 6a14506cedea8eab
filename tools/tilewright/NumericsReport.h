//===- NumericsReport.h - Errors as text and JSON ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_NUMERICSREPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_NUMERICSREPORT_H

#include "verify/numerics/Numerics.h"
#include <nlohmann/json.hpp>

namespace tilewright::tool {

/// What JSON has no number for is null: an error that is infinite.
[[nodiscard]] nlohmann::ordered_json toJson(const verify::Greatest &greatest);
/// "3.1e-07 at [2, 3]".
[[nodiscard]] std::string textOf(const verify::Greatest &greatest,
                                 const char *unit);

/// What the ops of a model add to the errors of its outputs.
[[nodiscard]] nlohmann::ordered_json toJson(const verify::OpRanking &ranking,
                                            verify::OpPrecision precision);
/// The same on standard output, with the ops that add most.
void printRanking(const verify::OpRanking &ranking,
                  verify::OpPrecision precision);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_NUMERICSREPORT_H

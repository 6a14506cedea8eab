// What is known of a size for all values of the symbols.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZEBOUNDS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZEBOUNDS_H

#include "graph/analysis/Sizes.h"

namespace tilewright::graph {

/// A bound over all values of the symbols, if there is one.
std::optional<int64_t> lowerBound(Sizes &sizes, Expr a);
std::optional<int64_t> upperBound(Sizes &sizes, Expr a);
/// The same where no dynamic dimension is 0.
std::optional<int64_t> lowerBoundUnlessEmpty(Sizes &sizes, Expr a);
/// The value, if it is the same for all nonzero dynamic dimensions.
std::optional<int64_t> constantUnlessEmpty(Sizes &sizes, Expr a);
/// Whether a < b or a == b, if it is the same for all values.
std::optional<bool> less(Sizes &sizes, Expr a, Expr b);
std::optional<bool> equal(Sizes &sizes, Expr a, Expr b);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZEBOUNDS_H

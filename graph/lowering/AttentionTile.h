//===- AttentionTile.h - The tile of an attention ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_ATTENTIONTILE_H
#define TILEWRIGHT_GRAPH_LOWERING_ATTENTIONTILE_H

#include "graph/lowering/TileSizes.h"

namespace tilewright::graph {

/// Queries along dimension `rows` of the result, and whole heads along
/// `columns`: the scores of a block of keys and the results of a program stay
/// in registers. Programs have twice as many queries, and so read keys and
/// values half as often, where there are more programs than multiprocessors of
/// any of the units and heads are narrow; half as many where shared memory
/// would hold no block of keys beside them.
void chooseAttentionTile(const AttentionMatch &attention,
                         llvm::ArrayRef<int64_t> sizes, unsigned rows,
                         unsigned columns, llvm::ArrayRef<MatrixUnit> units,
                         llvm::MutableArrayRef<int64_t> tile);

/// A block of keys, whose scores are one product, for a program of `queries`.
void chooseAttentionSteps(const AttentionMatch &attention, int64_t queries,
                          llvm::ArrayRef<MatrixUnit> units, TileSizes &sizes);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_ATTENTIONTILE_H

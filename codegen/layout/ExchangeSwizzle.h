//===- ExchangeSwizzle.h - The order of offsets in an exchange --*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_EXCHANGESWIZZLE_H
#define TILEWRIGHT_CODEGEN_LAYOUT_EXCHANGESWIZZLE_H

#include "codegen/layout/Refine.h"

namespace tilewright::layout {

/// One side of an exchange through shared memory: what its registers, its
/// threads and the lanes of a phase move by.
struct ExchangeSide {
  const Refined &refined;
  Subspace registers, threads;
  ExchangeSide(const Refined &refined, unsigned localThreadBits)
      : refined(refined), registers(refined.itemMap().image()),
        threads(
            refined.map.restrict(refined.itemBits, localThreadBits).image()) {}
  /// What the lanes of one phase move by, when each moves `bytes`.
  [[nodiscard]] Subspace lanes(unsigned bytes, unsigned laneBits) const;
};

/// What an exchange is planned for.
struct ExchangeSizes {
  unsigned elementBytes = 4, laneBits = 5;
  /// Log2 of the elements of the widest access.
  unsigned limit = 2;
  /// Log2 of the elements of one bank's word.
  [[nodiscard]] unsigned word() const;
};

/// The vectors of coordinates that the bits of an offset move by, lowest first:
/// a basis of `space`. `wide` is the side whose registers alone may extend the
/// part that both sides vectorize; null: none.
[[nodiscard]] std::vector<Bits> chooseSwizzle(const ExchangeSide &store,
                                              const ExchangeSide &load,
                                              const ExchangeSide *wide,
                                              const ExchangeSizes &sizes,
                                              const Subspace &space);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_EXCHANGESWIZZLE_H

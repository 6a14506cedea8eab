//===- LayoutPrices.h - What a choice of layouts costs ----------*- C++ -*-===//
//
// Prices of candidates, and of conversions between them, of one block in one
// launch: what a loop does is multiplied by its iterations.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPRICES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPRICES_H

#include "codegen/layout/Price.h"
#include "codegen/transforms/LayoutClasses.h"
#include <map>

namespace tilewright::tilegpu {

/// How often an op is executed, about: the product of the iterations of the
/// loops around it, 16 for those that are not known.
int64_t frequencyOf(mlir::Operation *op);

/// The outermost loop around `user` that `tile` is defined outside of: before
/// it `tile` is converted. Null where there is none.
mlir::Operation *hoistedBefore(mlir::Value tile, mlir::Operation *user);

/// Of a reduction whose operands have a layout, once: in registers, then by
/// shuffles; where several warps share fibers, their parts meet in shared
/// memory and are combined again.
layout::Price priceOfReduction(tile::CombiningOpInterface op,
                               const layout::Layout &layout);

/// The tile before conversions.
mlir::Value beforeConversions(mlir::Value tile);

/// Whether an op only computes its result, a tile, from others element by
/// element, or repeats one.
bool isMadeOfOperands(mlir::Operation *op);

class LayoutPrices {
public:
  using Id = LayoutTable::Id;
  LayoutPrices(LayoutClasses &classes, unsigned vectorBits)
      : classes(classes), vectorBits(vectorBits) {}

  /// Of what a class's op does itself, with a candidate.
  layout::Price ofCandidate(unsigned index, unsigned candidate);
  /// Of the conversion of an input of a class, where it has layout `held` and
  /// the class a candidate.
  layout::Price ofInput(mlir::OpOperand &input, Id held, unsigned index,
                        unsigned candidate);

  /// Whether a tile is made again with a layout where it is used with that:
  /// because this costs less than the conversion from `held`.
  bool isMadeAgain(mlir::Value tile, Id held, Id wanted) {
    return ofCheaperMaking(tile, held, wanted).has_value();
  }

private:
  layout::Price ofConversion(Id from, Id to, mlir::RankedTensorType tile);
  std::optional<layout::Price> ofCheaperMaking(mlir::Value tile, Id held,
                                               Id wanted);
  std::optional<layout::Price>
  ofMakingAgain(mlir::Value tile, const layout::Layout &layout, unsigned depth);
  layout::Price throughMemory(mlir::RankedTensorType tile, int64_t warps);
  layout::Price ofAccess(tile::ViewAccessOpInterface op,
                         const layout::Layout &layout);
  layout::Price ofAccess(tile::PointerAccessOpInterface op,
                         const layout::Layout &layout);

  LayoutClasses &classes;
  unsigned vectorBits;
  std::map<std::tuple<Id, Id, unsigned>, layout::Price> conversions;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPRICES_H

//===- LayoutAssignment.h - The cheapest layouts of a kernel ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTASSIGNMENT_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTASSIGNMENT_H

#include "codegen/transforms/LayoutPrices.h"
#include "codegen/transforms/Pbqp.h"

namespace tilewright::tilegpu {

/// Chooses a candidate for each class, so that ops and conversions cost least
/// in all. Classes whose cheapest candidates meet without conversions need no
/// search.
class LayoutAssignment {
public:
  using Id = LayoutTable::Id;
  /// Each class must have a candidate.
  LayoutAssignment(LayoutClasses &classes, LayoutPrices &prices);

  /// The candidate of a class.
  unsigned candidateOf(unsigned index) const { return chosen[index]; }
  /// The layout of a tile of a class.
  Id layoutOf(unsigned index) const {
    return classes.classes()[index].produced[chosen[index]];
  }
  /// Whether nothing cheaper is possible with these candidates and prices.
  bool isExact() const { return exact; }

  /// The whole problem, with all classes as nodes.
  Pbqp problem();
  /// For people: the layout of each class and its price, the conversions that
  /// are left, and what the best other candidate would add. One line each.
  std::string explain();

private:
  bool meet(unsigned index, mlir::OpOperand &input);
  std::vector<std::vector<unsigned>> components();
  void addEdges(Pbqp &pbqp, unsigned index,
                llvm::function_ref<unsigned(unsigned)> nodeOf);
  std::vector<int64_t> costsOf(unsigned index);
  void solve(llvm::ArrayRef<unsigned> component);

  LayoutClasses &classes;
  LayoutPrices &prices;
  std::vector<unsigned> chosen;
  bool exact = true;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTASSIGNMENT_H

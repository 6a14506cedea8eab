//===- Aliasing.cpp - Which accesses never meet ---------------------------===//
#include "codegen/nvptx/Aliasing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/analysis/ArgumentAccesses.h"

using namespace mlir;

namespace tilewright::nvptx {

/// By number, the arguments that share nothing with each.
static SmallVector<llvm::SmallBitVector> disjointArguments(tile::KernelOp op) {
  const unsigned count = op.getNumArguments();
  SmallVector<llvm::SmallBitVector> disjoint(count,
                                             llvm::SmallBitVector(count));
  for (unsigned argument = 0; argument < count; ++argument)
    if (auto others = op.getArgAttrOfType<DenseI64ArrayAttr>(
            argument, tile::TileDialect::kDisjointAttr))
      for (int64_t other : others.asArrayRef()) {
        disjoint[argument].set(unsigned(other));
        disjoint[other].set(argument);
      }
  return disjoint;
}

Aliasing::Aliasing(tile::KernelOp kernel) : kernel(kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<llvm::SmallBitVector> disjoint = disjointArguments(kernel);
  facts.resize(disjoint.size());
  if (llvm::none_of(disjoint, [](const auto &each) { return each.any(); }))
    return;
  const tile::ArgumentAccesses accesses(kernel);
  // By name, so that the same kernel has the same code each time.
  Builder b(context);
  auto domain = LLVM::AliasScopeDomainAttr::get(
      context, b.getStringAttr("arguments"), StringAttr());
  SmallVector<Attribute> scopes;
  for (unsigned argument = 0; argument < disjoint.size(); ++argument)
    scopes.push_back(LLVM::AliasScopeAttr::get(
        context, b.getStringAttr("arg" + Twine(argument)), domain,
        StringAttr()));
  for (auto [argument, others] : llvm::enumerate(disjoint)) {
    if (others.none())
      continue;
    SmallVector<Attribute> names;
    for (unsigned other : others.set_bits())
      names.push_back(scopes[other]);
    llvm::SmallBitVector met = accesses.written;
    met.reset(others);
    facts[argument] = {b.getArrayAttr(scopes[argument]), b.getArrayAttr(names),
                       met.none() && !accesses.hasOtherWrites};
  }
}

AliasFacts Aliasing::of(Value view) const {
  std::optional<unsigned> argument = tile::argumentOf(kernel, view);
  return argument ? facts[*argument] : AliasFacts();
}

} // namespace tilewright::nvptx

//===- AddVariants.cpp - Kernels for launches that allow faster code ------===//
#include "codegen/transforms/ElementOrder.h"
#include "codegen/transforms/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tileir/analysis/ArgumentAccesses.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_ADDVARIANTS
#include "codegen/transforms/Passes.h.inc"

/// Elements of the widest access.
static int64_t widestElements(tile::ViewType view) {
  int64_t bits =
      std::max<int64_t>(tile::getStorageBits(view.getElementType()), 8);
  return std::max<int64_t>(kWidestAccess * 8 / bits, 1);
}

/// The multiples that an argument's attribute already assumes; else ones.
static SmallVector<int64_t> assumed(tile::KernelOp kernel, unsigned argument,
                                    StringRef name, int64_t rank) {
  auto known = kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument, name);
  return known ? SmallVector<int64_t>(known.asArrayRef())
               : SmallVector<int64_t>(rank, 1);
}

static void assume(tile::KernelOp kernel, unsigned argument, StringRef name,
                   ArrayRef<int64_t> known, ArrayRef<bool> isOpen,
                   int64_t multiple) {
  SmallVector<int64_t> wanted(known);
  for (auto [divisor, open] : llvm::zip(wanted, isOpen))
    if (open)
      divisor = std::lcm(divisor, multiple);
  if (wanted != known)
    kernel.setArgAttr(argument, name,
                      DenseI64ArrayAttr::get(kernel.getContext(), wanted));
}

/// Assumes of each view that its rows, where their size is open, and its open
/// strides are multiples of the widest access.
static void assumeWideRows(tile::KernelOp kernel) {
  using Tile = tile::TileDialect;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view || view.getRank() == 0)
      continue;
    int64_t rank = view.getRank();
    SmallVector<bool> isOpenRow(rank, false), isOpenStride(rank, false);
    isOpenRow.back() = ShapedType::isDynamic(view.getShape().back());
    if (view.hasExplicitStrides())
      for (auto [open, stride] : llvm::zip(isOpenStride, view.getStrides()))
        open = ShapedType::isDynamic(stride);
    int64_t multiple = widestElements(view);
    for (auto [name, isOpen] : {std::pair(Tile::kDimDivisibleAttr, isOpenRow),
                                {Tile::kStrideDivisibleAttr, isOpenStride}})
      assume(kernel, i, name, assumed(kernel, i, name, rank), isOpen, multiple);
  }
}

/// Neighbours in memory that each access of an aligned view may move at once.
static SmallVector<int64_t> widths(tile::KernelOp kernel) {
  SmallVector<int64_t> result;
  kernel.walk([&](tile::ViewAccessOpInterface op) {
    result.push_back(elementOrder(op).contiguous);
  });
  return result;
}

/// The arguments that a loop loads from and that the kernel does not write,
/// where the loop writes others: loads of a turn could overtake the writes of
/// the one before.
static llvm::SmallBitVector readWhileWriting(tile::KernelOp kernel) {
  const tile::ArgumentAccesses accesses(kernel);
  llvm::SmallBitVector found(kernel.getNumArguments());
  if (accesses.hasOtherWrites)
    return found;
  kernel.walk([&](LoopLikeOpInterface loop) {
    llvm::SmallBitVector read(found.size());
    bool writes = false;
    loop.walk([&](tile::ViewAccessOpInterface op) {
      std::optional<unsigned> argument = tile::argumentOf(kernel, op.getView());
      if (argument && accesses.written.test(*argument))
        writes = true;
      else if (argument)
        read.set(*argument);
    });
    if (writes)
      found |= read;
  });
  return found;
}

/// Assumes that `read` are disjoint from all arguments that are written.
static void assumeDisjoint(tile::KernelOp kernel,
                           const llvm::SmallBitVector &read) {
  SmallVector<int64_t> written;
  for (unsigned argument : tile::ArgumentAccesses(kernel).written.set_bits())
    written.push_back(argument);
  for (unsigned argument : read.set_bits())
    kernel.setArgAttr(argument, tile::TileDialect::kDisjointAttr,
                      DenseI64ArrayAttr::get(kernel.getContext(), written));
}

static tile::KernelOp kernelOf(ModuleOp code) {
  return *code.getOps<tile::KernelOp>().begin();
}

/// Whether an access is wider where rows are multiples of the widest one.
static bool isWiderForWideRows(ModuleOp module) {
  OwningOpRef<ModuleOp> aligned = module.clone();
  tile::KernelOp kernel = kernelOf(*aligned);
  assumeAlignment(kernel);
  SmallVector<int64_t> before = widths(kernel);
  assumeWideRows(kernel);
  return widths(kernel) != before;
}

namespace {
struct AddVariants : impl::AddVariantsBase<AddVariants> {
  /// Null where no assumption would help.
  static ModuleOp variantOf(ModuleOp module) {
    const bool isWide = isWiderForWideRows(module);
    const llvm::SmallBitVector read = readWhileWriting(kernelOf(module));
    if (!isWide && read.none())
      return {};
    const StringRef name = isWide ? "wide" : "disjoint";
    ModuleOp variant = module.clone();
    variant.setSymName((module.getSymName().value_or("") + "." + name).str());
    tile::KernelOp kernel = kernelOf(variant);
    if (isWide)
      assumeWideRows(kernel);
    assumeDisjoint(kernel, read);
    kernel->setAttr(tile::TileDialect::kVariantAttr,
                    StringAttr::get(kernel.getContext(), name));
    return variant;
  }

  void runOnOperation() override {
    Block &code = getOperation()->getRegion(0).front();
    for (ModuleOp module : llvm::make_early_inc_range(code.getOps<ModuleOp>()))
      if (ModuleOp variant = variantOf(module)) {
        module->getBlock()->getOperations().insert(module->getIterator(),
                                                   variant);
        ++variantCount;
      }
  }
};
} // namespace

} // namespace tilewright::tilegpu

//===- AddVariants.cpp - Kernels for sizes that allow wide accesses -------===//
#include "codegen/transforms/MemoryOrder.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::gpu {

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
    result.push_back(memoryOrder(op).contiguous);
  });
  return result;
}

namespace {
struct AddVariants : impl::AddVariantsBase<AddVariants> {
  /// Null where no access would be wider.
  static ModuleOp wideVariant(ModuleOp module) {
    auto kernelOf = [](ModuleOp code) {
      return *code.getOps<tile::KernelOp>().begin();
    };
    OwningOpRef<ModuleOp> aligned = module.clone();
    assumeAlignment(kernelOf(*aligned));
    SmallVector<int64_t> before = widths(kernelOf(*aligned));
    assumeWideRows(kernelOf(*aligned));
    if (widths(kernelOf(*aligned)) == before)
      return {};
    ModuleOp variant = module.clone();
    variant.setSymName((module.getSymName().value_or("") + ".wide").str());
    tile::KernelOp kernel = kernelOf(variant);
    assumeWideRows(kernel);
    kernel->setAttr(tile::TileDialect::kVariantAttr,
                    StringAttr::get(kernel.getContext(), "wide"));
    return variant;
  }

  void runOnOperation() override {
    Block &code = getOperation()->getRegion(0).front();
    for (ModuleOp module : llvm::make_early_inc_range(code.getOps<ModuleOp>()))
      if (ModuleOp variant = wideVariant(module)) {
        module->getBlock()->getOperations().insert(module->getIterator(),
                                                   variant);
        ++variantCount;
      }
  }
};
} // namespace

} // namespace tilewright::gpu

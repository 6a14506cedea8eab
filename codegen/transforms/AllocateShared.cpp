//===- AllocateShared.cpp - Places tiles in shared memory -----------------===//
#include "codegen/tilegpu/Rings.h"
#include "codegen/transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "codegen/transforms/Passes.h.inc"

namespace {
/// A tile in shared memory: from its first to its last access, in program
/// order.
struct Tenant {
  tilegpu::AllocOp op;
  int64_t bytes = 0, first = 0, last = 0, offset = 0;

  bool meets(const Tenant &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override;
};
} // namespace

/// Vectors of 16 bytes, and swizzles of 128 bytes a row.
static constexpr int64_t alignment = 1024, smallAlignment = 16;

static int64_t alignmentOf(const Tenant &tenant) {
  return tenant.bytes >= alignment ? alignment : smallAlignment;
}

/// The tiles and their live ranges. An access in a region extends to the end of
/// the enclosing op in the allocation's block.
static SmallVector<Tenant> tenantsOf(tile::KernelOp kernel) {
  DenseMap<Operation *, int64_t> begin, end;
  int64_t position = 0;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { begin[op] = position++; });
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t last = begin[op];
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        last = std::max(last, end[&inner]);
    end[op] = last;
  });
  SmallVector<Tenant> tenants;
  kernel.walk([&](tilegpu::AllocOp op) {
    Tenant tenant{op, op.getType().getBytes(), begin[op], begin[op], 0};
    for (Operation *user : usersOf(op)) {
      Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
      tenant.last = std::max(tenant.last, end[beside]);
    }
    tenants.push_back(tenant);
  });
  return tenants;
}

/// Bytes that a block can have without a multiprocessor holding fewer blocks of
/// it: on each target there are 2 KiB for each warp that it can hold, and each
/// block is charged 1 KiB (CUDA C++ Programming Guide, "Compute Capabilities").
static int64_t freeBytes(tile::KernelOp kernel) {
  auto warps =
      kernel->getAttrOfType<IntegerAttr>(tilegpu::TileGpuDialect::kWarpsAttr);
  return warps ? std::max<int64_t>(warps.getInt() * 2048 - 1024, 0) : 0;
}

/// The lowest offset that is free while `tenant` is alive or, if not `reuses`,
/// always.
static int64_t place(const Tenant &tenant, ArrayRef<Tenant> placed,
                     bool reuses) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (const Tenant &other : placed)
    if (!reuses || other.meets(tenant))
      taken.push_back({other.offset, other.offset + other.bytes});
  llvm::sort(taken);
  int64_t offset = 0;
  for (auto [from, to] : taken) {
    if (offset + tenant.bytes <= from)
      break;
    offset = std::max<int64_t>(offset, llvm::alignTo(to, alignmentOf(tenant)));
  }
  return offset;
}

void AllocateShared::runOnOperation() {
  SmallVector<Tenant> tenants = tenantsOf(getOperation());
  // The largest first; equal ones in program order.
  SmallVector<std::pair<int64_t, unsigned>> order;
  for (auto [i, tenant] : llvm::enumerate(tenants))
    order.push_back({-tenant.bytes, i});
  llvm::sort(order);
  SmallVector<Tenant> placed;
  Builder builder(&getContext());
  const int64_t free = freeBytes(getOperation());
  int64_t bytes = 0;
  for (auto [size, i] : order) {
    Tenant tenant = tenants[i];
    // Memory that is used again needs a barrier; more of it costs nothing, up
    // to a point.
    tenant.offset = place(tenant, placed, /*reuses=*/false);
    if (tenant.offset + tenant.bytes > free)
      tenant.offset = place(tenant, placed, /*reuses=*/true);
    tenant.op.setOffset(tenant.offset);
    bytes = std::max(bytes, tenant.offset + tenant.bytes);
    placed.push_back(tenant);
  }
  getOperation()->setAttr(tilegpu::TileGpuDialect::kSharedAttr,
                          builder.getI64IntegerAttr(bytes));
}

} // namespace tilewright::tilegpu

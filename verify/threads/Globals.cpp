#include "verify/threads/Globals.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Layout.h"

using namespace mlir;

namespace tilewright::verify::threads {

/// The bytes of a constant; none if it has another form.
static std::optional<std::vector<uint8_t>> contentsOf(Attribute value,
                                                      const MemoryLayout &to) {
  std::vector<uint8_t> bytes(to.bytes);
  if (auto text = dyn_cast<StringAttr>(value)) {
    if (text.size() != bytes.size())
      return std::nullopt;
    llvm::copy(text.getValue(), bytes.begin());
    return bytes;
  }
  auto put = [&](size_t index, const APInt &bits) {
    for (unsigned n = 0; n < to.fields[index].bits; ++n) {
      const uint64_t bit = to.fields[index].bitOffset + n;
      bytes[bit / 8] |= uint8_t(bits[n] << bit % 8);
    }
  };
  auto bitsOf = [](Attribute number) {
    if (auto real = dyn_cast<FloatAttr>(number))
      return real.getValue().bitcastToAPInt();
    return cast<IntegerAttr>(number).getValue();
  };
  if (isa<IntegerAttr, FloatAttr>(value) && to.fields.size() == 1) {
    put(0, bitsOf(value));
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || size_t(dense.getNumElements()) != to.fields.size())
    return std::nullopt;
  for (auto [index, number] : llvm::enumerate(dense.getValues<Attribute>()))
    put(index, bitsOf(number));
  return bytes;
}

static LogicalResult placeData(LLVM::GlobalOp global, Launch &launch) {
  SmallVector<Type> scalars;
  if (failed(scalarsOf(global.getGlobalType(), scalars)))
    return reference::errorAt(global)
           << "the reference of threads does not know data of type "
           << global.getGlobalType();
  const MemoryLayout layout = layoutOf(global.getGlobalType());
  const uint64_t address = launch.memory.freeAddress(layout.bytes);
  Allocation &memory =
      launch.memory.allocate("data " + global.getSymName().str(), address,
                             layout.bytes, Allocation::Kind::global);
  launch.symbols[global] = address;
  if (Attribute value = global.getValueOrNull()) {
    std::optional<std::vector<uint8_t>> bytes = contentsOf(value, layout);
    if (!bytes)
      return reference::errorAt(global)
             << "the reference of threads reads strings and dense constants";
    llvm::copy(*bytes, memory.bytes.begin());
    llvm::fill(memory.written, 1);
  } else if (global.getInitializerBlock()) {
    return reference::errorAt(global)
           << "the reference of threads reads strings and dense constants";
  }
  memory.isReadOnly = global.getConstant();
  return success();
}

LogicalResult placeGlobals(Operation *module, Launch &launch,
                           int64_t dynamicShared) {
  uint64_t end = kSharedAddress;
  SmallVector<LLVM::GlobalOp> dynamic;
  auto globals = module->getRegion(0).getOps<LLVM::GlobalOp>();
  for (LLVM::GlobalOp global : llvm::make_early_inc_range(globals)) {
    if (global.getAddrSpace() != kSharedSpace) {
      if (failed(placeData(global, launch)))
        return failure();
      continue;
    }
    const MemoryLayout layout = layoutOf(global.getGlobalType());
    if (layout.bytes == 0) {
      dynamic.push_back(global);
      continue;
    }
    end = llvm::alignTo(
        end, std::max(layout.align, global.getAlignment().value_or(1)));
    launch.symbols[global] = end;
    end += layout.bytes;
  }
  for (LLVM::GlobalOp global : dynamic)
    end = llvm::alignTo(
        end, std::max<uint64_t>(16, global.getAlignment().value_or(1)));
  for (LLVM::GlobalOp global : dynamic)
    launch.symbols[global] = end;
  if (!dynamic.empty())
    end += uint64_t(dynamicShared);
  if (end > kSharedAddress)
    launch.memory.allocate("shared memory", kSharedAddress,
                           end - kSharedAddress, Allocation::Kind::shared);
  return success();
}

} // namespace tilewright::verify::threads

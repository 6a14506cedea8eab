//===- Package.cpp - What a schedule says beside its lines ----------------===//
#include "spatial/schedule/Scheduler.h"

using namespace mlir;

namespace tilewright::spatial {

/// Where the vectors of an input, a constant or an output lie. Homes that it
/// was copied to stand behind those that it was made in.
void Scheduler::addPlacements(uint32_t value) {
  std::vector<bool> isPlaced(program.values[value].vectors, false);
  const bool isInitial = homes[value].front().isInitial;
  for (const Home &home : homes[value]) {
    if (home.isInitial != isInitial)
      continue;
    std::vector<int64_t> vectors(home.ready.size(), 0);
    for (auto [vector, slot] : llvm::enumerate(home.slots))
      if (slot >= 0)
        vectors[slot] = static_cast<int64_t>(vector);
    for (int64_t group = 0; group < home.groups; ++group) {
      // Vectors a steady step apart are one entry.
      Placement placement;
      placement.count = 0;
      auto flush = [&] {
        for (int64_t plane = 0; placement.count > 0 && plane < home.planes;
             ++plane) {
          const Bank &bank = home.bankOf(placement.vector, plane);
          placement.plane = plane;
          placement.bank = {bank.position, QueueKind::bank, bank.number};
          placement.row = home.rowOf(placement.vector, plane);
          schedule.placements.push_back(placement);
        }
        placement.count = 0;
      };
      for (size_t slot = group; slot < vectors.size(); slot += home.groups) {
        const int64_t vector = vectors[slot];
        if (!isInitial && isPlaced[vector]) {
          flush();
          continue;
        }
        isPlaced[vector] = true;
        if (placement.count == 1 && vector > placement.vector)
          placement.step = vector - placement.vector;
        if (placement.count > 0 &&
            vector == placement.vector + placement.count * placement.step) {
          ++placement.count;
          continue;
        }
        flush();
        placement.value = value;
        placement.vector = vector;
        placement.count = placement.step = 1;
      }
      flush();
    }
  }
}

static Interface interfaceOf(DictionaryAttr attributes, uint32_t value) {
  Interface interface;
  interface.name = cast<StringAttr>(attributes.get("name")).str();
  interface.dtype = *runtime::dtypeFromName(
      cast<StringAttr>(attributes.get("dtype")).getValue());
  ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(attributes.get("shape"));
  interface.shape.assign(shape.begin(), shape.end());
  interface.value = value;
  ArrayRef<int32_t> layout = cast<DenseI32ArrayAttr>(attributes.get("layout"));
  interface.layout.assign(layout.begin(), layout.end());
  return interface;
}

void Scheduler::addInterfaces() {
  for (BlockArgument argument : function.getArguments()) {
    const uint32_t value = program.numberOf(argument);
    schedule.inputs.push_back(
        interfaceOf(function.getArgAttrOfType<DictionaryAttr>(
                        argument.getArgNumber(), kInterfaceAttr),
                    value));
  }
  Operation *end = function.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(end->getOperands()))
    schedule.outputs.push_back(
        interfaceOf(function.getResultAttrOfType<DictionaryAttr>(
                        static_cast<unsigned>(number), kInterfaceAttr),
                    program.numberOf(result)));
}

/// The rows of a constant as they lie in memory: [vectors, planes, row bytes].
static std::vector<std::byte> bytesOf(ConstantOp op, DType dtype,
                                      const Machine &machine) {
  auto type = cast<VectorsType>(op.getResult().getType());
  const auto width = static_cast<int64_t>(runtime::dtypeBytes(dtype));
  const int64_t planes = machine.planesOf(dtype);
  std::vector<std::byte> elements(type.getCount() * machine.lanes * width);
  ElementsAttr values = op.getElements();
  ArrayRef<char> raw;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    raw = resource.getData();
  else if (auto dense = dyn_cast<DenseElementsAttr>(values))
    if (!dense.isSplat() && dtype != DType::Bool)
      raw = dense.getRawData();
  if (!raw.empty()) {
    std::memcpy(elements.data(), raw.data(), elements.size());
  } else {
    for (int64_t i = 0; i < type.getCount() * machine.lanes; ++i) {
      APInt bits = isa<FloatType>(type.getElement())
                       ? (*(values.value_begin<APFloat>() + i)).bitcastToAPInt()
                       : *(values.value_begin<APInt>() + i);
      const uint64_t word = bits.getZExtValue();
      std::memcpy(elements.data() + i * width, &word, width);
    }
  }
  std::vector<std::byte> rows(type.getCount() * planes * machine.rowBytes());
  for (int64_t vector = 0; vector < type.getCount(); ++vector)
    for (int64_t lane = 0; lane < machine.lanes; ++lane)
      for (int64_t byte = 0; byte < width; ++byte) {
        const int64_t plane = byte / machine.streamBytes;
        rows[(vector * planes + plane) * machine.rowBytes() +
             lane * machine.streamBytes + byte % machine.streamBytes] =
            elements[(vector * machine.lanes + lane) * width + byte];
      }
  return rows;
}

void Scheduler::addConstants() {
  auto storage = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (ConstantOp op : function.getOps<ConstantOp>())
    storage->push_back(bytesOf(
        op, program.values[program.numberOf(op.getResult())].dtype, machine));
  for (const std::vector<std::byte> &rows : *storage)
    schedule.constantBytes.push_back(rows);
  schedule.storage = storage;
}

} // namespace tilewright::spatial

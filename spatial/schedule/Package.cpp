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

/// The elements of a constant one after the other, of `width` bytes each; an i1
/// is a byte.
static std::vector<std::byte> elementsOf(ElementsAttr values, size_t width) {
  const auto count = static_cast<size_t>(values.getNumElements());
  std::vector<std::byte> elements(count * width);
  ArrayRef<char> raw;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    raw = resource.getData();
  else if (auto dense = dyn_cast<DenseElementsAttr>(values))
    if (!dense.getElementType().isInteger(1))
      raw = dense.getRawData();
  if (raw.size() == elements.size()) {
    std::memcpy(elements.data(), raw.data(), elements.size());
  } else if (raw.size() == width) {
    // All are equal.
    for (size_t i = 0; i < count; ++i)
      std::memcpy(elements.data() + i * width, raw.data(), width);
  } else {
    for (auto [i, bits] : llvm::enumerate(values.getValues<APInt>())) {
      const uint64_t word = bits.getZExtValue();
      std::memcpy(elements.data() + i * width, &word, width);
    }
  }
  return elements;
}

/// The rows of a constant as they lie in memory: [vectors, planes, row bytes].
static std::vector<std::byte> bytesOf(ConstantOp op, DType dtype,
                                      const Machine &machine) {
  const size_t width = runtime::dtypeBytes(dtype);
  const std::vector<std::byte> elements = elementsOf(op.getElements(), width);
  const auto count = cast<VectorsType>(op.getResult().getType()).getCount();
  const int64_t planes = machine.planesOf(dtype);
  std::vector<std::byte> rows(count * planes * machine.rowBytes());
  const auto most = static_cast<size_t>(machine.streamBytes);
  std::byte *row = rows.data();
  for (int64_t vector = 0; vector < count; ++vector)
    for (int64_t plane = 0; plane < planes; ++plane) {
      const std::byte *element =
          elements.data() + vector * machine.lanes * width + plane * most;
      const size_t bytes = std::min(most, width - plane * most);
      for (int64_t lane = 0; lane < machine.lanes; ++lane, element += width)
        std::copy_n(element, bytes, row + lane * machine.streamBytes);
      row += machine.rowBytes();
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

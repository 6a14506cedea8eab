//===- Scheduler.cpp - Times and places for a program on vectors ----------===//
#include "spatial/schedule/Scheduler.h"

#include "spatial/numeric/Numeric.h"
#include "spatial/schedule/ScheduleVectors.h"
#include "support/Format.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

Scheduler::Scheduler(func::FuncOp program, Machine machine)
    : program(program), machine(std::move(machine)), memory(this->machine),
      streams(this->machine) {
  for (int64_t position : this->machine.positionsOf(UnitKind::mxm))
    for (int64_t index = 0; index < this->machine.mxm.planes; ++index) {
      Plane plane{position, index, {}, {}, {}, {}};
      plane.bufferFree.resize(this->machine.mxm.buffers);
      plane.accumulatorFree.resize(this->machine.mxm.accumulators);
      planes.push_back(std::move(plane));
    }
}

//===--- Values -----------------------------------------------------------===//

uint32_t Scheduler::addValue(mlir::Value value, StringRef prefix) {
  auto type = cast<VectorsType>(value.getType());
  const auto number = static_cast<uint32_t>(schedule.values.size());
  schedule.values.push_back({prefix.str() + std::to_string(number),
                             *valueType(type.getElement()), type.getCount()});
  numbers[value] = number;
  homes.emplace_back();
  uses.push_back(0);
  isKept.push_back(false);
  isWeights.push_back(false);
  return number;
}

void Scheduler::addValues() {
  Block &body = program.getBody().front();
  for (BlockArgument argument : body.getArguments())
    addValue(argument, "x");
  for (Operation &op : body.without_terminator()) {
    if (isa<SelectVectorsOp>(op))
      continue;
    auto prefix = TypeSwitch<Operation *, StringRef>(&op)
                      .Case([](ConstantOp) { return "c"; })
                      .Case([](MultiplyOp) { return "p"; })
                      .Case([](MapOp) { return "m"; })
                      .Case([](TransposeOp) { return "t"; })
                      .Case([](GatherOp) { return "g"; })
                      .Default([](Operation *) { return "v"; });
    addValue(op.getResult(0), prefix);
  }
}

Ref Scheduler::resolve(mlir::Value value, int32_t index) const {
  while (auto select = value.getDefiningOp<SelectVectorsOp>()) {
    value = select.getReads()[select.getSources()[index]];
    index = select.getIndices()[index];
  }
  return {numbers.lookup(value), index};
}

std::vector<Ref> Scheduler::refsOf(ValueRange reads, ArrayAttr indices,
                                   unsigned number) const {
  std::vector<Ref> refs;
  for (int32_t index : indicesOf(indices, number))
    refs.push_back(resolve(reads[number], index));
  return refs;
}

/// The values that an op reads, behind selections.
static llvm::SetVector<mlir::Value> valuesRead(Operation *op) {
  llvm::SetVector<mlir::Value> values;
  SmallVector<mlir::Value> left(op->getOperands());
  while (!left.empty()) {
    mlir::Value value = left.pop_back_val();
    if (auto select = value.getDefiningOp<SelectVectorsOp>())
      llvm::append_range(left, select.getReads());
    else
      values.insert(value);
  }
  return values;
}

void Scheduler::countUses() {
  for (Operation &op : program.getBody().front()) {
    if (isa<SelectVectorsOp>(op))
      continue;
    if (auto multiply = dyn_cast<MultiplyOp>(op))
      isWeights[refsOf(multiply.getReads(), multiply.getIndices(), 1)
                    .front()
                    .value] = true;
    for (mlir::Value value : valuesRead(&op)) {
      ++uses[numbers.lookup(value)];
      if (op.hasTrait<OpTrait::IsTerminator>())
        isKept[numbers.lookup(value)] = true;
    }
  }
}

void Scheduler::finishUses(Operation *op) {
  for (mlir::Value value : valuesRead(op)) {
    const uint32_t number = numbers.lookup(value);
    if (--uses[number] > 0 || isKept[number])
      continue;
    for (const Home &home : homes[number])
      memory.release(home);
  }
}

//===--- Rows -------------------------------------------------------------===//

StatusOr<Home *> Scheduler::makeHome(const HomeRequest &request) {
  StatusOr<Home> home = memory.allocate(request);
  if (!home.ok())
    return home.status().prefixed(format(
        "no rows for {} vectors of {}",
        {request.vectors.size(),
         std::string(valueTypeName(schedule.values[request.value].dtype))}));
  homes[request.value].push_back(std::move(*home));
  return &homes[request.value].back();
}

HomeRequest Scheduler::wholeOf(uint32_t value) const {
  HomeRequest request;
  request.value = value;
  request.total = schedule.values[value].vectors;
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(request.total));
  request.vectors.assign(range.begin(), range.end());
  request.planes = planesOf(value);
  return request;
}

Status Scheduler::makeTargets(uint32_t value,
                              ArrayRef<std::vector<Ref>> operands) {
  // Blocks of rows that sums, transposes and heads have in common.
  constexpr int64_t least = 16, most = 4;
  HomeRequest whole = wholeOf(value);
  for (const std::vector<Ref> &refs : operands)
    whole.avoid.merge(banksOf(refs));
  const auto count = static_cast<int64_t>(whole.vectors.size());
  int64_t size = count;
  if (isWeights[value])
    whole.groups =
        std::min<int64_t>(count, machine.mxm.loadStreams / whole.planes);
  else
    size = llvm::alignTo(std::max(least, (count + most - 1) / most), least);
  for (int64_t first = 0; first < count; first += size) {
    HomeRequest request = whole;
    request.vectors.assign(whole.vectors.begin() + first,
                           whole.vectors.begin() +
                               std::min(first + size, count));
    StatusOr<Home *> made = makeHome(request);
    if (!made.ok())
      request.avoid.clear();
    while (!made.ok() && request.groups >= 1) {
      made = makeHome(request);
      request.groups /= 2;
    }
    TILEWRIGHT_RETURN_IF_ERROR(made.status());
  }
  return {};
}

std::set<Bank> Scheduler::banksOf(ArrayRef<Ref> refs) const {
  std::set<Bank> banks;
  std::set<uint32_t> seen;
  for (const Ref &ref : refs)
    if (seen.insert(ref.value).second)
      for (const Home &home : homes[ref.value])
        banks.insert(home.banks.begin(), home.banks.end());
  return banks;
}

Status Scheduler::checkRoom() {
  int64_t needed = 0;
  auto add = [&](mlir::Value value) {
    const uint32_t number = numbers.lookup(value);
    needed +=
        schedule.values[number].vectors * planesOf(number) * machine.rowBytes();
  };
  for (BlockArgument argument : program.getArguments())
    add(argument);
  for (ConstantOp op : program.getOps<ConstantOp>())
    add(op.getResult());
  const auto there = static_cast<int64_t>(memory.banks().size()) *
                     machine.mem.rows * machine.rowBytes();
  if (needed <= there)
    return {};
  return Status::resourceExhausted(format(
      "weights and inputs need {} MiB, a chip of {} has {} MiB",
      {formatFixed(static_cast<double>(needed) / (1 << 20), 1), machine.name,
       formatFixed(static_cast<double>(there) / (1 << 20), 1)}));
}

/// Weights are dealt to as many banks as a plane loads from at a time.
Status Scheduler::placeConstants() {
  for (ConstantOp op : program.getOps<ConstantOp>()) {
    const uint32_t value = numbers.lookup(op.getResult());
    HomeRequest request = wholeOf(value);
    request.isInitial = true;
    for (OpOperand &use : op.getResult().getUses()) {
      if (isa<MultiplyOp>(use.getOwner()) && use.getOperandNumber() == 1)
        request.groups = std::min<int64_t>(
            request.total, machine.mxm.loadStreams / request.planes);
      if (isa<GatherOp>(use.getOwner()) && use.getOperandNumber() == 0) {
        // Indices come from one side, rows leave to the other one.
        std::vector<int64_t> positions = machine.positionsOf(UnitKind::mem);
        request.firstPosition = positions[positions.size() / 4];
        request.lastPosition = positions[positions.size() * 3 / 4];
        request.groups = 1;
        break;
      }
    }
    StatusOr<Home *> home = makeHome(request);
    while (!home.ok() && request.groups > 1) {
      request.groups /= 2;
      home = makeHome(request);
    }
    if (!home.ok())
      return home.status();
    schedule.constants.push_back(value);
  }
  return {};
}

Status Scheduler::placeInputs() {
  for (BlockArgument argument : program.getArguments()) {
    HomeRequest request = wholeOf(numbers.lookup(argument));
    request.isInitial = true;
    TILEWRIGHT_RETURN_IF_ERROR(makeHome(request).status());
  }
  return {};
}

//===--- The package ------------------------------------------------------===//

void Scheduler::addPlacements(Schedule &schedule, const Home &home) const {
  const auto first = static_cast<int64_t>(
      llvm::find_if(home.slots, [](int32_t slot) { return slot == 0; }) -
      home.slots.begin());
  for (int64_t group = 0; group < home.groups; ++group) {
    const auto count = static_cast<int64_t>(home.ready.size());
    const int64_t members = (count - group + home.groups - 1) / home.groups;
    if (members <= 0)
      continue;
    for (int64_t plane = 0; plane < home.planes; ++plane) {
      const size_t at = group * home.planes + plane;
      Placement placement;
      placement.value = home.value;
      placement.vector = first + group;
      placement.count = members;
      placement.step = home.groups;
      placement.plane = plane;
      placement.bank = {home.banks[at].position, QueueKind::bank,
                        home.banks[at].number};
      placement.row = home.rows[at];
      schedule.placements.push_back(placement);
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

Status Scheduler::addInterfaces(Schedule &schedule) {
  for (BlockArgument argument : program.getArguments()) {
    const uint32_t value = numbers.lookup(argument);
    schedule.inputs.push_back(
        interfaceOf(program.getArgAttrOfType<DictionaryAttr>(
                        argument.getArgNumber(), kInterfaceAttr),
                    value));
    addPlacements(schedule, homes[value].front());
  }
  Operation *end = program.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(end->getOperands())) {
    const uint32_t value = numbers.lookup(result);
    schedule.outputs.push_back(
        interfaceOf(program.getResultAttrOfType<DictionaryAttr>(
                        static_cast<unsigned>(number), kInterfaceAttr),
                    value));
    int64_t placed = 0;
    // Copies come behind the homes that a value was made in.
    for (const Home &home : homes[value]) {
      if (placed < schedule.values[value].vectors)
        addPlacements(schedule, home);
      placed += static_cast<int64_t>(home.ready.size());
    }
  }
  for (uint32_t value : schedule.constants)
    addPlacements(schedule, homes[value].front());
  return {};
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

Status Scheduler::place(Operation *op) {
  if (auto ends = sumsEndingAt.find(op); ends != sumsEndingAt.end())
    return placeSums(ends->second);
  return TypeSwitch<Operation *, Status>(op)
      .Case([&](VectorAluOp op) { return placeAlu(op); })
      .Case([&](MapOp op) { return placeMap(op); })
      .Case([&](TransposeOp op) { return placeTranspose(op); })
      .Case([&](GatherOp op) { return placeGather(op); })
      .Default([](Operation *) { return Status(); });
}

StatusOr<Schedule> Scheduler::run() {
  addValues();
  countUses();
  collectSums();
  TILEWRIGHT_RETURN_IF_ERROR(checkRoom());
  TILEWRIGHT_RETURN_IF_ERROR(placeInputs());
  TILEWRIGHT_RETURN_IF_ERROR(placeConstants());
  for (Operation &op : program.getBody().front().without_terminator()) {
    TILEWRIGHT_RETURN_IF_ERROR(place(&op));
    // Sums are placed with their last op.
    if (auto ends = sumsEndingAt.find(&op); ends != sumsEndingAt.end())
      for (MultiplyOp part : ends->second)
        finishUses(part);
    else if (!isa<SelectVectorsOp, MultiplyOp>(op))
      finishUses(&op);
  }
  schedule.machine = machine;
  schedule.cycles = schedule.interval = length;
  TILEWRIGHT_RETURN_IF_ERROR(addInterfaces(schedule));
  schedule.instructions.push_back(emitter.take());
  schedule.files.emplace_back("chip-0.txt");
  auto storage = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (ConstantOp op : program.getOps<ConstantOp>())
    storage->push_back(bytesOf(
        op, schedule.values[numbers.lookup(op.getResult())].dtype, machine));
  for (const std::vector<std::byte> &rows : *storage)
    schedule.constantBytes.push_back(rows);
  schedule.storage = storage;
  return std::move(schedule);
}

StatusOr<Schedule> scheduleVectors(func::FuncOp program,
                                   const Machine &machine) {
  return Scheduler(program, machine).run();
}

} // namespace tilewright::spatial

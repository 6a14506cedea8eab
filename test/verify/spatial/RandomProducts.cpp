#include "test/verify/spatial/RandomScheduler.h"

#include <algorithm>

namespace tilewright::test {

using namespace spatial;

/// One vector a cycle, or two where they lie in different banks.
bool RandomScheduler::loadWeights(size_t weights, int64_t rows, int64_t chip,
                                  Queue plane, int64_t buffer, int64_t cycle) {
  auto other = pickStored([&](const Stored &candidate) {
    return candidate.value == pool[weights].value &&
           &candidate != &pool[weights];
  });
  int64_t planes = machine().planesOf(pool[weights].dtype);
  bool inPairs = other && rows % 2 == 0 &&
                 machine().mxm.loadStreams >= 2 * planes && dice.chance(80);
  Repeat repeat{inPairs ? rows / 2 : rows, 1};
  int64_t step = inPairs ? 2 : 1;
  if (!taken.takeQueue(chip, plane, cycle, repeat))
    return false;
  auto even = feed(weights, {0, step}, chip, plane.position, cycle, repeat);
  if (!even)
    return false;
  if (inPairs) {
    auto odd = feed(*other, {1, step}, chip, plane.position, cycle, repeat);
    if (!odd)
      return false;
    for (const Stream &stream : odd->streams)
      even->streams.push_back(stream);
  }
  Instruction load = instructionOf(plane, Opcode::load, cycle);
  load.count = repeat.count, load.step = repeat.cycles;
  Port result;
  result.kind = Port::Kind::buffer;
  result.index.start = buffer;
  result.bufferRow = {0, repeat.count > 1 ? step : 0};
  result.name = even->name;
  load.operands = {*even};
  load.results = {result};
  addLine(chip, load);
  return true;
}

/// Takes `count` accumulators from `cycle` to `until`.
bool RandomScheduler::takeAccumulators(Queue plane, int64_t chip, int64_t first,
                                       int64_t count, int64_t cycle,
                                       int64_t until) {
  for (int64_t i = 0; i < count; ++i) {
    Slot slot(chip, plane, first + i);
    int64_t free = freeAccumulators[slot];
    if (free > cycle)
      return false;
    freeAccumulators[slot] = until;
    taken.onRollBack([this, slot, free] { freeAccumulators[slot] = free; });
  }
  return true;
}

/// A product of each vector of `x`: begun in `cycle`. With no accumulator its
/// results go into accumulators, and a second product adds others to them.
bool RandomScheduler::multiply(Instruction product, size_t x, int64_t chip,
                               int64_t cycle, const Port *accumulator) {
  int64_t passes = machine().mxm.passes.at(product.type);
  int64_t count = std::min(pool[x].vectors(),
                           accumulator ? product.count : dice.number(1, 3));
  Repeat repeat{count, accumulator ? product.step : passes + dice.number(0, 2)};
  if ((accumulator && count != product.count) ||
      !taken.takeQueue(chip, product.queue, cycle, repeat, passes))
    return false;
  auto operand = feed(x, {dice.number(0, pool[x].vectors() - count), 1}, chip,
                      product.queue.position, cycle, repeat);
  if (!operand)
    return false;
  product.cycle = cycle;
  product.count = repeat.count, product.step = repeat.cycles;
  product.operands.front() = *operand;
  if (accumulator)
    product.operands.push_back(*accumulator);
  int64_t ready = cycle + passes - 1 + machine().mxm.delay;
  DType dtype = product.type == DType::I8 ? DType::I32 : DType::F32;
  uint32_t value = newValue(dtype, count);
  Slot buffer(chip, product.queue, product.operands[1].index.start);
  int64_t old = freeBuffers[buffer];
  freeBuffers[buffer] =
      std::max(old, cycle + (count - 1) * repeat.cycles + passes);
  taken.onRollBack([this, buffer, old] { freeBuffers[buffer] = old; });
  if (accumulator || dice.chance(60)) {
    if (!finish(product, value, chip, ready, repeat, accumulator ? 1 : 0))
      return false;
    addLine(chip, product);
    return true;
  }
  if (machine().mxm.accumulators < count)
    return false;
  int64_t first = dice.number(0, machine().mxm.accumulators - count);
  if (!takeAccumulators(product.queue, chip, first, count, cycle, ready + 100))
    return false;
  Port result;
  result.kind = Port::Kind::accumulator;
  result.index = {first, repeat.count > 1 ? 1 : 0};
  result.name = {value, {0, repeat.count > 1 ? 1 : 0}};
  Instruction line = product;
  line.results = {result};
  addLine(chip, line);
  int64_t last = cycle + (count - 1) * repeat.cycles + passes;
  auto second = pickStored(
      [&](const Stored &other) { return other.dtype == product.type; });
  product.count = repeat.count, product.step = repeat.cycles;
  return multiply(product, *second, chip, last + dice.number(0, 4), &result);
}

bool RandomScheduler::product() {
  auto position = pickUnit(UnitKind::mxm);
  if (!position)
    return false;
  auto types = machine().mxm.passes;
  auto type = std::next(types.begin(),
                        dice.number(0, static_cast<int64_t>(types.size()) - 1));
  auto fits = [&](const Stored &stored) { return stored.dtype == type->first; };
  auto weights = pickStored(fits), x = pickStored(fits);
  if (!weights)
    return false;
  int64_t chip = pool[*weights].chip(), cycle = someCycle();
  int64_t plane = dice.number(0, machine().mxm.planes - 1);
  int64_t buffer = dice.number(0, machine().mxm.buffers - 1);
  Queue activations{*position, QueueKind::activations, plane};
  Queue loads{*position, QueueKind::weights, plane};
  int64_t rows =
      dice.number(1, std::min(machine().mxm.rows, pool[*weights].vectors()));
  if (freeBuffers[{chip, activations, buffer}] > cycle ||
      !loadWeights(*weights, rows, chip, loads, buffer, cycle))
    return false;
  Instruction product = instructionOf(activations, Opcode::mul, cycle);
  product.type = type->first;
  product.rows = rows;
  Port used;
  used.kind = Port::Kind::buffer;
  used.index.start = buffer;
  used.name = {pool[*weights].value, {}};
  product.operands = {Port(), used};
  return multiply(product, *x, chip, cycle + rows + dice.number(0, 5), nullptr);
}

} // namespace tilewright::test

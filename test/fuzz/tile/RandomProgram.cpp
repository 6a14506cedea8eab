// Random kernels: decisions, values, and the choice of the next op.
#include "RandomProgram.h"

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

double exactIntegers(const std::string &element) {
  static const std::map<std::string, double> all = {
      {"f64", 0x1p53},  {"f32", 0x1p24}, {"f16", 2048},  {"bf16", 256},
      {"f8E4M3FN", 16}, {"f8E5M2", 8},   {"f4E2M1FN", 4}};
  auto found = all.find(element);
  return found == all.end() ? 0 : found->second;
}

static const char *const kIntegers[] = {"i1", "i4", "i8", "i16", "i32", "i64"};
static const char *const kFloats[] = {"f16", "bf16", "f32", "f32", "f64"};
static const char *const kSmallFloats[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN",
                                           "f8E8M0FNU"};
static const int64_t kSizes[] = {1,   2,  3,  4,  5,  7,  8,  9,   12,  16,
                                 17,  24, 31, 32, 33, 48, 64, 80,  96,  100,
                                 128, 15, 20, 65, 40, 6,  10, 192, 256, 576};

RandomProgram::RandomProgram(uint64_t seed) : random(seed) {
  elements = {"i32", "f32", oneOf(kFloats), oneOf(kIntegers)};
  if (chance(40))
    elements = {oneOf(kFloats), oneOf(kFloats), oneOf(kIntegers)};
  else if (chance(20))
    elements = {"i32", oneOf(kIntegers), oneOf(kIntegers)};
  if (chance(30))
    elements.push_back(oneOf(kSmallFloats));
  if (chance(10))
    elements.push_back("index");
  for (int i = 0; i < 4; ++i)
    sizes.push_back(oneOf(kSizes));
  if (chance(30)) {
    programs = pick(2, 6);
    std::string name = k.argument("index", {.scalar = programs}).name;
    program = "%p";
    if (programs % 2 || chance(50)) {
      k.grid = "s0";
      k.line("%p = tile.program_id");
    } else {
      k.grid = "2, s0 ceildiv 2";
      k.line("%px, %py = tile.program_id\n%pm, %pn = tile.program_count\n"
             "%p = affine.apply affine_map<(x, y)[n] -> (x * n + y)>"
             "(%px, %py)[%pn]");
    }
    indices.push_back("%p");
  }
  sharedViews();
  sharedArrays();
  for (int i = 0; i < 2; ++i)
    fresh(tile(oneOf(elements), shape(chance(5) ? 6000 : 1024)));
}

int64_t RandomProgram::pick(int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

/// Dims of a tile, of the kernel's sizes more often than not.
std::vector<int64_t> RandomProgram::shape(int64_t mostElements,
                                          size_t mostDims) {
  static const size_t ranks[] = {0, 1, 1, 2, 2, 2, 2, 2, 3, 4};
  size_t rank = std::min(oneOf(ranks), mostDims);
  std::vector<int64_t> dims;
  int64_t count = 1;
  while (dims.size() < rank) {
    int64_t size = chance(70) ? oneOf(sizes) : oneOf(kSizes);
    if (count * size > mostElements)
      size = pick(1, std::min<int64_t>(mostElements / count, 9));
    dims.push_back(size);
    count *= size;
  }
  return dims;
}

/// A tile, more often a new one.
Value RandomProgram::any() {
  return chance(50) ? live.back() : live[pick(0, live.size() - 1)];
}

/// A tile of this type: one that exists, or a new one.
Value RandomProgram::like(const TileType &type) {
  std::vector<Value> found;
  for (const Value &value : live)
    if (value.type.str() == type.str())
      found.push_back(value);
  if (found.empty() || chance(15))
    return fresh(type);
  return chance(60) ? found.back() : oneOf(found);
}

/// The same of a tile of integers up to a magnitude.
Value RandomProgram::integral(const TileType &type, double mostMagnitude) {
  std::vector<Value> found;
  for (const Value &value : live) {
    Facts facts = factsOf(value);
    if (value.type.str() == type.str() && facts.isIntegral &&
        facts.magnitude <= mostMagnitude)
      found.push_back(value);
  }
  if (!found.empty() && chance(70))
    return oneOf(found);
  int64_t most = std::min(mostMagnitude, 3.0);
  Input input;
  for (int i = pick(3, 17); i > 0; --i)
    input.values.push_back(double(pick(-most, most)));
  return keep(read(type, input), {double(most), true, false});
}

Value RandomProgram::fresh(const TileType &type) {
  if (chance(15))
    return constant(type);
  Facts facts;
  Input input = someNumbers(type.element, facts);
  return keep(read(type, input), facts);
}

/// A constant tile: of one number, or of several.
Value RandomProgram::constant(const TileType &type) {
  bool isReal = isFloat(type.element);
  bool isPositive = type.element == "f8E8M0FNU";
  int64_t most = 3;
  auto number = [&]() -> std::string {
    if (type.element == "i1")
      return chance(50) ? "true" : "false";
    if (isPositive)
      return chance(50) ? "1.0" : "2.0";
    int64_t low = isReal || type.element == "index" ? 0 : -most;
    return to_string(pick(low, most)) + (isReal ? ".0" : "");
  };
  std::string text = number();
  if (type.shape.size() == 1 && type.count() > 1 && type.count() <= 40 &&
      chance(50)) {
    text = "[" + text;
    for (int64_t i = 1; i < type.count(); ++i)
      text += ", " + number();
    text += "]";
  }
  return keep(k.constant(text, type), {double(most), !isPositive, false});
}

Value RandomProgram::keep(const Value &made, Facts facts) {
  if (isFloat(made.type.element)) {
    if (facts.isIntegral && facts.magnitude > exactIntegers(made.type.element))
      facts.isIntegral = false, facts.magnitude = INFINITY;
    known[made.name] = facts;
  }
  (made.type.isTile ? live : scalars).push_back(made);
  return made;
}

Facts RandomProgram::factsOf(const Value &value) const {
  auto found = known.find(value.name);
  return found == known.end() ? Facts() : found->second;
}

/// The name of an index of this value, which the compiler may know or not.
Value RandomProgram::index(int64_t value) {
  TileType type = scalar("index");
  if (value >= 0 && value <= 3 && chance(50))
    return {"%c" + to_string(value), type};
  if (chance(50))
    return k.constant(to_string(value), type);
  Value argument = k.argument("index", {.scalar = value});
  if (value > 0 && chance(20))
    return k.op("tile.assume $0 divisible " + to_string(value) + " : %0",
                {argument}, type);
  return argument;
}

void RandomProgram::leave(const Scope &outer) {
  live = outer.live;
  scalars = outer.scalars;
  indices = outer.indices;
}

void RandomProgram::steps(int count) {
  ++depth;
  for (int i = 0; i < count; ++i)
    step();
  --depth;
}

void RandomProgram::stepOnTile() {
  static const WeightedStep all[] = {
      {18, &RandomProgram::elementwise}, {4, &RandomProgram::select},
      {6, &RandomProgram::convert},      {4, &RandomProgram::cast},
      {3, &RandomProgram::function},     {2, &RandomProgram::assume},
      {1, &RandomProgram::philox},       {4, &RandomProgram::transpose},
      {4, &RandomProgram::reshape},      {5, &RandomProgram::broadcast},
      {3, &RandomProgram::slice},        {4, &RandomProgram::joinOrSplit},
      {3, &RandomProgram::concat},       {3, &RandomProgram::gather},
      {2, &RandomProgram::extract},      {1, &RandomProgram::iota},
      {6, &RandomProgram::combine},      {3, &RandomProgram::combinePairs},
      {2, &RandomProgram::sumOfFloats},  {3, &RandomProgram::sort},
      {2, &RandomProgram::top},          {2, &RandomProgram::histogram},
      {6, &RandomProgram::dot},          {2, &RandomProgram::scaledDot},
      {5, &RandomProgram::partial}};
  int64_t total = 0;
  for (const WeightedStep &entry : all)
    total += entry.weight;
  int64_t at = pick(0, total - 1);
  Value x = any();
  if (x.type.count() > 1500)
    x = smaller(x, 600);
  for (const WeightedStep &entry : all) {
    at -= entry.weight;
    if (at < 0)
      return (this->*entry.step)(x);
  }
}

void RandomProgram::step() {
  int64_t which = pick(1, 100);
  if (which <= 6)
    return readWindow();
  if (which <= 13)
    return writeWindow();
  if (which <= 15)
    return updateWindow();
  if (which <= 22)
    return pointerStep();
  if (which <= 24)
    return queries();
  if (which <= 30)
    return scalarStep();
  if (which <= 42 && depth < 3)
    return control();
  stepOnTile();
}

KernelText &RandomProgram::generate(int count) {
  steps(count);
  writeWindow();
  write(live.back());
  write(live[live.size() / 2]);
  return k;
}

KernelText &RandomProgram::generateProducts() {
  const int most = int(pick(1, 3));
  for (int made = 0; made < most;) {
    const size_t before = live.size();
    accumulate();
    if (live.size() == before)
      continue;
    ++made;
    write(live.back());
    if (chance(30)) {
      stepOnTile();
      write(live.back());
    }
  }
  return k;
}

} // namespace tilewright::fuzz

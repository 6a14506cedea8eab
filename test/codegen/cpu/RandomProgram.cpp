// Random kernels: their values, memory and control flow.
#include "RandomProgram.h"

#include <cmath>

namespace tilewright::cputest {

using std::to_string;

RandomProgram::RandomProgram(uint64_t seed, bool hasFloats) : random(seed) {
  const char *integers[] = {"i4", "i8", "i16", "i32", "i64"};
  const char *floats[] = {"f16", "bf16", "f32", "f64"};
  elements = {"i32", oneOf(integers)};
  if (hasFloats)
    elements = {"f32", oneOf(floats), oneOf(floats), oneOf(integers)};
  for (int i = 0; i < 3; ++i) {
    std::string element = oneOf(elements);
    std::string dims = to_string(pick(4, 9)) + "x" + to_string(pick(9, 40));
    views.push_back(
        {k.argument("!tile.view<" + dims + "x" + element + ">"), element});
    readWindow();
  }
}

int64_t RandomProgram::pick(int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
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

Value RandomProgram::fresh(const TileType &type) {
  if (chance(25)) {
    std::string number = to_string(pick(0, 5));
    if (type.element == "i1")
      number = chance(50) ? "true" : "false";
    return k.constant(number + (isFloat(type.element) ? ".0" : ""), type);
  }
  Input input;
  if (!isFloat(type.element))
    input.anyBits = chance(50);
  else if (chance(20))
    input.values = {0, -0.0, 1, NAN, -2.5, INFINITY, 0.5, -INFINITY};
  return k.load(type, input);
}

void RandomProgram::keep(const std::vector<Value> &made) {
  for (const Value &value : made)
    live.push_back(value);
}

/// Where a window begins, and its steps.
std::string RandomProgram::at() {
  std::string row = oneOf(indices), column = oneOf(indices);
  std::string text = " at [" + row + ", " + column + "]";
  if (chance(30))
    text +=
        " step [" + to_string(pick(1, 2)) + ", " + to_string(pick(1, 3)) + "]";
  return text;
}

void RandomProgram::readWindow() {
  const View &view = oneOf(views);
  live.push_back(k.op("tile.load $0" + at() + " pad " +
                          (isFloat(view.element) ? "1.0" : "1") + " : %0 -> %r",
                      {view.value},
                      tile(view.element, {pick(1, 6), pick(1, 20)})));
}

void RandomProgram::writeWindow() {
  const View &view = oneOf(views);
  std::vector<Value> found;
  for (const Value &value : live)
    if (value.type.element == view.element)
      found.push_back(value);
  Value x = found.empty() ? fresh(tile(view.element, {3, 5}))
            : chance(50)  ? found.back()
                          : oneOf(found);
  if (x.type.shape.size() != 2)
    x = reshaped(x, {1, x.type.count()});
  k.effect("tile.store $0, $1" + at() + " : %0, %1", {x, view.value});
}

/// Updates part of a view, element by element; does nothing where atomics know
/// no such element.
void RandomProgram::updateWindow() {
  const View &view = oneOf(views);
  const std::string &element = view.element;
  if (element == "i4" || element == "i8" || element == "i16")
    return;
  const char *kinds[] = {"add", "max", "min", "exchange", "xor", "umax"};
  Value x = fresh(tile(element, {pick(1, 6), pick(1, 20)}));
  k.effect("tile.atomic_reduce " +
               std::string(kinds[pick(0, isFloat(element) ? 3 : 5)]) +
               (chance(50) ? " relaxed" : " release") + " device $0, $1" +
               at() + " : %0, %1",
           {x, view.value});
}

static std::string typesOf(const std::vector<Value> &values) {
  return commas(values, [](const Value &value) { return value.type.str(); });
}
static std::string namesOf(const std::vector<Value> &values) {
  return commas(values, [](const Value &value) { return value.name; });
}

void RandomProgram::loop() {
  std::vector<Value> before = live, carried = {any()}, results, arguments;
  if (chance(50))
    carried.push_back(any());
  std::string id = to_string(names++), text;
  for (size_t i = 0; i < carried.size(); ++i) {
    std::string number = to_string(i);
    arguments.push_back({"%a" + id + "_" + number, carried[i].type});
    results.push_back({"%l" + id + "#" + number, carried[i].type});
    text += (i ? ", " : "") + arguments[i].name + " = " + carried[i].name;
  }
  k.line("%l" + id + ":" + to_string(carried.size()) + " = scf.for %i" + id +
         " = " + (chance(50) ? "%c0" : "%c1") + " to %c3 step %c1 iter_args(" +
         text + ") -> (" + typesOf(carried) + ") {");
  keep(arguments);
  indices.push_back("%i" + id);
  steps(pick(1, 3));
  std::vector<Value> yielded;
  for (const Value &value : carried)
    yielded.push_back(like(value.type));
  k.line("scf.yield " + namesOf(yielded) + " : " + typesOf(carried) + "\n}");
  indices.pop_back();
  live = before;
  keep(results);
}

/// Counts to an argument, with a tile that the condition hands over.
void RandomProgram::whileLoop() {
  std::vector<Value> before = live;
  Value x = any(), end = k.argument("index", {.scalar = pick(0, 3)});
  std::string id = to_string(names++), types = x.type.str() + ", index";
  k.line("%w" + id + ":2 = scf.while (%a" + id + " = " + x.name + ", %i" + id +
         " = %c0) : (" + types + ") -> (" + types + ") {");
  live.push_back({"%a" + id, x.type});
  steps(1);
  k.line("%go" + id + " = arith.cmpi ult, %i" + id + ", " + end.name +
         " : index\nscf.condition(%go" + id + ") " + like(x.type).name +
         ", %i" + id + " : " + types + "\n} do {\n^bb0(%b" + id + ": " +
         x.type.str() + ", %j" + id + ": index):");
  live = before;
  live.push_back({"%b" + id, x.type});
  indices.push_back("%j" + id);
  steps(pick(1, 2));
  k.line("%n" + id + " = arith.addi %j" + id + ", %c1 : index\nscf.yield " +
         like(x.type).name + ", %n" + id + " : " + types + "\n}");
  indices.pop_back();
  live = before;
  live.push_back({"%w" + id + "#0", x.type});
}

void RandomProgram::choose() {
  std::vector<Value> before = live;
  Value x = any(), which = k.argument("index", {.scalar = pick(0, 2)});
  std::string id = "%s" + to_string(names++);
  k.line(id + " = scf.index_switch " + which.name + " -> " + x.type.str());
  for (const char *head : {"case 1 {", "case 2 {", "default {"}) {
    k.line(head);
    steps(1);
    k.line("scf.yield " + like(x.type).name + " : " + x.type.str() + "\n}");
    live = before;
  }
  live.push_back({id, x.type});
}

void RandomProgram::branch() {
  std::vector<Value> before = live;
  Value condition = k.argument("i1", {.scalar = pick(0, 1)});
  Value x = any();
  std::string id = "%b" + to_string(names++);
  k.line(id + " = scf.if " + condition.name + " -> (" + x.type.str() + ") {");
  for (bool isElse : {false, true}) {
    steps(pick(1, 2));
    k.line("scf.yield " + like(x.type).name + " : " + x.type.str() +
           (isElse ? "\n}" : "\n} else {"));
    live = before;
  }
  live.push_back({id, x.type});
}

void RandomProgram::steps(int count) {
  ++depth;
  for (int i = 0; i < count; ++i)
    step();
  --depth;
}

void RandomProgram::step() {
  using Step = void (RandomProgram::*)(const Value &);
  static const Step onTiles[] = {
      &RandomProgram::elementwise,    &RandomProgram::elementwise,
      &RandomProgram::elementwise,    &RandomProgram::unary,
      &RandomProgram::select,         &RandomProgram::convert,
      &RandomProgram::transpose,      &RandomProgram::reshape,
      &RandomProgram::broadcast,      &RandomProgram::slice,
      &RandomProgram::joinOrSplit,    &RandomProgram::concat,
      &RandomProgram::gather,         &RandomProgram::combine,
      &RandomProgram::combine,        &RandomProgram::sort,
      &RandomProgram::topOrHistogram, &RandomProgram::dot,
      &RandomProgram::extract};
  if (chance(12))
    return readWindow();
  if (chance(12))
    return writeWindow();
  if (chance(4))
    return updateWindow();
  if (depth < 3 && chance(8))
    return loop();
  if (depth < 3 && chance(6))
    return branch();
  if (depth < 3 && chance(6))
    return chance(50) ? whileLoop() : choose();
  Value x = any();
  if (x.type.count() > 300)
    return slice(x);
  (this->*oneOf(onTiles))(x);
}

KernelText &RandomProgram::generate(int count) {
  steps(count);
  writeWindow();
  k.store(live.back());
  k.store(live[live.size() / 2]);
  return k;
}

} // namespace tilewright::cputest

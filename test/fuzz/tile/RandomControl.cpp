// Random kernels: loops, branches and calls. A region uses earlier values; only
// its results are used after it.
#include "RandomProgram.h"

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

static std::string typesOf(const std::vector<Value> &values) {
  return commas(values, [](const Value &value) { return value.type.str(); });
}
static std::string namesOf(const std::vector<Value> &values) {
  return commas(values, [](const Value &value) { return value.name; });
}

/// A loop of up to 3 iterations, or none, that carries tiles.
void RandomProgram::loop() {
  Scope before = scope();
  std::vector<Value> carried, results, arguments;
  for (int i = pick(0, 3); i >= 0; --i)
    if (Value value = any(); !factsOf(value).anyZero)
      carried.push_back(value);
  if (chance(40))
    carried.push_back(scalarLike(oneOf(elements)));
  std::string id = to_string(names++), text;
  for (size_t i = 0; i < carried.size(); ++i) {
    std::string number = to_string(i),
                name = carried.size() > 1 ? "#" + number : std::string();
    arguments.push_back({"%a" + id + "_" + number, carried[i].type});
    results.push_back({"%l" + id + name, carried[i].type});
    text += (i ? ", " : "") + arguments[i].name + " = " + carried[i].name;
  }
  Value low = index(pick(0, 1)), high = index(pick(0, 3)),
        stride = index(pick(1, 2));
  std::string head = "scf.for %i" + id + " = " + low.name + " to " + high.name +
                     " step " + stride.name;
  if (carried.empty())
    k.line(head + " {");
  else
    k.line("%l" + id +
           (carried.size() > 1 ? ":" + to_string(carried.size()) : "") + " = " +
           head + " iter_args(" + text + ") -> (" + typesOf(carried) + ") {");
  for (const Value &value : arguments)
    keep(value);
  indices.push_back("%i" + id);
  steps(pick(1, 3));
  std::vector<Value> yielded;
  for (const Value &value : carried)
    yielded.push_back(value.type.isTile ? definite(value.type)
                                        : scalarLike(value.type.element));
  k.line(carried.empty() ? "}"
                         : "scf.yield " + namesOf(yielded) + " : " +
                               typesOf(carried) + "\n}");
  leave(before);
  for (const Value &value : results)
    keep(value);
}

/// A product that grows along a loop over the depth, its operands loaded by
/// tile index; of 16-bit floats often one that matrix instructions take.
void RandomProgram::accumulate() {
  static const std::pair<const char *, const char *> types[] = {
      {"f32", "f32"},      {"f16", "f32"}, {"bf16", "f32"},
      {"f64", "f64"},      {"i8", "i32"},  {"i16", "i32"},
      {"f8E4M3FN", "f32"}, {"f16", "f16"}, {"bf16", "bf16"}};
  auto [element, sum] = oneOf(types);
  int64_t m = oneOf(sizes), n = oneOf(sizes), depth = oneOf(sizes);
  int64_t trips = pick(1, 3);
  while (m * n > 1500)
    m > n ? m = (m + 1) / 2 : n = (n + 1) / 2;
  while (depth * (m + n) > 3000)
    depth = (depth + 1) / 2;
  const std::string operand = element;
  if ((operand == "f16" || operand == "bf16") && chance(70)) {
    m = 16 * pick(1, 4), n = 8 * pick(1, 8), depth = 8 * pick(1, 6);
    trips = pick(0, 6);
  }
  int64_t all = std::max<int64_t>(1, trips * depth - pick(0, depth - 1));
  double most = isFloat(element) ? trips * depth * 4.0 + 3 : 0;
  if (most > exactIntegers(sum) && isFloat(element))
    return;
  Input small{.values = {1, 0, -2, 1, 2, -1, 0, 1, 1, -1, 2}};
  // Rows whose start is aligned, or is not.
  bool isTransposed[] = {chance(30), chance(30)};
  auto operandOf = [&](bool swapped, int64_t rows, int64_t columns) {
    if (chance(50))
      columns = (columns + 7) / 8 * 8;
    if (swapped)
      std::swap(rows, columns);
    return view(element, {rows, columns}, small, false);
  };
  View a = operandOf(isTransposed[0], m + pick(0, 3), all);
  View b = operandOf(isTransposed[1], all, n + pick(0, 2));
  std::string zero = isFloat(sum) ? "0.0" : "0";
  Value none = k.constant(zero, tile(sum, {m, n}));
  std::string id = to_string(names++), type = none.type.str();
  Value end = index(trips);
  k.line("%l" + id + " = scf.for %i" + id + " = %c0 to " + end.name +
         " step %c1 iter_args(%a" + id + " = " + none.name + ") -> (" + type +
         ") {");
  std::string pad =
      std::string(" pad ") + (isFloat(element) ? "0.0" : "0") + " : %0 -> %r";
  auto loaded = [&](const View &from, bool swapped, bool isStepFirst,
                    int64_t rows, int64_t columns) {
    const std::string at =
        isStepFirst != swapped ? "[%i" + id + ", %c0]" : "[%c0, %i" + id + "]";
    if (!swapped)
      return k.op("tile.load $0" + at + pad, {from.value},
                  tile(element, {rows, columns}));
    Value across = k.op("tile.load $0" + at + pad, {from.value},
                        tile(element, {columns, rows}));
    return k.op("tile.transpose $0 [1, 0] : %0 -> %r", {across},
                tile(element, {rows, columns}));
  };
  Value lhs = loaded(a, isTransposed[0], false, m, depth);
  Value rhs = loaded(b, isTransposed[1], true, depth, n);
  Value next = k.op("tile.dot $0, $1, %a" + id + " : %0, %1 -> %r", {lhs, rhs},
                    none.type);
  k.line("scf.yield " + next.name + " : " + type + "\n}");
  keep({"%l" + id, none.type}, {most, true, true});
}

/// Counts to an argument, with a tile that the condition hands over.
void RandomProgram::whileLoop() {
  Scope before = scope();
  Value x = definite(any().type), end = index(pick(0, 3));
  std::string id = to_string(names++), types = x.type.str() + ", index";
  k.line("%w" + id + ":2 = scf.while (%a" + id + " = " + x.name + ", %i" + id +
         " = %c0) : (" + types + ") -> (" + types + ") {");
  keep({"%a" + id, x.type});
  steps(1);
  k.line("%go" + id + " = arith.cmpi ult, %i" + id + ", " + end.name +
         " : index");
  Value handed = definite(x.type);
  k.line("scf.condition(%go" + id + ") " + handed.name + ", %i" + id + " : " +
         types + "\n} do {\n^bb0(%b" + id + ": " + x.type.str() + ", %j" + id +
         ": index):");
  leave(before);
  keep({"%b" + id, x.type});
  indices.push_back("%j" + id);
  steps(pick(1, 2));
  Value last = definite(x.type);
  k.line("%n" + id + " = arith.addi %j" + id + ", %c1 : index\nscf.yield " +
         last.name + ", %n" + id + " : " + types + "\n}");
  leave(before);
  keep({"%w" + id + "#0", x.type});
}

void RandomProgram::choose() {
  Scope before = scope();
  Value x = any(), which = index(pick(0, 2));
  std::string id = "%s" + to_string(names++);
  k.line(id + " = scf.index_switch " + which.name + " -> " + x.type.str());
  for (const char *head : {"case 1 {", "case 2 {", "default {"}) {
    k.line(head);
    steps(1);
    Value chosen = definite(x.type);
    k.line("scf.yield " + chosen.name + " : " + x.type.str() + "\n}");
    leave(before);
  }
  keep({id, x.type});
}

/// With a result, or with effects alone.
void RandomProgram::branch() {
  Scope before = scope();
  Value which = condition();
  if (chance(30)) {
    k.line("scf.if " + which.name + " {");
    steps(1);
    writeWindow();
    k.line("}");
    leave(before);
    return;
  }
  Value x = any();
  std::string id = "%b" + to_string(names++);
  k.line(id + " = scf.if " + which.name + " -> (" + x.type.str() + ") {");
  for (bool isElse : {false, true}) {
    steps(pick(1, 2));
    Value chosen = definite(x.type);
    k.line("scf.yield " + chosen.name + " : " + x.type.str() +
           (isElse ? "\n}" : "\n} else {"));
    leave(before);
  }
  keep({id, x.type});
}

/// A device function of two tiles, called once or twice.
void RandomProgram::call() {
  Value x = definite(any().type), y = definite(x.type);
  std::string type = x.type.str(), id = "f" + to_string(names++);
  bool isReal = isFloat(x.type.element);
  std::string first = isReal ? "arith.maximumf" : "arith.xori",
              second = isReal ? "arith.minimumf" : "arith.addi";
  k.functions += "tile.func @" + id + "(%x: " + type + ", %y: " + type +
                 ") -> " + type + " {\n%u = " + first + " %x, %y : " + type +
                 "\n%v = " + second + " %u, %y : " + type +
                 "\ntile.return %v : " + type + "\n}\n";
  for (int i = pick(1, 2); i > 0; --i)
    x = keep(
        k.op("tile.call @" + id + "($0, $1) : (%0, %1) -> %r", {x, y}, x.type));
}

/// One of two views, both of which are read afterwards.
void RandomProgram::chooseView() {
  std::string element = oneOf(elements);
  if (element == "index")
    return;
  int64_t size = pick(1, 40);
  Facts facts;
  Input memory = someNumbers(element, facts);
  memory.dims = {size};
  std::vector<Value> made;
  std::string type = "!tile.view<?x" + element + ">";
  for (int i = 0; i < 2; ++i) {
    Value base = k.argument("!tile.ptr<" + element + ">", memory);
    made.push_back(k.op("tile.make_view $0 sizes[" + index(size).name +
                            "] : %0 -> " + type,
                        {base}, scalar(type)));
  }
  Value which = condition();
  std::string id = "%b" + to_string(names++);
  k.line(id + " = scf.if " + which.name + " -> (" + type + ") {\nscf.yield " +
         made[0].name + " : " + type + "\n} else {\nscf.yield " + made[1].name +
         " : " + type + "\n}");
  std::string pad = element == "i1" ? "true" : isFloat(element) ? "1.0" : "1";
  keep(k.op("tile.load $0 at [" + oneOf(indices) + "] pad " + pad +
                " : %0 -> %r",
            {{id, scalar(type)}}, tile(element, {pick(1, 50)})),
       facts);
}

/// A loop that reads one view and writes the other, and exchanges them.
void RandomProgram::exchangeViews() {
  std::string element = oneOf(elements);
  if (element == "index")
    return;
  int64_t rows = pick(1, 9), columns = pick(1, 20);
  std::string type =
      "!tile.view<" + (chance(50) ? "?" : to_string(rows)) + "x" +
      to_string(columns) + "x" + element +
      (chance(50) ? ", strides<[" + to_string(columns) + ", 1]>>" : ">");
  bool isDynamic = type.find('?') != std::string::npos;
  std::vector<Value> made;
  for (int i = 0; i < 2; ++i) {
    Value base = k.argument("!tile.ptr<" + element + ">",
                            {.dims = {rows * columns * programs}});
    base = partOf(base, rows * columns);
    made.push_back(
        k.op("tile.make_view $0" +
                 (isDynamic ? " sizes[" + index(rows).name + "]" : "") +
                 " : %0 -> " + type,
             {base}, scalar(type)));
  }
  std::string id = to_string(names++), types = type + ", " + type;
  Value end = index(pick(0, 3));
  k.line("%l" + id + ":2 = scf.for %i" + id + " = %c0 to " + end.name +
         " step %c1 iter_args(%a" + id + " = " + made[0].name + ", %b" + id +
         " = " + made[1].name + ") -> (" + types + ") {");
  TileType shape = tile(element, {pick(1, 9), pick(1, 20)});
  std::string pad = element == "i1" ? "true" : isFloat(element) ? "1.0" : "1";
  Value read = k.op("tile.load $0 at [%i" + id + ", " + oneOf(indices) +
                        "] pad " + pad + " : %0 -> %r",
                    {{"%a" + id, scalar(type)}}, shape);
  k.effect("tile.store $0, $1 at [" + oneOf(indices) + ", %i" + id +
               "] : %0, %1",
           {read, {"%b" + id, scalar(type)}});
  k.line("scf.yield %b" + id + ", %a" + id + " : " + types + "\n}");
  Value last{"%l" + id + "#" + (chance(50) ? "0" : "1"), scalar(type)};
  keep(k.op("tile.load $0 at [%c0, %c1] pad " + pad + " : %0 -> %r", {last},
            shape));
}

/// A loop that carries a pointer, and reads at it.
void RandomProgram::movePointer() {
  std::string element = oneOf(elements);
  if (element == "index" || isFloat(element))
    element = "i32";
  int64_t size = pick(1, 40), stride = pick(1, 20), trips = pick(0, 3);
  Value base = k.argument("!tile.ptr<" + element + ">",
                          {.dims = {size + 3 * stride}, .anyBits = true});
  Value x = like(tile(element, {size}));
  std::string id = to_string(names++),
              types = base.type.element + ", " + x.type.str();
  Value end = index(trips);
  k.line("%l" + id + ":2 = scf.for %i" + id + " = %c0 to " + end.name +
         " step %c1 iter_args(%q" + id + " = " + base.name + ", %a" + id +
         " = " + x.name + ") -> (" + types + ") {");
  Value at = pointers({"%q" + id, base.type}, x.type, chance(30));
  Value read = k.op("tile.load_ptr $0 : %0", {at}, x.type);
  Value sum = apply("arith.xori", {"%a" + id, x.type}, read);
  Value next = k.op("tile.offset $0, $1 : %0, index",
                    {{"%q" + id, base.type}, index(stride)}, base.type);
  k.line("scf.yield " + next.name + ", " + sum.name + " : " + types + "\n}");
  keep({"%l" + id + "#1", x.type});
  Value last =
      pointers({"%l" + id + "#0", base.type}, tile(element, {1}), false);
  keep(k.op("tile.load_ptr $0 : %0", {last}, tile(element, {1})));
}

void RandomProgram::control() {
  int64_t way = pick(1, 15);
  if (way <= 3)
    return loop();
  if (way <= 5)
    return accumulate();
  if (way <= 8)
    return branch();
  if (way <= 10)
    return whileLoop();
  if (way == 13)
    return chooseView();
  if (way == 14)
    return movePointer();
  if (way == 15)
    return exchangeViews();
  return way == 11 ? choose() : call();
}

} // namespace tilewright::fuzz

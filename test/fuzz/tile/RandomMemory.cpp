// Random kernels: views, of arguments and made of pointers, and their tiles.
#include "RandomProgram.h"

#include <algorithm>

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

/// Numbers for a tile of this type, and what is known of them then.
Input RandomProgram::someNumbers(const std::string &element, Facts &facts) {
  Input input;
  if (!isFloat(element)) {
    input.anyBits = element != "index" && chance(50);
    return input;
  }
  int64_t kind = pick(1, 100);
  bool isPower = element == "f8E8M0FNU";
  if (kind <= 50) {
    for (int i = pick(3, 17); i > 0; --i)
      input.values.push_back(isPower ? double(1 << pick(0, 2))
                                     : double(pick(-3, 3)));
    facts = {4, !isPower, false};
  } else if (kind <= 70) {
    if (!isPower)
      facts.magnitude = 4;
  } else if (kind <= 85) {
    input.values = {0, -0.0, 1, NAN, -2.5, INFINITY, 0.5, -INFINITY};
  } else {
    input.anyBits = true;
  }
  return input;
}

/// The text of numbers of which each is known to the compiler or not.
static std::string knownOrNot(const std::vector<int64_t> &all,
                              const std::vector<bool> &isKnown) {
  std::vector<std::string> texts;
  for (size_t d = 0; d < all.size(); ++d)
    texts.push_back(isKnown[d] ? to_string(all[d]) : "?");
  return commas(texts, [](const std::string &text) { return text; });
}

/// The names of those that are not.
static std::string
unknownNames(const std::vector<int64_t> &all, const std::vector<bool> &isKnown,
             const std::function<std::string(int64_t)> &name) {
  std::string names;
  for (size_t d = 0; d < all.size(); ++d)
    if (!isKnown[d])
      names += (names.empty() ? "" : ", ") + name(all[d]);
  return names;
}

/// Numbers that each of these is a multiple of, as an attribute.
static std::string divisors(const char *name, const std::vector<int64_t> &all) {
  std::string text;
  for (int64_t number : all) {
    int64_t divisor = 16;
    while (number % divisor)
      divisor /= 2;
    text += (text.empty() ? " " : ", ") + to_string(divisor);
  }
  return std::string("tile.") + name + " = array<i64:" + text + ">";
}

/// The caller's assumptions about a view: none, or all that are true.
std::string RandomProgram::assumptions(const std::vector<int64_t> &dims,
                                       const std::vector<int64_t> &strides) {
  if (dims.empty() || chance(70))
    return "";
  std::string text = divisors("dim_divisible", dims);
  return strides.empty() ? text
                         : text + ", " + divisors("stride_divisible", strides);
}

/// A view with these dims, some of them known, with strides or not: an
/// argument, or made of a pointer. If it is written, no two elements of it have
/// one address.
RandomProgram::View RandomProgram::view(const std::string &element,
                                        std::vector<int64_t> dims, Input input,
                                        bool isWritten) {
  std::vector<int64_t> order(dims.size()), strides;
  std::iota(order.begin(), order.end(), 0);
  // The host passes no negative sizes; a program may compute them.
  bool isNegative = std::ranges::any_of(dims, [](int64_t d) { return d < 0; });
  bool isMade = isNegative || chance(20);
  int64_t count = isNegative ? 0 : 1, first = 0;
  for (int64_t size : dims)
    count *= size;
  if (count && !dims.empty() && chance(30)) {
    std::shuffle(order.begin(), order.end(), random);
    strides.resize(dims.size());
    int64_t stride = chance(80) ? 1 : 2;
    for (int64_t d : order) {
      strides[d] = stride;
      stride = stride * dims[d] + (chance(50) ? pick(0, 9) : 0);
    }
    if (!isWritten && chance(20))
      strides[order[0]] = 0;
    count = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
      count += (dims[d] - 1) * strides[d];
      if (isMade && chance(25))
        first += (dims[d] - 1) * strides[d], strides[d] = -strides[d];
    }
  }
  std::vector<bool> knownDims, knownStrides;
  std::string type = "!tile.view<";
  for (int64_t size : dims) {
    knownDims.push_back(size >= 0 && chance(50));
    knownStrides.push_back(chance(50));
    type += (knownDims.back() ? to_string(size) : "?") + "x";
  }
  type += element;
  if (!strides.empty())
    type += ", strides<[" + knownOrNot(strides, knownStrides) + "]>";
  type += ">";
  if (!isMade) {
    input.dims = dims;
    input.strides = strides;
    std::string assumed = assumptions(dims, strides);
    // Each argument has memory of its own.
    if (!viewArguments.empty() && chance(30)) {
      std::string others;
      for (size_t other : viewArguments)
        others += (others.empty() ? " " : ", ") + to_string(other);
      assumed += (assumed.empty() ? "" : ", ") +
                 ("tile.disjoint = array<i64:" + others + ">");
    }
    viewArguments.push_back(k.inputs.size());
    return {k.argument(type, input, assumed), dims};
  }
  input.dims = {count};
  Value base = k.argument("!tile.ptr<" + element + ">", input);
  if (first)
    base =
        k.op("tile.offset $0, $1 : %0, index", {base, index(first)}, base.type);
  auto name = [&](int64_t value) { return index(value).name; };
  std::string text = "tile.make_view $0",
              sizes = unknownNames(dims, knownDims, name);
  if (!sizes.empty())
    text += " sizes[" + sizes + "]";
  std::string steps =
      strides.empty() ? "" : unknownNames(strides, knownStrides, name);
  if (!steps.empty())
    text += " strides[" + steps + "]";
  return {k.op(text + " : %0 -> %r", {base}, scalar(type)), dims};
}

static std::string padOf(const std::string &element, int64_t number) {
  if (element == "i1")
    return number ? " pad true" : " pad false";
  if (element == "f8E8M0FNU")
    return " pad 1.0";
  return " pad " + to_string(number) + (isFloat(element) ? ".0" : "");
}

/// A tile of this type that memory holds. It has the facts of the input, of
/// which integers up to 1 are no exception.
Value RandomProgram::read(const TileType &type, const Input &input) {
  if (type.element == "index")
    return k.op("arith.index_cast $0 : %0 to %r", {read(type.of("i64"), input)},
                type);
  int64_t way = pick(1, 100);
  if (way <= 40 || type.shape.empty() || type.count() > 3000)
    return k.load(type, input);
  if (way <= 55)
    return readTile(type, input);
  return way <= 85 ? readPart(type, input) : readPointers(type, input);
}

/// Addressed by tile index.
Value RandomProgram::readTile(const TileType &type, const Input &input) {
  std::vector<int64_t> dims;
  std::string at;
  bool isPadded = chance(60);
  for (int64_t size : type.shape) {
    int64_t i = pick(0, 2), all = size * (i + 1);
    bool isFree = isPadded && chance(30);
    dims.push_back(isPadded ? std::max<int64_t>(all - pick(0, size + 1), 1)
                            : all + pick(0, size));
    at += (at.empty() ? "" : ", ") + (isFree ? oneOf(indices) : index(i).name);
  }
  View from = view(type.element, dims, input, false);
  return k.op("tile.load $0[" + at + "]" +
                  (isPadded ? padOf(type.element, pick(0, 1)) : "") +
                  " : %0 -> %r",
              {from.value}, type);
}

/// Addressed by element offsets, with steps, over the edges where it is padded.
Value RandomProgram::readPart(const TileType &type, const Input &input) {
  std::vector<int64_t> dims, steps;
  std::string at;
  bool isPadded = chance(60), hasSteps = chance(40);
  for (int64_t size : type.shape) {
    int64_t step = hasSteps ? pick(1, 3) : 1, extent = (size - 1) * step + 1;
    int64_t offset = isPadded ? pick(-3, 4) : pick(0, 3);
    bool isFree = isPadded && chance(30);
    // Far outside, where products of small integers would come back.
    if (isPadded && chance(4))
      offset = (chance(50) ? 1 : -1) * (int64_t(1) << pick(20, 40));
    steps.push_back(step);
    dims.push_back(isPadded ? pick(0, extent + 2)
                            : offset + extent + pick(0, 2));
    if (isPadded && chance(2))
      dims.back() = -pick(1, 3);
    at += (at.empty() ? "" : ", ") +
          (isFree ? oneOf(indices) : index(offset).name);
  }
  View from = view(type.element, dims, input, false);
  return k.op("tile.load $0 at [" + at + "]" +
                  (hasSteps ? " step " + numbers(steps) : "") +
                  (isPadded ? padOf(type.element, pick(0, 1)) : "") +
                  " : %0 -> %r",
              {from.value}, type);
}

/// Stores a tile: to a separate view, or by pointers. Elements beyond the
/// view's edges are dropped.
void RandomProgram::write(const Value &value, Tolerance tolerance) {
  if (value.type.element == "index")
    return write(
        k.op("arith.index_cast $0 : %0 to %r", {value}, value.type.of("i64")),
        tolerance);
  // The least number: zeros are equal.
  if (factsOf(value).anyZero)
    tolerance.absolute = std::max(tolerance.absolute, 5e-324);
  if (programs > 1 && chance(70))
    return writeRows(value, tolerance);
  if (programs > 1 || chance(20))
    return writePointers(value, tolerance);
  std::vector<int64_t> dims, steps;
  bool byTile = chance(30), hasSteps = !byTile && chance(40);
  std::string at;
  for (int64_t size : value.type.shape) {
    int64_t step = hasSteps ? pick(1, 3) : 1, extent = (size - 1) * step + 1;
    int64_t offset = chance(60) ? 0 : pick(byTile ? 0 : -2, 3);
    if (chance(2)) {
      offset = (chance(50) ? 1 : -1) * (int64_t(1) << pick(20, 40));
      steps.push_back(step);
      dims.push_back(pick(1, 9));
      at += (at.empty() ? "" : ", ") + index(offset).name;
      continue;
    }
    int64_t end = byTile ? (offset + 1) * size : offset + extent;
    steps.push_back(step);
    dims.push_back(chance(60) ? std::max<int64_t>(end, 1)
                              : pick(1, std::max<int64_t>(end, 1) + 3));
    at += (at.empty() ? "" : ", ") + index(offset).name;
  }
  View to = view(value.type.element, dims, {.tolerance = tolerance}, true);
  k.effect("tile.store $0, $1" + std::string(byTile ? "[" : " at [") + at +
               "]" + (hasSteps ? " step " + numbers(steps) : "") + " : %0, %1",
           {value, to.value});
}

/// Each program's rows of one view; the last ones may be outside.
void RandomProgram::writeRows(const Value &value, Tolerance tolerance) {
  std::vector<int64_t> dims = value.type.shape;
  if (dims.empty() || chance(50))
    dims.insert(dims.begin(), 1);
  Value rows = dims == value.type.shape ? value : reshaped(value, dims);
  dims[0] = dims[0] * programs - (chance(50) ? pick(0, dims[0]) : 0);
  std::string at = program;
  for (size_t d = 1; d < dims.size(); ++d)
    at += ", %c0";
  View to = view(value.type.element, dims, {.tolerance = tolerance}, true);
  k.effect("tile.store $0, $1[" + at + "] : %0, %1", {rows, to.value});
}

/// Stores a tile that a lowering may round in its own way, moved or not.
void RandomProgram::settle(Value value, Tolerance tolerance) {
  if (chance(30))
    value = transposed(value);
  if (chance(20))
    value = reshaped(value, {value.type.count()});
  write(value, tolerance);
}

//===--- Views that are read and written ----------------------------------===//

void RandomProgram::sharedViews() {
  for (int i = pick(1, 3); i > 0; --i) {
    std::string element = oneOf(elements);
    if (element == "index")
      element = "i64";
    std::vector<int64_t> dims = {pick(3, 9), pick(9, 40)};
    // Each program has a separate part.
    if (programs > 1)
      dims.insert(dims.begin(), programs);
    views.push_back(view(element, dims, {}, true));
  }
}

static std::string elementOf(const std::string &view) {
  size_t end = view.find_first_of(",>"), begin = view.rfind('x', end);
  return view.substr(begin + 1, end - begin - 1);
}

/// Where a window of the program's part begins, and its steps.
std::string RandomProgram::window(const View &view) {
  std::string head = view.dims.size() > 2 ? program + ", " : "";
  std::string text = " at [" + head + oneOf(indices);
  text += ", " + oneOf(indices) + "]";
  if (!chance(30))
    return text;
  text += head.empty() ? " step [" : " step [1, ";
  text += to_string(pick(1, 2));
  return text + ", " + to_string(pick(1, 3)) + "]";
}

void RandomProgram::readWindow() {
  const View &from = oneOf(views);
  std::string element = elementOf(from.value.type.element);
  std::vector<int64_t> shape = {pick(1, 6), pick(1, 20)};
  if (from.dims.size() > 2)
    shape.insert(shape.begin(), 1);
  keep(k.op("tile.load $0" + window(from) + padOf(element, 1) + " : %0 -> %r",
            {from.value}, tile(element, shape)));
}

void RandomProgram::writeWindow() {
  const View &to = oneOf(views);
  std::string element = elementOf(to.value.type.element);
  std::vector<Value> found;
  for (const Value &value : live)
    if (value.type.element == element && !factsOf(value).anyZero)
      found.push_back(value);
  Value x = found.empty() ? fresh(tile(element, {3, 5}))
            : chance(50)  ? found.back()
                          : oneOf(found);
  if (x.type.shape.size() != to.dims.size()) {
    std::vector<int64_t> shape(to.dims.size(), 1);
    shape.back() = x.type.count();
    x = reshaped(x, shape);
  } else if (x.type.shape.size() > 2 && x.type.shape[0] > 1) {
    x = reshaped(x, {1, x.type.shape[0] * x.type.shape[1], x.type.shape[2]});
  }
  k.effect("tile.store $0, $1" + window(to) + " : %0, %1", {x, to.value});
}

/// Updates part of a view, element by element; does nothing where atomics do
/// not support the element type. Sums of f32 may lose subnormals.
void RandomProgram::updateWindow() {
  const View &to = oneOf(views);
  std::string element = elementOf(to.value.type.element);
  static const char *const updated[] = {"i32",  "i64", "f16",
                                        "bf16", "f32", "f64"};
  if (std::ranges::find(updated, element) == std::end(updated))
    return;
  static const char *const kinds[] = {"exchange", "max",  "min", "add", "xor",
                                      "umax",     "umin", "and", "or"};
  int last = element == "f32" ? 2 : isFloat(element) ? 3 : 8;
  std::vector<int64_t> shape = {pick(1, 6), pick(1, 20)};
  if (to.dims.size() > 2)
    shape.insert(shape.begin(), 1);
  Value x = fresh(tile(element, shape));
  k.effect("tile.atomic_reduce " + std::string(kinds[pick(0, last)]) +
               (chance(50) ? " relaxed" : " release") + " device $0, $1" +
               window(to) + " : %0, %1",
           {x, to.value});
}

/// A program's queries of a view, as a tile.
void RandomProgram::queries() {
  const View &of = oneOf(views);
  size_t dim = pick(0, of.dims.size() - 1);
  std::string number = to_string(dim);
  static const char *const texts[] = {"dim $0, ", "stride $0, ", "count $0, "};
  size_t which = pick(0, 2);
  Value n =
      k.op("tile." + std::string(texts[which]) + number +
               (which == 2 ? " by " + to_string(pick(1, 9)) : "") + " : %0",
           {of.value}, scalar("index"));
  Value i = k.op("arith.index_cast $0 : %0 to %r", {n}, scalar("i32"));
  keep(k.op("tile.splat $0 : %0 -> %r", {i}, tile("i32", shape(100))));
  if (which == 0 && of.dims[dim] <= 9)
    indices.push_back(n.name);
}

} // namespace tilewright::fuzz

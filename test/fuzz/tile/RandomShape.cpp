// Random kernels: ops that move elements.
#include "RandomProgram.h"

#include <algorithm>

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

Value RandomProgram::transposed(const Value &x) {
  std::vector<int64_t> permutation(x.type.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random);
  TileType type = x.type;
  for (size_t d = 0; d < permutation.size(); ++d)
    type.shape[d] = x.type.shape[permutation[d]];
  return k.op("tile.transpose $0 " + numbers(permutation) + " : %0 -> %r", {x},
              type);
}

void RandomProgram::transpose(const Value &x) {
  keep(transposed(x), factsOf(x));
}

Value RandomProgram::reshaped(const Value &x, std::vector<int64_t> shape) {
  return k.op("tile.reshape $0 : %0 -> %r", {x},
              tile(x.type.element, std::move(shape)));
}

/// Into factors of the number of elements, with dims of size 1 among them.
void RandomProgram::reshape(const Value &x) {
  std::vector<int64_t> shape;
  int64_t rest = x.type.count();
  for (int i = pick(0, 3); i > 0; --i) {
    int64_t factor = pick(1, 12);
    while (rest % factor)
      --factor;
    shape.push_back(factor);
    rest /= factor;
  }
  if (rest > 1 || chance(20))
    shape.insert(shape.begin() + pick(0, shape.size()), rest);
  keep(reshaped(x, shape), factsOf(x));
}

void RandomProgram::broadcast(const Value &x) {
  std::vector<int64_t> shape = x.type.shape;
  if (shape.size() > 4)
    return;
  size_t axis = pick(0, shape.size());
  shape.insert(shape.begin() + axis, 1);
  Value r = reshaped(x, shape);
  int64_t most = std::max<int64_t>(1, 1500 / x.type.count());
  int64_t size = std::min(chance(50) ? oneOf(sizes) : pick(1, 5), most);
  keep(k.op("tile.broadcast $0 : %0 -> %r", {r}, r.type.withSize(axis, size)),
       factsOf(x));
}

void RandomProgram::slice(const Value &x) {
  std::vector<int64_t> offsets, steps;
  TileType type = x.type;
  for (int64_t &size : type.shape) {
    bool isWhole = chance(40);
    offsets.push_back(isWhole ? 0 : pick(0, (size - 1) / 2));
    steps.push_back(isWhole ? 1 : pick(1, 3));
    size = (size - offsets.back() + steps.back() - 1) / steps.back();
    if (!isWhole && chance(30))
      size = pick(1, size);
  }
  bool isPlain = std::ranges::all_of(steps, [](int64_t s) { return s == 1; });
  keep(k.op("tile.slice $0 " + numbers(offsets) +
                (isPlain ? "" : " step " + numbers(steps)) + " : %0 -> %r",
            {x}, type),
       factsOf(x));
}

/// The first part of a tile, of no more elements than that.
Value RandomProgram::smaller(const Value &x, int64_t mostElements) {
  TileType type = x.type;
  while (type.count() > mostElements) {
    int64_t &size = *std::ranges::max_element(type.shape);
    size = (size + 1) / 2;
  }
  std::vector<int64_t> offsets(type.shape.size(), 0);
  return keep(
      k.op("tile.slice $0 " + numbers(offsets) + " : %0 -> %r", {x}, type),
      factsOf(x));
}

void RandomProgram::joinOrSplit(const Value &x) {
  TileType type = x.type;
  Facts facts = factsOf(x);
  if (!type.shape.empty() && type.shape.back() <= 5 && chance(70)) {
    int64_t parts = type.shape.back();
    type.shape.pop_back();
    std::vector<TileType> types(parts, type);
    for (const Value &part :
         k.ops("tile.split $0 : %0 -> " +
                   commas(types, [](const TileType &t) { return t.str(); }),
               {x}, types))
      keep(part, facts);
    return;
  }
  std::vector<Value> inputs = {x};
  for (int i = pick(0, 2); i > 0; --i)
    inputs.push_back(like(x.type));
  for (const Value &input : inputs) {
    Facts other = factsOf(input);
    facts = {std::max(facts.magnitude, other.magnitude),
             facts.isIntegral && other.isIntegral,
             facts.anyZero || other.anyZero};
  }
  type.shape.push_back(inputs.size());
  auto typeOf = [](const Value &v) { return v.type.str(); };
  auto nameOf = [](const Value &v) { return v.name; };
  keep(k.op("tile.join " + commas(inputs, nameOf) + " : " +
                commas(inputs, typeOf) + " -> %r",
            {}, type),
       facts);
}

void RandomProgram::concat(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  TileType other = x.type;
  if (chance(50))
    other.shape[axis] = pick(1, 4);
  Value y = like(other);
  Facts a = factsOf(x), b = factsOf(y);
  std::vector<Value> inputs = {x, y};
  if (chance(50))
    std::swap(inputs[0], inputs[1]);
  keep(k.op("tile.concat $0, $1 axis " + to_string(axis) + " : %0, %1 -> %r",
            inputs,
            x.type.withSize(axis, x.type.shape[axis] + other.shape[axis])),
       {std::max(a.magnitude, b.magnitude), a.isIntegral && b.isIntegral,
        a.anyZero || b.anyZero});
}

void RandomProgram::gather(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  int64_t size = x.type.shape[axis];
  TileType type = x.type.withSize(axis, pick(1, chance(50) ? 9 : size));
  // Computed indices: brought into range by a remainder.
  static const char *const integers[] = {"i16", "i32", "i64", "index"};
  std::string element = oneOf(integers);
  Value i = read(type.of(element == "index" ? "i64" : element),
                 {.low = 0, .high = 1000});
  if (element == "index")
    i = k.op("arith.index_cast $0 : %0 to %r", {i}, i.type.of("index"));
  Value n = k.constant(to_string(size), i.type);
  Value j = k.op("arith.remui $0, $1 : %r", {i, n}, i.type);
  keep(k.op("tile.gather $0, $1 axis " + to_string(axis) + " : %0, %1 -> %r",
            {x, j}, type),
       factsOf(x));
}

/// One element, and a tile of it.
void RandomProgram::extract(const Value &x) {
  keep(k.op("tile.splat $0 : %0 -> %r", {extracted(x)},
            tile(x.type.element, shape(500))),
       factsOf(x));
}

/// The numbers of a dimension, spread over the tile's shape.
void RandomProgram::iota(const Value &x) {
  std::string element = isFloat(x.type.element) ? "i32" : x.type.element;
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  int64_t size = x.type.shape[axis];
  if (element != "index" && widthOf(element) < 16 &&
      size > int64_t(1) << widthOf(element))
    element = "i32";
  Value line = k.op("tile.iota : %r", {}, tile(element, {size}));
  std::vector<int64_t> shape(x.type.shape.size(), 1);
  shape[axis] = size;
  keep(k.op("tile.broadcast $0 : %0 -> %r", {reshaped(line, shape)},
            tile(element, x.type.shape)));
}

} // namespace tilewright::fuzz

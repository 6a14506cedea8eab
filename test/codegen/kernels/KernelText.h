//===- KernelText.h - Writing the text of a kernel --------------*- C++ -*-===//
//
// A kernel's text, line by line. Each load and each store brings its own view
// argument, of the tile's shape:
//
//   KernelText k;
//   Value a = k.load(tile("f32", {5, 7}));
//   k.store(k.op("tile.transpose $0 [1, 0] : %0 -> %r", {a},
//                tile("f32", {7, 5})));
//   k.check();
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_KERNELTEXT_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_KERNELTEXT_H

#include "Agree.h"

#include <algorithm>
#include <numeric>

namespace tilewright::kerneltest {

/// The type of a value: a tile, or a scalar.
struct TileType {
  std::string element;
  std::vector<int64_t> shape = {};
  bool isTile = false;

  /// `5x7xf32`: the text in a tensor's or view's brackets.
  std::string body() const {
    std::string text;
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element;
  }
  std::string str() const {
    return isTile ? "tensor<" + body() + ">" : element;
  }
  /// The same shape with other elements.
  TileType of(const std::string &other) const { return {other, shape, isTile}; }
  TileType withSize(size_t dim, int64_t size) const {
    TileType result = *this;
    result.shape[dim] = size;
    return result;
  }
  int64_t count() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<>());
  }
};

inline TileType tile(std::string element, std::vector<int64_t> shape) {
  return {std::move(element), std::move(shape), true};
}
inline TileType scalar(std::string element) { return {std::move(element)}; }

/// A named value of the kernel.
struct Value {
  std::string name;
  TileType type;
};

inline bool isFloat(const std::string &element) { return element[0] != 'i'; }

inline int widthOf(const std::string &element) {
  if (element == "index")
    return 64;
  return std::stoi(element.substr(element.find_first_of("0123456789")));
}

/// `a, b, c` for names or types.
template <typename List, typename Map>
std::string commas(const List &list, Map map) {
  std::string text;
  for (const auto &item : list)
    text += (text.empty() ? "" : ", ") + std::string(map(item));
  return text;
}
inline std::string numbers(const std::vector<int64_t> &list) {
  return "[" + commas(list, [](int64_t n) { return std::to_string(n); }) + "]";
}

class KernelText {
public:
  /// Adds an argument; `assumptions` are its attributes.
  Value argument(const std::string &type, Input input = {},
                 const std::string &assumptions = "") {
    inputs.push_back(std::move(input));
    Value value{"%arg" + std::to_string(inputs.size() - 1), scalar(type)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + type +
                 (assumptions.empty() ? "" : " {" + assumptions + "}");
    if (type.starts_with("!tile.view"))
      sizes += std::count(type.begin(), type.end(), 'x');
    else if (type[0] == 'i')
      ++sizes;
    return value;
  }

  /// Adds a line as it is.
  void line(const std::string &text) { lines += text + "\n"; }

  /// Adds an op with results. In `text`, `$N` and `%N` are the name and the
  /// type of operand N, and `%r` is the type of the (first) result.
  std::vector<Value> ops(const std::string &text,
                         const std::vector<Value> &operands,
                         const std::vector<TileType> &results) {
    std::string name = "%v" + std::to_string(values++);
    bool isOne = results.size() == 1;
    line(name + (isOne ? "" : ":" + std::to_string(results.size())) + " = " +
         expand(text, operands, results[0].str()));
    std::vector<Value> made;
    for (size_t i = 0; i < results.size(); ++i)
      made.push_back(
          {isOne ? name : name + "#" + std::to_string(i), results[i]});
    return made;
  }
  Value op(const std::string &text, const std::vector<Value> &operands,
           const TileType &result) {
    return ops(text, operands, {result})[0];
  }
  /// Adds an op without results.
  void effect(const std::string &text, const std::vector<Value> &operands) {
    line(expand(text, operands, ""));
  }

  Value constant(const std::string &number, const TileType &type) {
    return op("arith.constant " +
                  (type.isTile ? "dense<" + number + ">" : number) + " : %r",
              {}, type);
  }

  /// The tile that fills a view argument.
  Value load(const TileType &type, Input input = {}) {
    if (type.element == "index")
      return op("arith.index_cast $0 : %0 to %r",
                {load(type.of("i64"), std::move(input))}, type);
    Value view = argument("!tile.view<" + type.body() + ">", std::move(input));
    return op("tile.load $0" + zeros(type) + " : %0 -> %r", {view}, type);
  }
  /// Writes a value to a separate view argument.
  void store(const Value &value) {
    if (!value.type.isTile) {
      TileType type = tile(value.type.element, {});
      return store(op("tile.splat $0 : %0 -> %r", {value}, type));
    }
    if (value.type.element == "index")
      return store(
          op("arith.index_cast $0 : %0 to %r", {value}, value.type.of("i64")));
    Value view = argument("!tile.view<" + value.type.body() + ">");
    effect("tile.store $0, $1" + zeros(value.type) + " : %0, %1",
           {value, view});
  }

  /// The counts of programs, of the sizes s0, s1, ..; empty: one program.
  std::string grid;
  /// The kernel's device functions.
  std::string functions;

  std::string str() const {
    std::string map;
    for (int i = 0; i < sizes; ++i)
      map += (i ? ", s" : "s") + std::to_string(i);
    if (!grid.empty())
      map = "grid affine_map<()[" + map + "] -> (" + grid + ")>";
    else
      map.clear();
    return functions + "tile.kernel @k(" + arguments + ") " + map +
           " {\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : "
           "index\n%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : "
           "index\n" +
           lines + "}\n";
  }
  /// Checks that it agrees.
  void check(Tolerance tolerance = {}, uint64_t seed = 1) const {
    agree(str(), inputs, tolerance, seed);
  }

  /// Likewise, for a kernel that is one of very many alike: see isOneIn.
  void checkOneIn(unsigned n, Tolerance tolerance = {},
                  uint64_t seed = 1) const {
    if (isOneIn(n, str()))
      check(tolerance, seed);
  }

  /// Arguments and values so far, without those of lines.
  size_t size() const { return inputs.size() + values + 4; }

  std::vector<Input> inputs;

private:
  static std::string zeros(const TileType &type) {
    return "[" + commas(type.shape, [](int64_t) { return "%c0"; }) + "]";
  }
  static std::string expand(const std::string &text,
                            const std::vector<Value> &operands,
                            const std::string &result) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      char next = i + 1 < text.size() ? text[i + 1] : ' ';
      bool isNumber = next >= '0' && next <= '9';
      if (text[i] == '$' && isNumber)
        out += operands[text[++i] - '0'].name;
      else if (text[i] == '%' && isNumber)
        out += operands[text[++i] - '0'].type.str();
      else if (text.compare(i, 2, "%r") == 0 &&
               (i + 2 == text.size() || !isalnum(text[i + 2])))
        out += result, ++i;
      else
        out += text[i];
    }
    return out;
  }

  std::string arguments, lines;
  int values = 0, sizes = 0;
};

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_KERNELTEXT_H

//===- RandomProgram.h - Tile kernels made at random ------------*- C++ -*-===//
//
// A valid kernel of random ops on tiles of random shapes and types. The seed
// decides everything. Its results are specified to the bit where possible: sums
// of floats are of integers small enough for any order, and the facts known of
// a tile's floats (`Facts`) are propagated from op to op. Results that a
// lowering may round differently (functions, sums of any floats) are stored at
// once, with their tolerance, and feed nothing but moves.
//
// No `tile.inline_ptx` (the interpreter runs none), no `tile.print` (it changes
// no memory) and no `tile.tunable` (bound before a kernel is lowered).
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_RANDOMPROGRAM_H
#define TILEWRIGHT_TEST_FUZZ_TILE_RANDOMPROGRAM_H

#include "test/codegen/kernels/KernelText.h"

#include <cmath>
#include <map>
#include <random>

namespace tilewright::fuzz {

using kerneltest::Input;
using kerneltest::KernelText;
using kerneltest::TileType;
using kerneltest::Tolerance;
using kerneltest::Value;
// Not the namespace of the dialect.
using kerneltest::tile;

/// What is known of the floats of a tile.
struct Facts {
  /// No NaN, and none greater than this.
  double magnitude = INFINITY;
  /// All are integers.
  bool isIntegral = false;
  /// The sign of zeros is not specified.
  bool anyZero = false;

  bool isBounded() const { return magnitude < INFINITY; }
};

/// The greatest n such that the element type has all integers up to n; 0 of
/// types that are no floats.
double exactIntegers(const std::string &element);

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed);
  /// Adds about `count` ops and stores; the kernel is then complete.
  KernelText &generate(int count);
  /// Products that grow along loops, with few ops around them.
  KernelText &generateProducts();

private:
  using Step = void (RandomProgram::*)(const Value &);
  struct WeightedStep {
    int weight;
    Step step;
  };

  // RandomProgram.cpp: decisions, values, steps.
  int64_t pick(int64_t low, int64_t high);
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <typename List> auto &oneOf(List &list) {
    return list[pick(0, std::size(list) - 1)];
  }
  std::vector<int64_t> shape(int64_t mostElements, size_t mostDims = 4);
  Value any();
  Value like(const TileType &type);
  /// The same whose zeros have their signs.
  Value definite(const TileType &type);
  Value integral(const TileType &type, double mostMagnitude);
  Value fresh(const TileType &type);
  Value constant(const TileType &type);
  Value keep(const Value &made, Facts facts = {});
  Facts factsOf(const Value &value) const;
  Value index(int64_t value);
  /// What a region sees; whatever is made in it is forgotten after it.
  struct Scope {
    std::vector<Value> live, scalars;
    std::vector<std::string> indices;
  };
  Scope scope() const { return {live, scalars, indices}; }
  void leave(const Scope &outer);
  void steps(int count);
  void step();
  void stepOnTile();

  // RandomMemory.cpp: views.
  struct View {
    Value value;
    std::vector<int64_t> dims;
  };
  View view(const std::string &element, std::vector<int64_t> dims, Input input,
            bool isWritten);
  std::string assumptions(const std::vector<int64_t> &dims,
                          const std::vector<int64_t> &strides);
  Input someNumbers(const std::string &element, Facts &facts);
  Value read(const TileType &type, const Input &input);
  Value readPart(const TileType &type, const Input &input);
  Value readTile(const TileType &type, const Input &input);
  void write(const Value &value, Tolerance tolerance = {});
  void writeRows(const Value &value, Tolerance tolerance);
  void settle(Value value, Tolerance tolerance);
  void sharedViews();
  std::string window(const View &view);
  void readWindow();
  void writeWindow();
  void updateWindow();
  void queries();

  // RandomPointer.cpp: pointers and atomics.
  Value pointers(const Value &base, const TileType &type, bool isShuffled);
  Value readPointers(const TileType &type, const Input &input);
  void writePointers(const Value &value, Tolerance tolerance);
  void pointerStep();
  void casts();
  void sharedArrays();
  Value partOf(const Value &base, int64_t count);
  void arrayByPointers();
  void arrayByView();
  void atomic();
  void compareAndSwap();
  void sharedCounters();

  // RandomControl.cpp: loops, branches, calls.
  void loop();
  void accumulate();
  void whileLoop();
  void branch();
  void choose();
  void call();
  void control();
  void chooseView();
  void exchangeViews();
  void movePointer();

  // RandomScalars.cpp: scalars, and what follows from elements of tiles.
  Value extracted(const Value &x);
  Value scalarLike(const std::string &element);
  Value condition();
  void dataIndex();
  void scalarStep();
  void scalarOp();
  void scalarMemory();

  // RandomElements.cpp: ops element by element.
  void elementwise(const Value &x);
  void binaryFloat(const Value &x);
  void binaryInteger(const Value &x);
  void keepWhere(const Value &condition, const Value &made,
                 const Value &otherwise);
  Value fitsWidth(const Value &x);
  void anyDivision(const Value &x);
  void anyShift(const Value &x);
  void anyToInteger(const Value &x);
  void partial(const Value &x);
  void division(const Value &x);
  void shift(const Value &x);
  void extended(const Value &x);
  void unary(const Value &x);
  void function(const Value &x);
  void fused(const Value &x);
  void select(const Value &x);
  void convert(const Value &x);
  void cast(const Value &x);
  void assume(const Value &x);
  void philox(const Value &x);
  Value apply(const std::string &op, const Value &x, const Value &y);

  // RandomShape.cpp: moves of elements.
  void transpose(const Value &x);
  void reshape(const Value &x);
  void broadcast(const Value &x);
  void slice(const Value &x);
  void joinOrSplit(const Value &x);
  void concat(const Value &x);
  void gather(const Value &x);
  void extract(const Value &x);
  void iota(const Value &x);
  Value reshaped(const Value &x, std::vector<int64_t> shape);
  Value transposed(const Value &x);
  Value smaller(const Value &x, int64_t mostElements);

  // RandomCompute.cpp: ops along a dimension, products.
  void combine(const Value &x);
  void combinePairs(const Value &x);
  void combined(const std::vector<Value> &inputs, size_t axis, bool isScan,
                const std::string &region, Facts facts, Tolerance tolerance);
  void sumOfFloats(const Value &x);
  void sort(const Value &x);
  void top(const Value &x);
  void histogram(const Value &x);
  void dot(const Value &x);
  void scaledDot(const Value &x);
  Value product(const Value &lhs, const Value &rhs, const Value &acc,
                Tolerance &tolerance);

  std::mt19937_64 random;
  KernelText k;
  /// Numbers of the arguments that are views.
  std::vector<size_t> viewArguments;
  /// Those that most tiles have.
  std::vector<std::string> elements;
  /// Sizes of dims that most tiles have.
  std::vector<int64_t> sizes;
  /// Read and written.
  std::vector<View> views;
  /// This program's part of an array, and its elements; read and written, too.
  std::vector<std::pair<Value, int64_t>> arrays;
  std::vector<Value> live;
  /// Scalars, but for those of `indices`.
  std::vector<Value> scalars;
  std::map<std::string, Facts> known;
  /// Names of indices.
  std::vector<std::string> indices = {"%c0", "%c1", "%c2", "%c3"};
  /// Programs, and the name of this one's number.
  int64_t programs = 1;
  std::string program = "%c0";
  int depth = 0, names = 0;
};

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_RANDOMPROGRAM_H

//===- RandomProgram.h - Kernels made at random -----------------*- C++ -*-===//
//
// A kernel of random ops whose results no lowering may change: integers, or
// floats with ops that round once. The seed decides everything.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_CODEGEN_CPU_RANDOMPROGRAM_H
#define TILEWRIGHT_TEST_CODEGEN_CPU_RANDOMPROGRAM_H

#include "KernelText.h"

#include <random>

namespace tilewright::cputest {

class RandomProgram {
public:
  RandomProgram(uint64_t seed, bool hasFloats);
  /// Adds ops and stores; the kernel is then complete.
  KernelText &generate(int steps);

private:
  // RandomProgram.cpp: values, memory, control flow.
  int64_t pick(int64_t low, int64_t high);
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <typename List> auto &oneOf(List &list) {
    return list[pick(0, std::size(list) - 1)];
  }
  Value any();
  Value like(const TileType &type);
  Value fresh(const TileType &type);
  void keep(const std::vector<Value> &made);
  std::string at();
  void readWindow();
  void writeWindow();
  void updateWindow();
  void loop();
  void whileLoop();
  void branch();
  void choose();
  void steps(int count);
  void step();

  // RandomOps.cpp: ops on tiles.
  void elementwise(const Value &x);
  void unary(const Value &x);
  void select(const Value &x);
  void convert(const Value &x);
  void transpose(const Value &x);
  void reshape(const Value &x);
  void broadcast(const Value &x);
  void slice(const Value &x);
  void joinOrSplit(const Value &x);
  void concat(const Value &x);
  void gather(const Value &x);
  void combine(const Value &x);
  void extract(const Value &x);
  void sort(const Value &x);
  void topOrHistogram(const Value &x);
  void dot(const Value &x);
  Value reshaped(const Value &x, std::vector<int64_t> shape);

  struct View {
    Value value;
    std::string element;
  };
  std::mt19937_64 random;
  KernelText k;
  std::vector<std::string> elements;
  std::vector<View> views;
  std::vector<Value> live;
  /// Names of indices.
  std::vector<std::string> indices = {"%c0", "%c1", "%c2", "%c3"};
  int depth = 0, names = 0;
};

} // namespace tilewright::cputest

#endif // TILEWRIGHT_TEST_CODEGEN_CPU_RANDOMPROGRAM_H

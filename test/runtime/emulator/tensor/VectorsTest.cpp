// Recorded results of hardware: 240,000 dot products from V100 to B200.
// The archive is large and not part of the repository: its path is given to
// CMake as TILEWRIGHT_TENSOR_VECTORS.
#include "Matrices.h"

#include "test/main/TestMain.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace tilewright::emulator;
using tilewright::HostIsa;
using tilewright::hostIsa;
using tilewright::StatusOr;

namespace {

using Table = std::vector<std::vector<std::uint32_t>>;

/// Rows of hexadecimal f32 (columns > 1 each), or of one binary f32.
Table readTable(const std::string &path, int base) {
  std::ifstream file(path);
  Table table;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<std::uint32_t> row;
    for (std::string word; words >> word;)
      row.push_back(
          static_cast<std::uint32_t>(std::stoul(word, nullptr, base)));
    if (!row.empty())
      table.push_back(row);
  }
  return table;
}

struct Gpu {
  const char *name;
  int sm;
  /// Its f8 -> f32 results were made by wgmma without C.
  bool hasWarpgroups;
};
constexpr Gpu gpus[] = {{"V100", 70, false}, {"A100", 80, false},
                        {"A2", 86, false},   {"Ada", 89, false},
                        {"L40S", 89, false}, {"H100", 90, true},
                        {"H200", 90, true},  {"B200", 100, false}};

struct Format {
  const char *name;
  ElementType type;
};
constexpr Format formats[] = {{"fp16", ElementType::f16},
                              {"bf16", ElementType::bf16},
                              {"tf32", ElementType::tf32},
                              {"E4M3", ElementType::e4m3},
                              {"E5M2", ElementType::e5m2}};

struct Counts {
  int vectors = 0;
  int wrong = 0;
  /// Elements of D off the diagonal, which are no recorded results, where the
  /// kernels differ from dotProduct.
  int inconsistent = 0;
};

/// Sixteen vectors at a time (the last eight likewise): the diagonal of a
/// 16 x 16 matrix D.
Counts checkSet(const Rule &rule, const Table &a, const Table &b,
                const Table &c, const Table &d, HostIsa isa) {
  const MatrixOperation &op = rule.operation;
  bool withoutC = op.instruction == MatrixInstruction::wgmma;
  Counts counts;
  for (std::size_t first = 0; first + 8 <= a.size(); first += 16) {
    int size = first + 16 <= a.size() ? 16 : 8;
    Matrix A(op.a, size, op.depth), B(op.b, op.depth, size);
    Matrix C(op.c, size, size), D(op.d, size, size);
    for (int i = 0; i < size; ++i) {
      for (int k = 0; k < op.depth; ++k) {
        A.set(i, k, elementOfFloat(op.a, a[first + i][k]));
        B.set(k, i, elementOfFloat(op.b, b[first + i][k]));
      }
      for (int j = 0; !withoutC && j < size; ++j)
        C.set(i, j, elementOfFloat(op.c, c[first + i][0]));
    }
    if (!multiplyAccumulate(rule, size, size, A.data(), B.data(), C.data(),
                            D.data(), isa)
             .ok())
      FAIL("not supported");
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        auto found = static_cast<std::uint32_t>(D.get(i, j));
        counts.inconsistent +=
            found != dotProduct(rule, A.row(i), B.column(j),
                                static_cast<std::uint32_t>(C.get(i, j)));
        if (i != j)
          continue;
        ++counts.vectors;
        counts.wrong += (op.d == ElementType::f16 ? floatOfHalf(found)
                                                  : found) != d[first + i][0];
      }
  }
  return counts;
}

} // namespace

TEST_CASE("240,000 recorded results of hardware") {
  std::string root = TENSOR_VECTORS;
  if (root.empty())
    return tilewright::test::skip("TILEWRIGHT_TENSOR_VECTORS names no archive");
  auto start = std::chrono::steady_clock::now();
  Counts all;
  for (const Gpu &gpu : gpus)
    for (const Format &format : formats)
      for (ElementType out : {ElementType::f32, ElementType::f16}) {
        std::string name = gpu.name, folder = root + "/model_validation/" +
                                              name + "/" + format.name + "/";
        bool half = out == ElementType::f16;
        Table d = readTable(
            folder + "d_" + name + (half ? "_fp16.txt" : "_fp32.txt"), 2);
        if (d.empty())
          continue;
        Table a =
            readTable(folder + "a_" + name + "_" + format.name + ".txt", 16);
        Table b =
            readTable(folder + "b_" + name + "_" + format.name + ".txt", 16);
        Table c = readTable(folder + "c_" + name + "_fp32.txt", 2);
        MatrixOperation op;
        op.a = op.b = format.type;
        op.c = op.d = out;
        op.depth = static_cast<int>(a[0].size());
        bool float8 = elementFacts(format.type).storageBytes == 1;
        if (gpu.hasWarpgroups && float8 && !half)
          op.instruction = MatrixInstruction::wgmma;
        StatusOr<Rule> rule = findRule(*tensorArchitecture(gpu.sm), op);
        INFO(folder << " " << elementFacts(out).name);
        REQUIRE(rule.ok());
        for (const NamedIsa &named : availableIsas()) {
          INFO(named.name);
          Counts counts = checkSet(*rule, a, b, c, d, named.isa);
          CHECK(counts.wrong == 0);
          CHECK(counts.inconsistent == 0);
          if (named.isa == hostIsa()) {
            all.vectors += counts.vectors;
            all.wrong += counts.wrong;
          }
        }
      }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::printf("tensor-core vectors: %d of %d right, %.1f s with reading\n",
              all.vectors - all.wrong, all.vectors, seconds.count());
  CHECK(all.vectors == 240000);
}

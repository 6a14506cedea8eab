// tensor-core [SECONDS]: multiply-adds per second of the emulator's tensor-core
// arithmetic, on one core, for each rule and each compiled instruction set; and
// of whole instructions, from registers and shared memory to registers.
#include "runtime/emulator/tensor/Kernels.h"
#include "runtime/emulator/tensor/MatrixMultiply.h"
#include "runtime/emulator/tensor/TensorCore.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace tilewright;
using namespace tilewright::emulator;

namespace {

struct Case {
  int sm;
  const char *shape;
  int rows, columns;
  MatrixOperation op;
};

MatrixOperation operation(MatrixInstruction instruction, ElementType operands,
                          ElementType accumulators, int depth) {
  MatrixOperation op;
  op.instruction = instruction;
  op.a = op.b = operands;
  op.c = op.d = accumulators;
  op.depth = depth;
  return op;
}

std::vector<Case> cases() {
  using enum ElementType;
  constexpr auto mma = MatrixInstruction::mma;
  constexpr auto wgmma = MatrixInstruction::wgmma;
  return {
      {80, "mma.m16n8k16", 16, 8, operation(mma, f16, f32, 16)},
      {80, "mma.m16n8k16", 16, 8, operation(mma, bf16, f32, 16)},
      {80, "mma.m16n8k16", 16, 8, operation(mma, f16, f16, 16)},
      {80, "mma.m16n8k8", 16, 8, operation(mma, tf32, f32, 8)},
      {80, "mma.m16n8k32", 16, 8, operation(mma, s8, s32, 32)},
      {80, "mma.m8n8k4", 8, 8, operation(mma, f64, f64, 4)},
      {89, "mma.m16n8k32", 16, 8, operation(mma, e4m3, f32, 32)},
      {90, "mma.m16n8k16", 16, 8, operation(mma, f16, f32, 16)},
      {90, "mma.m16n8k16", 16, 8, operation(mma, bf16, f32, 16)},
      {90, "mma.m16n8k32", 16, 8, operation(mma, e4m3, f32, 32)},
      {90, "wgmma.m64n128k16", 64, 128, operation(wgmma, bf16, f32, 16)},
      {90, "wgmma.m64n128k16", 64, 128, operation(wgmma, f16, f16, 16)},
      {90, "wgmma.m64n128k8", 64, 128, operation(wgmma, tf32, f32, 8)},
      {90, "wgmma.m64n128k32", 64, 128, operation(wgmma, e4m3, f32, 32)},
      {90, "wgmma.m64n128k32", 64, 128, operation(wgmma, s8, s32, 32)},
      {80, "mma.m16n8k256", 16, 8, operation(mma, b1, s32, 256)},
  };
}

/// Elements of a format, of values near 1; any bits where it is no float.
std::vector<unsigned char> randomElements(ElementType type, int count,
                                          std::mt19937 &random) {
  ElementFacts facts = elementFacts(type);
  std::vector<unsigned char> bytes(std::size_t(count) * facts.storageBytes);
  if (type == ElementType::f64 || type == ElementType::f32 ||
      type == ElementType::tf32) {
    std::normal_distribution<double> normal;
    for (int i = 0; i < count; ++i)
      if (type == ElementType::f64)
        reinterpret_cast<double *>(bytes.data())[i] = normal(random);
      else
        reinterpret_cast<float *>(bytes.data())[i] = float(normal(random));
    return bytes;
  }
  for (int i = 0; i < count; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (facts.isFloat()) {
      std::uint32_t field = static_cast<std::uint32_t>(facts.bias()) - bits % 4;
      std::uint32_t fraction = bits >> 8 & ((1u << facts.fractionBits) - 1);
      int width = facts.exponentBits + facts.fractionBits;
      bits = (bits >> 31 << width) | field << facts.fractionBits | fraction;
    }
    for (int byte = 0; byte < facts.storageBytes; ++byte)
      bytes[std::size_t(i) * facts.storageBytes + byte] =
          static_cast<unsigned char>(bits >> (8 * byte));
  }
  return bytes;
}

/// Calls `step` for some time. Returns the calls per second; 0 if one fails.
template <class Step> double callsPerSecond(double seconds, Step step) {
  using Clock = std::chrono::steady_clock;
  double calls = 0;
  auto start = Clock::now();
  std::chrono::duration<double> passed{};
  while (passed.count() < seconds) {
    for (int i = 0; i < 100; ++i)
      if (Status status = step(); !status.ok())
        return 0;
    calls += 100;
    passed = Clock::now() - start;
  }
  return calls / passed.count();
}

double multiplyAddsPerSecond(const Case &test, const Rule &rule, HostIsa isa,
                             double seconds) {
  const MatrixOperation &op = test.op;
  std::mt19937 random(1);
  auto a = randomElements(op.a, test.rows * op.depth, random);
  auto b = randomElements(op.b, test.columns * op.depth, random);
  auto c = randomElements(op.c, test.rows * test.columns, random);
  auto d = c;
  double calls = callsPerSecond(seconds, [&] {
    return multiplyAccumulate(rule, test.rows, test.columns, a.data(), b.data(),
                              c.data(), d.data(), isa);
  });
  return calls * test.rows * test.columns * op.depth;
}

/// The registers of one matrix, 32 lanes each.
struct Registers {
  explicit Registers(const Fragment &fragment, std::mt19937 &random) {
    int bytes = elementFacts(fragment.type).storageBytes;
    auto elements =
        randomElements(fragment.type, fragment.rows * fragment.columns, random);
    storage.resize(std::size_t(fragment.registers()) * 32 * 8);
    for (int i = 0; i < fragment.registers(); ++i)
      list.push_back(storage.data() +
                     std::size_t(i) * 32 * fragment.registerBits() / 8);
    if (bytes * 8 == elementFacts(fragment.type).registerBits)
      distributeFragment(fragment, elements.data(), list.data());
  }
  std::vector<unsigned char> storage;
  std::vector<void *> list;
};

/// Of the whole instruction, with 128-byte swizzles in shared memory.
double instructionsPerSecond(const Case &test, const MatrixMultiply &multiply,
                             double seconds) {
  std::mt19937 random(1);
  Registers a(multiply.a, random), b(multiply.b, random);
  Registers c(multiply.c, random), d(multiply.d, random);
  if (test.op.instruction != MatrixInstruction::wgmma)
    return callsPerSecond(seconds, [&] {
      return runMultiply(multiply, {a.list.data(), b.list.data(), c.list.data(),
                                    d.list.data()});
    });
  auto elements = randomElements(test.op.a, 65536, random);
  std::uint64_t descriptor = std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1}
                                                                  << 62;
  SharedOperand operand = {descriptor, MajorDimension::k};
  auto *shared = reinterpret_cast<const std::byte *>(elements.data());
  double warps = callsPerSecond(seconds, [&] {
    return runWarpgroupMultiply(multiply,
                                {0, nullptr, operand, operand, shared, 65536,
                                 c.list.data(), d.list.data(), false, false});
  });
  return warps / 4;
}

} // namespace

int main(int count, char **arguments) {
  double seconds = count > 1 ? std::atof(arguments[1]) : 0.3;
  std::printf("%-6s %-18s %-18s %10s %10s %10s %12s  (10^9 multiply-adds/s)\n",
              "target", "shape", "types", "baseline", "avx2", "avx512",
              "instruction");
  for (const Case &test : cases()) {
    auto architecture = tensorArchitecture(test.sm);
    auto rule = findRule(*architecture, test.op);
    if (!rule.ok()) {
      std::fprintf(stderr, "%s\n", rule.status().message().c_str());
      return 1;
    }
    std::string types = std::string(elementFacts(test.op.a).name) + " -> " +
                        std::string(elementFacts(test.op.d).name);
    std::printf("sm_%-3d %-18s %-18s", test.sm, test.shape, types.c_str());
    for (HostIsa isa : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
      if (hasTensorKernels(isa))
        std::printf(" %10.2f",
                    multiplyAddsPerSecond(test, *rule, isa, seconds) / 1e9);
      else
        std::printf(" %10s", "-");
      std::fflush(stdout);
    }
    auto multiply =
        prepareMultiply(*architecture, test.op, test.rows, test.columns);
    if (!multiply.ok()) {
      std::fprintf(stderr, "%s\n", multiply.status().message().c_str());
      return 1;
    }
    double work = double(test.rows) * test.columns * test.op.depth;
    std::printf(" %12.2f\n",
                instructionsPerSecond(test, *multiply, seconds) * work / 1e9);
  }
  return 0;
}

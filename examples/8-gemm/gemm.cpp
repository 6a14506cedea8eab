// C = A B: one kernel for all element types and sizes. Edges are padded with
// zeros on load and dropped on store.
#include "tutorial.h"

using namespace tutorial;

template <class T, class Sum>
static void gemm(View<T, 2> A, View<T, 2> B, View<Sum, 2> C) {
  int64_t BM = tunable("BM", {32, 64, 96, 128});
  int64_t BN = tunable("BN", {32, 64, 128, 192});
  int64_t BK = tunable("BK", {32, 64});
  require(BM * BN <= 128 * 192, "the accumulator fits the registers");
  auto [i, j] = program(ceilDiv(A.dim(0), BM), ceilDiv(B.dim(1), BN));
  auto sum = loop(ceilDiv(A.dim(1), BK), zeros<Sum>(BM, BN),
                  [&](Index k, Tile<Sum, 2> acc) {
                    auto a = A.load({i, k}, {BM, BK});
                    auto b = B.load({k, j}, {BK, BN});
                    return dot(a, b, acc);
                  });
  C.store({i, j}, sum);
}

/// On matrices of small integers, whose product is exact.
template <class T, class Sum, class Number, class Total>
static Status product(const DeviceSetup &setup, const char *name) {
  constexpr int64_t M = 50, N = 70, K = 90;
  std::vector<Number> a(M * K), b(K * N);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = Number(int(i % 7) - 3);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = Number(int(i % 5) - 2);
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor A, setup.tensor({M, K}, a));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor B, setup.tensor({K, N}, b));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor C,
                              setup.tensor(DTypeOf<Total>::dtype, {M, N}));

  TILEWRIGHT_ASSIGN_OR_RETURN(Executable run,
                              load(kernel("gemm", gemm<T, Sum>), *setup.device,
                                   {{"BM", 32}, {"BN", 64}, {"BK", 32}}));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*setup.stream, A, B, C));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Total> c,
                              C.read<Total>(*setup.stream));
  int64_t wrong = 0;
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      Total sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += Total(a[i * K + k]) * Total(b[k * N + j]);
      wrong += c[i * N + j] != sum;
    }
  std::printf("%s: %lld of %lld elements are wrong\n", name, (long long)wrong,
              (long long)(M * N));
  return {};
}

static Status gemms(const DeviceSetup &setup) {
  TILEWRIGHT_RETURN_IF_ERROR(
      (product<F32, F32, float, float>(setup, "f32 to f32")));
  return product<I8, I32, int8_t, int32_t>(setup, "i8 to i32");
}

int main(int argc, char **argv) { return run(argc, argv, gemms); }

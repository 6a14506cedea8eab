// Convolution as a product of matrices that is never written to memory.
#include "Check.h"

namespace known {

// kernel: convolution as implicit GEMM
/// y[n, p, q, :] = sum over r, s of x[n, p * stride + r - pad, q * stride + s -
/// pad, :] w[r, s, :, :]: NHWC and RSCK. One program computes a row of pixels.
static Kernel convolution(int64_t stride, int64_t pad) {
  // The checker caches kernels by name.
  std::string name =
      "convolution_" + std::to_string(stride) + "_" + std::to_string(pad);
  return kernel(name, [=](View<F16, 4> x, View<F16, 4> w, View<F16, 4> y) {
    int64_t bq = tunable("bq", {16, 32}), bk = tunable("bk", {32, 64});
    int64_t bc = tunable("bc", {16, 32});
    Index columns = ceilDiv(y.dim(2), bq);
    auto [j, p, n] =
        program(columns * ceilDiv(y.dim(3), bk), y.dim(1), y.dim(0));
    Index q = j % columns * bq, k = j / columns * bk;
    Index depth = ceilDiv(x.dim(3), bc);
    auto acc = loop(w.dim(0) * w.dim(1) * depth, zeros<F32>(bq, bk),
                    [&, p = p, n = n](Index step, Tile<F32, 2> acc) {
                      Index c = step % depth * bc, rs = step / depth;
                      Index r = rs / w.dim(1), s = rs % w.dim(1);
                      auto pixels = x.loadAt(
                          {n, p * stride + r - pad, q * stride + s - pad, c},
                          {1, 1, bq, bc}, {1, 1, stride, 1}, 0);
                      auto weights = w.loadAt({r, s, c, k}, {1, 1, bc, bk});
                      return dot(reshape(pixels, {bq, bc}),
                                 reshape(weights, {bc, bk}), acc);
                    });
    y.storeAt({n, p, q, k}, reshape(cast<F16>(acc), {1, 1, bq, bk}));
  });
}
// end

struct Sizes {
  int64_t n, h, w, c, k, r, s, stride, pad;
};

static void checkOne(Checker &check, const Sizes &z) {
  int64_t p = (z.h + 2 * z.pad - z.r) / z.stride + 1,
          q = (z.w + 2 * z.pad - z.s) / z.stride + 1;
  check.shape("convolution as implicit GEMM",
              std::to_string(z.n) + "x" + std::to_string(z.h) + "x" +
                  std::to_string(z.w) + "x" + std::to_string(z.c));
  auto x = Checker::noise(z.n * z.h * z.w * z.c, 50),
       w = Checker::noise(z.r * z.s * z.c * z.k, 51);
  Doubles y(size_t(z.n * p * q * z.k));
  for (int64_t at = 0; at < z.n * p * q * z.k; ++at) {
    int64_t k = at % z.k, j = at / z.k % q, i = at / z.k / q % p,
            n = at / z.k / q / p;
    for (int64_t r = 0; r < z.r; ++r)
      for (int64_t s = 0; s < z.s; ++s) {
        int64_t row = i * z.stride + r - z.pad,
                column = j * z.stride + s - z.pad;
        if (row < 0 || row >= z.h || column < 0 || column >= z.w)
          continue;
        for (int64_t c = 0; c < z.c; ++c)
          y[size_t(at)] +=
              x[size_t(((n * z.h + row) * z.w + column) * z.c + c)] *
              w[size_t(((r * z.s + s) * z.c + c) * z.k + k)];
      }
  }
  DeviceTensor Y = check.zeros<Float16>({z.n, p, q, z.k});
  check.run(convolution(z.stride, z.pad), {},
            check.tensor<Float16>({z.n, z.h, z.w, z.c}, x),
            check.tensor<Float16>({z.r, z.s, z.c, z.k}, w), Y);
  check.expect<Float16>(Y, y, halfRounding);
}

void checkConvolution(Checker &check) {
  checkOne(check, {0, 8, 8, 16, 32, 3, 3, 1, 1});
  checkOne(check, {1, 1, 1, 1, 1, 3, 3, 1, 1});
  checkOne(check, {1, 8, 16, 16, 32, 3, 3, 1, 1});
  checkOne(check, {2, 9, 13, 5, 7, 3, 3, 2, 1});
  checkOne(check, {1, 6, 5, 17, 40, 3, 1, 1, 1});
}

} // namespace known

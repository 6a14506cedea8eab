#include <mma.h>
using namespace nvcuda;
using wmma::col_major;
using wmma::row_major;

// C = A B, one warp a tile of C. A is row-major; B too if its fragment is,
// else stored by columns.
template <typename Type, typename Word, typename Sum, int M, int N, int K,
          typename Layout, bool RowsOfB>
__device__ void product(const Word *a, const Word *b, Sum *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, M, N, K, Type, row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, Type, Layout> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  int y = blockIdx.y * M, x = blockIdx.x * N;
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(fa, a + y * k + i, k);
    wmma::load_matrix_sync(fb, RowsOfB ? b + i * n + x : b + x * k + i,
                           RowsOfB ? n : k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void wmma_f16(const half *a, const half *b, float *c,
                                    int n, int k) {
  product<half, half, float, 16, 16, 16, row_major, true>(a, b, c, n, k);
}
extern "C" __global__ void wmma_f16_f16(const half *a, const half *b, half *c,
                                        int n, int k) {
  product<half, half, half, 32, 8, 16, col_major, false>(a, b, c, n, k);
}
extern "C" __global__ void wmma_bf16(const __nv_bfloat16 *a,
                                     const __nv_bfloat16 *b, float *c, int n,
                                     int k) {
  product<__nv_bfloat16, __nv_bfloat16, float, 8, 32, 16, row_major, true>(
      a, b, c, n, k);
}
extern "C" __global__ void wmma_s8(const signed char *a, const signed char *b,
                                   int *c, int n, int k) {
  product<signed char, signed char, int, 16, 16, 16, col_major, false>(a, b, c,
                                                                       n, k);
}
extern "C" __global__ void
wmma_u8(const unsigned char *a, const unsigned char *b, int *c, int n, int k) {
  product<unsigned char, unsigned char, int, 32, 8, 16, row_major, true>(
      a, b, c, n, k);
}
extern "C" __global__ void wmma_tf32(const float *a, const float *b, float *c,
                                     int n, int k) {
  product<wmma::precision::tf32, float, float, 16, 16, 8, row_major, true>(
      a, b, c, n, k);
}
extern "C" __global__ void wmma_f64(const double *a, const double *b, double *c,
                                    int n, int k) {
  product<double, double, double, 8, 8, 4, col_major, false>(a, b, c, n, k);
}
// Four bits in packed words: 8x8x32; one bit: 8x8x128, xor and popc.
extern "C" __global__ void wmma_s4(const int *a, const int *b, int *c, int n,
                                   int k) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::fill_fragment(sum, 5);
  int y = blockIdx.y * 8, x = blockIdx.x * 8;
  for (int i = 0; i < k; i += 32) {
    wmma::load_matrix_sync(fa, a + (y * k + i) / 8, k);
    wmma::load_matrix_sync(fb, b + (x * k + i) / 8, k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}
extern "C" __global__ void wmma_b1(const int *a, const int *b, int *c, int n,
                                   int k) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 0);
  int y = blockIdx.y * 8, x = blockIdx.x * 8;
  for (int i = 0; i < k; i += 128) {
    wmma::load_matrix_sync(fa, a + (y * k + i) / 32, k);
    wmma::load_matrix_sync(fb, b + (x * k + i) / 32, k);
    wmma::bmma_sync(sum, fa, fb, sum, bmmaBitOpXOR);
  }
  wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}
// Fragments of one type have one layout: C = alpha A B + beta C elementwise,
// stored by columns.
extern "C" __global__ void wmma_scaled(const half *a, const half *b, float *c,
                                       float alpha, float beta) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, col_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(old, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = alpha * sum.x[i] + beta * old.x[i];
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

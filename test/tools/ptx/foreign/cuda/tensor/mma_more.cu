#include "mma.cuh"

// f64: m8n8k4, one element of A and B a lane.
extern "C" __global__ void mma_f64(const double *a, const double *b, double *c,
                                   int k) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double2 d = *(double2 *)(c + g * 8 + t * 2);
  for (int i = 0; i < k; i += 4)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, "
                 "{%2}, {%3}, {%0,%1};"
                 : "+d"(d.x), "+d"(d.y)
                 : "d"(a[g * k + i + t]), "d"(b[g * k + i + t]));
  *(double2 *)(c + g * 8 + t * 2) = d;
}

// Sums in f16, two a register.
extern "C" __global__ void mma_f16_sums(const uint32_t *a, const uint32_t *b,
                                        uint32_t *c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  uint32_t d[2] = {c[g * 4 + t], c[(g + 8) * 4 + t]};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, "
               "{%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]),
                 "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]),
                 "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  c[g * 4 + t] = d[0];
  c[(g + 8) * 4 + t] = d[1];
}

// 2:4 sparse A: half of it is kept, with the places of each pair in metadata:
// m16n8k32 of f16. A row's metadata are 8 pairs of 4 bits; lanes 4 g and
// 4 g + 1 give (selector 0) the words of rows g and g + 8, 16 bits of K 0..15
// in the first and of K 16..31 in the second.
extern "C" __global__ void mma_sparse(const uint32_t *a, const uint32_t *b,
                                      const uint32_t *metadata, float *c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  float d[4] = {};
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]),
        "r"(a[(g + 8) * 8 + t + 4]), "r"(b[g * 16 + t]), "r"(b[g * 16 + t + 4]),
        "r"(b[g * 16 + t + 8]), "r"(b[g * 16 + t + 12]),
        "r"(metadata[threadIdx.x]));
  for (int i = 0; i < 4; ++i)
    c[row_of(i) * 8 + column_of(i)] = d[i];
}

// ldmatrix in its sizes, transposed or not, and movmatrix: each lane's words.
extern "C" __global__ void matrix_moves(const uint4 *in, uint32_t *out) {
  __shared__ uint4 rows[32];
  int lane = threadIdx.x;
  rows[lane] = in[lane];
  __syncwarp();
  uint32_t r[9], at = shared_address(&rows[lane ^ 1]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[4]), "=r"(r[5])
               : "r"(shared_address(&rows[lane % 16 + 16])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[6])
               : "r"(shared_address(&rows[lane % 8])));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(r[7])
               : "r"(r[6]));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(r[8])
               : "r"(r[7]));
  for (int i = 0; i < 9; ++i)
    out[i * 32 + lane] = r[i];
}

// A tile of 64x64 of C, four warps, by ldmatrix from padded shared memory; B
// row-major (N contiguous), transposed as it is loaded.
extern "C" __global__ void mma_ldmatrix(const uint16_t *a, const uint16_t *b,
                                        float *c, int n, int k) {
  __shared__ __align__(16) uint16_t as[64][40], bs[32][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  a += blockIdx.y * 64 * k;
  b += blockIdx.x * 64;
  float d[8][4] = {};
  for (int i = 0; i < k; i += 32) {
    for (int v = t; v < 256; v += 128) {
      *(uint4 *)&as[v / 4][v % 4 * 8] =
          *(const uint4 *)(a + v / 4 * k + i + v % 4 * 8);
      *(uint4 *)&bs[v / 8][v % 8 * 8] =
          *(const uint4 *)(b + (i + v / 8) * n + v % 8 * 8);
    }
    __syncthreads();
    for (int j = 0; j < 32; j += 16) {
      uint32_t fa[4], fb[2];
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
          : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
          : "r"(shared_address(&as[warp * 16 + lane % 16][j + lane / 16 * 8])));
      for (int x = 0; x < 8; ++x) {
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
            : "=r"(fb[0]), "=r"(fb[1])
            : "r"(shared_address(&bs[j + lane % 16][x * 8])));
        MMA_4_2("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f",
                d[x], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int x = 0; x < 8; ++x)
    for (int i = 0; i < 4; ++i)
      c[(blockIdx.y * 64 + warp * 16 + row_of(i)) * n + blockIdx.x * 64 +
        x * 8 + column_of(i)] = d[x][i];
}

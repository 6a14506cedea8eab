#include <cstdint>

// Philox 4x32, 10 rounds: counter-based random numbers.
extern "C" __global__ void philox(uint4 *out, uint2 key, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 c = make_uint4(i, 0, 7, 0);
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  out[i] = c;
}

// CRC-32 of rows of bytes, by a table made in shared memory.
extern "C" __global__ void crc32(const uint8_t *data, uint32_t *out,
                                 int length) {
  __shared__ uint32_t table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t v = i;
    for (int k = 0; k < 8; ++k)
      v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
    table[i] = v;
  }
  __syncthreads();
  const uint8_t *row = data + threadIdx.x * length;
  uint32_t crc = ~0u;
  for (int i = 0; i < length; ++i)
    crc = crc >> 8 ^ table[(crc ^ row[i]) & 255];
  out[threadIdx.x] = ~crc;
}

// SHA-256 of one block of 64 bytes a thread: rotations, and constants in
// constant memory.
__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ uint32_t rotate(uint32_t x, int n) {
  return __funnelshift_r(x, x, n);
}
extern "C" __global__ void sha256_block(const uint32_t *data, uint32_t *out) {
  uint32_t w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i < 16; ++i)
    w[i] = __byte_perm(data[threadIdx.x * 16 + i], 0, 0x0123);
  for (int i = 16; i < 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  uint32_t s[8];
  for (int i = 0; i < 8; ++i)
    s[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    uint32_t e = s[4], a = s[0];
    uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                  ((e & s[5]) ^ (~e & s[6])) + K[i] + w[i];
    uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                  ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; --k)
      s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i)
    out[threadIdx.x * 8 + i] = h[i] + s[i];
}

// Steps of xorshift, 64 bits, until a bit pattern: lanes leave one by one.
extern "C" __global__ void xorshift(uint64_t *states, int *steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
  uint64_t s = states[i];
  do {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    ++n;
  } while (__popcll(s) % 8 && n < 100);
  states[i] = s;
  steps[i] = n | __clzll(s) << 16;
}

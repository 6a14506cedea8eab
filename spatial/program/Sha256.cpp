#include "spatial/program/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewright::spatial {

namespace {
/// The first 32 bits of the fractional parts of the cube roots of the first 64
/// primes (FIPS 180-4, 4.2.2).
constexpr uint32_t roundConstants[64] = {
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

} // namespace

/// One block (6.2.2).
void Sha256::addBlock(const std::byte *block) {
  uint32_t w[64];
  for (size_t t = 0; t < 16; ++t) {
    uint32_t word;
    std::memcpy(&word, block + 4 * t, 4);
    w[t] = __builtin_bswap32(word);
  }
  for (size_t t = 16; t < 64; ++t) {
    uint32_t s0 =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    uint32_t s1 =
        std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, last] = state;
  for (size_t t = 0; t < 64; ++t) {
    uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t one =
        last + sum1 + ((e & f) ^ (~e & g)) + roundConstants[t] + w[t];
    uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t two = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    last = g, g = f, f = e, e = d + one;
    d = c, c = b, b = a, a = one + two;
  }
  const uint32_t next[] = {a, b, c, d, e, f, g, last};
  for (size_t i = 0; i < 8; ++i)
    state[i] += next[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  const size_t used = total % blockBytes;
  total += bytes.size();
  if (used > 0) {
    const size_t count = std::min(bytes.size(), blockBytes - used);
    std::memcpy(rest.data() + used, bytes.data(), count);
    bytes = bytes.subspan(count);
    if (used + count < blockBytes)
      return;
    addBlock(rest.data());
  }
  for (; bytes.size() >= blockBytes; bytes = bytes.subspan(blockBytes))
    addBlock(bytes.data());
  std::ranges::copy(bytes, rest.begin());
}

std::string Sha256::finish() {
  // A one, zeros, and the length in bits (5.1.1).
  const uint64_t bits = total * 8;
  std::array<std::byte, 2 * blockBytes> tail = {std::byte(0x80)};
  const size_t used = total % blockBytes;
  const size_t size = (used < blockBytes - 8 ? 1 : 2) * blockBytes - used;
  for (size_t i = 0; i < 8; ++i)
    tail[size - 1 - i] = std::byte((bits >> (8 * i)) & 0xff);
  add(std::span(tail).first(size));
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += digits[(word >> shift) & 15];
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

} // namespace tilewright::spatial

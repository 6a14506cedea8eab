#include "runtime/core/Hash.h"
#include <bit>
#include <cstring>

namespace tilewright::runtime {

// Names and constants as in the specification of XXH64.
static constexpr uint64_t prime1 = 0x9E3779B185EBCA87ull;
static constexpr uint64_t prime2 = 0xC2B2AE3D27D4EB4Full;
static constexpr uint64_t prime3 = 0x165667B19E3779F9ull;
static constexpr uint64_t prime4 = 0x85EBCA77C2B2AE63ull;
static constexpr uint64_t prime5 = 0x27D4EB2F165667C5ull;

template <typename T> static T take(std::span<const std::byte> &bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return value;
}

static uint64_t round(uint64_t accumulator, uint64_t lane) {
  return std::rotl(accumulator + lane * prime2, 31) * prime1;
}

static uint64_t mergeAccumulator(uint64_t hash, uint64_t accumulator) {
  return (hash ^ round(0, accumulator)) * prime1 + prime4;
}

PartialHash::PartialHash(uint64_t seed)
    : seed(seed),
      lanes{seed + prime1 + prime2, seed + prime2, seed, seed - prime1} {}

void PartialHash::update(std::span<const std::byte> part) {
  length += part.size();
  while (part.size() >= 32)
    for (uint64_t &lane : lanes)
      lane = round(lane, take<uint64_t>(part));
}

uint64_t PartialHash::finish(std::span<const std::byte> rest) const {
  PartialHash all = *this;
  all.update(rest);
  uint64_t hash = seed + prime5;
  if (all.length >= 32) {
    const auto &[a, b, c, d] = all.lanes;
    hash =
        std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    for (uint64_t lane : all.lanes)
      hash = mergeAccumulator(hash, lane);
  }
  hash += all.length;
  std::span<const std::byte> bytes = rest.last(rest.size() % 32);
  while (bytes.size() >= 8)
    hash =
        std::rotl(hash ^ round(0, take<uint64_t>(bytes)), 27) * prime1 + prime4;
  if (bytes.size() >= 4)
    hash =
        std::rotl(hash ^ take<uint32_t>(bytes) * prime1, 23) * prime2 + prime3;
  while (!bytes.empty())
    hash = std::rotl(hash ^ take<uint8_t>(bytes) * prime5, 11) * prime1;
  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}

uint64_t xxh64(std::span<const std::byte> bytes, uint64_t seed) {
  return PartialHash(seed).finish(bytes);
}

std::string hashText(std::span<const std::byte> bytes) {
  return hashText(xxh64(bytes));
}

std::string hashText(uint64_t hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "xxh64:";
  for (int shift = 60; shift >= 0; shift -= 4)
    text += digits[(hash >> shift) & 15];
  return text;
}

} // namespace tilewright::runtime

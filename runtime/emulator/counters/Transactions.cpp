#include "runtime/emulator/counters/Transactions.h"
#include <algorithm>
#include <array>

namespace tilewright::emulator {

SectorCount countSectors(std::span<const Piece> pieces) {
  std::array<Piece, 64> sorted;
  size_t count = std::min(pieces.size(), sorted.size());
  std::copy_n(pieces.begin(), count, sorted.begin());
  auto byAddress = [](const Piece &a, const Piece &b) {
    return a.address < b.address;
  };
  if (!std::is_sorted(sorted.begin(), sorted.begin() + count, byAddress))
    std::sort(sorted.begin(), sorted.begin() + count, byAddress);
  SectorCount result;
  uint64_t bytes = 0, bytesEnd = 0, sectorsEnd = 0;
  for (const Piece &piece : std::span(sorted).first(count)) {
    if (!piece.bytes)
      continue;
    uint64_t end = piece.address + piece.bytes;
    if (end > bytesEnd)
      bytes += end - std::max(bytesEnd, piece.address);
    bytesEnd = std::max(bytesEnd, end);
    uint64_t first = piece.address / sectorBytes;
    uint64_t last = (end + sectorBytes - 1) / sectorBytes;
    if (last > sectorsEnd)
      result.touched += uint32_t(last - std::max(sectorsEnd, first));
    sectorsEnd = std::max(sectorsEnd, last);
  }
  result.ideal = uint32_t((bytes + sectorBytes - 1) / sectorBytes);
  return result;
}

namespace {
/// The different words that one part of a warp accesses in each bank.
class Banks {
public:
  void add(uint32_t word) {
    uint32_t bank = word % bankCount;
    auto end = words[bank].begin() + counts[bank];
    if (std::find(words[bank].begin(), end, word) != end)
      return;
    words[bank][counts[bank]++] = word;
    fullest = std::max(fullest, counts[bank]);
  }
  uint32_t fullest = 0;

private:
  // A part has at most 32 words.
  std::array<std::array<uint32_t, 32>, bankCount> words;
  std::array<uint32_t, bankCount> counts = {};
};
} // namespace

WavefrontCount countWavefronts(std::span<const uint32_t, 32> offsets,
                               uint32_t lanes, uint32_t bytes) {
  WavefrontCount result;
  unsigned part = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  for (unsigned first = 0; first < 32; first += part) {
    Banks banks;
    for (unsigned lane = first; lane < first + part; ++lane)
      if (lanes >> lane & 1)
        for (uint32_t word = offsets[lane] / bankBytes;
             word * bankBytes < offsets[lane] + bytes; ++word)
          banks.add(word);
    result.needed += banks.fullest;
    result.ideal += banks.fullest != 0;
  }
  return result;
}

} // namespace tilewright::emulator

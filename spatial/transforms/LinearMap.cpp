//===- LinearMap.cpp - A product with constants, as tiles -----------------===//
#include "spatial/transforms/LinearMap.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::spatial {

std::vector<RowGroup> rowGroups(const LinearLoops &loops,
                                const LinearPacking &packing) {
  // Whole lines, or equal parts of one.
  int64_t line = loops.line, step = packing.rows;
  if (step >= 2 * line) {
    step = step / line * line;
    line = loops.rows;
  } else {
    step = llvm::divideCeil(line, llvm::divideCeil(line, step));
  }
  std::vector<RowGroup> groups;
  for (int64_t start = 0; start < loops.rows; start += line)
    for (int64_t first = 0; first < line; first += step)
      groups.push_back({start + first, std::min(step, line - first)});
  return groups;
}

namespace {
/// The columns of a vector of results, and the batches that they are of.
struct Chunk {
  int64_t number = 0;
  std::vector<int32_t> batches;
};
} // namespace

/// Chunks whose tiles have different entries: without batches all are as the
/// first one.
static std::vector<Chunk> chunksOf(const LinearLoops &loops,
                                   const LinearPacking &packing) {
  std::vector<Chunk> chunks;
  for (int64_t first = 0; first < loops.columns(); first += packing.columns) {
    Chunk chunk{static_cast<int64_t>(chunks.size()), {}};
    const int64_t end = std::min(first + packing.columns, loops.columns());
    for (int64_t column = first; column < end; ++column)
      if (!llvm::is_contained(chunk.batches, loops.batchOf[column]))
        chunk.batches.push_back(loops.batchOf[column]);
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

/// Visits what the rows of a group read for a chunk: the entry and its vector.
template <typename Visit>
static void forEntries(const LinearLoops &loops, const Slots &slots,
                       int64_t lanes, const RowGroup &group, const Chunk &chunk,
                       Visit visit) {
  for (int64_t row = 0; row < group.count; ++row)
    for (int32_t batch : chunk.batches) {
      const int64_t start =
          ((group.first + row) * loops.batches + batch) * loops.depth;
      for (int64_t term = 0; term < loops.depth; ++term)
        if (const int32_t slot = slots[start + term]; slot >= 0)
          visit(TileEntry{static_cast<int32_t>(row), batch,
                          static_cast<int32_t>(term),
                          static_cast<int32_t>(slot % lanes)},
                static_cast<int32_t>(slot / lanes));
    }
}

std::vector<Tile> tilesOf(const LinearLoops &loops, const Slots &slots,
                          int64_t lanes, const LinearPacking &packing) {
  std::vector<Tile> tiles;
  llvm::StringMap<size_t> known;
  std::vector<Chunk> chunks = chunksOf(loops, packing);
  std::vector<RowGroup> groups = rowGroups(loops, packing);
  for (auto [number, group] : llvm::enumerate(groups))
    for (const Chunk &chunk : chunks) {
      llvm::MapVector<int32_t, std::vector<TileEntry>> byVector;
      forEntries(loops, slots, lanes, group, chunk,
                 [&](const TileEntry &entry, int32_t vector) {
                   byVector[vector].push_back(entry);
                 });
      for (auto &[vector, entries] : byVector) {
        std::string key(reinterpret_cast<const char *>(entries.data()),
                        entries.size() * sizeof(TileEntry));
        key.append(reinterpret_cast<const char *>(&chunk.number),
                   sizeof(chunk.number));
        auto [entry, isNew] = known.insert({key, tiles.size()});
        if (isNew) {
          Tile tile;
          tile.chunk = chunk.number;
          for (const TileEntry &element : entries)
            tile.depth = std::max<int64_t>(tile.depth, element.lane + 1);
          tile.entries = std::move(entries);
          tiles.push_back(std::move(tile));
        }
        tiles[entry->second].uses.push_back(
            {static_cast<int64_t>(number), vector});
      }
    }
  return tiles;
}

LinearCost costOf(const LinearLoops &loops, const Slots &slots, int64_t lanes,
                  const LinearPacking &packing) {
  LinearCost cost;
  std::vector<Chunk> chunks = chunksOf(loops, packing);
  // Without batches, what holds for one chunk holds for all.
  const int64_t repeats =
      loops.batches == 1 ? static_cast<int64_t>(chunks.size()) : 1;
  if (loops.batches == 1)
    chunks.resize(1);
  llvm::DenseSet<uint64_t> tiles;
  std::vector<RowGroup> groups = rowGroups(loops, packing);
  for (const RowGroup &group : groups)
    for (const Chunk &chunk : chunks) {
      // A hash of each vector's entries tells tiles apart well enough to count
      // them.
      llvm::SmallDenseMap<int32_t, uint64_t, 16> hashes;
      int32_t last = -1;
      uint64_t *at = nullptr;
      forEntries(loops, slots, lanes, group, chunk,
                 [&](const TileEntry &entry, int32_t vector) {
                   // Neighbours are in one vector as a rule.
                   if (vector != last)
                     at = &hashes[vector];
                   last = vector;
                   uint64_t &hash = *at;
                   hash ^= static_cast<uint64_t>(entry.term) << 40 ^
                           static_cast<uint64_t>(entry.row) << 20 ^
                           static_cast<uint64_t>(entry.lane) ^
                           static_cast<uint64_t>(entry.batch) << 52;
                   hash *= 0x9e3779b97f4a7c15;
                   hash ^= hash >> 29;
                 });
      cost.products += static_cast<int64_t>(hashes.size()) * repeats;
      for (auto &[vector, hash] : hashes)
        tiles.insert((hash ^ static_cast<uint64_t>(chunk.number)) >> 1);
      cost.vectors += repeats;
    }
  cost.tiles = static_cast<int64_t>(tiles.size()) * repeats;
  return cost;
}

} // namespace tilewright::spatial

// How programs are dealt out where a schedule does not say.
#ifndef TILEWRIGHT_RUNTIME_ABI_CHUNKS_H
#define TILEWRIGHT_RUNTIME_ABI_CHUNKS_H

#include <algorithm>
#include <cstdint>

namespace tilewright::runtime {

/// If all threads take the same number of chunks: the most of `count` programs
/// that one thread runs, in chunks of `chunk`.
inline int64_t longestShare(int64_t count, int64_t chunk, int64_t threads) {
  int64_t chunks = (count + chunk - 1) / chunk;
  return std::min(count, (chunks + threads - 1) / threads * chunk);
}

/// Programs that one of `threads` (>= 1) takes at a time: a quarter of its
/// share, so that a late thread has little left, or less, down to half of that,
/// where the threads then have more equal shares.
inline int64_t defaultChunk(int64_t count, int64_t threads) {
  constexpr int64_t chunksPerThread = 4;
  const int64_t most =
      std::max<int64_t>(1, count / (threads * chunksPerThread));
  const int64_t least = (most + 1) / 2;
  // For launch latency: of the chunk sizes with equal chunks per thread, the
  // smallest is best, so few have to be tried.
  int64_t best = most;
  for (int64_t chunk = most, rounds = chunksPerThread; chunk > least;
       ++rounds) {
    int64_t locations = rounds * threads;
    chunk = std::clamp((count + locations - 1) / locations, least, most);
    if (longestShare(count, chunk, threads) <
        longestShare(count, best, threads))
      best = chunk;
  }
  return best;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_CHUNKS_H

// How programs are dealt out where a schedule does not say.
#ifndef TILEWRIGHT_RUNTIME_ABI_CHUNKS_H
#define TILEWRIGHT_RUNTIME_ABI_CHUNKS_H

#include <algorithm>
#include <cstdint>

namespace tilewright::runtime {

/// Of `count` programs in chunks of `chunk`, those that the thread with the
/// most of them runs when all take as many chunks.
inline int64_t longestShare(int64_t count, int64_t chunk, int64_t threads) {
  int64_t chunks = (count + chunk - 1) / chunk;
  return std::min(count, (chunks + threads - 1) / threads * chunk);
}

/// Programs that one of `threads` (>= 1) takes at a time: a quarter of its
/// share, so that a late thread leaves little behind, or less, down to half of
/// that, where the threads then have more equal shares.
inline int64_t defaultChunk(int64_t count, int64_t threads) {
  constexpr int64_t chunksPerThread = 4;
  int64_t best = std::max<int64_t>(1, count / (threads * chunksPerThread));
  for (int64_t chunk = best - 1, least = (best + 1) / 2; chunk >= least;
       --chunk)
    if (longestShare(count, chunk, threads) <
        longestShare(count, best, threads))
      best = chunk;
  return best;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_CHUNKS_H

// What flows on the streams of all chips (M3).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_STREAMS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_STREAMS_H

#include "spatial/simulator/Names.h"
#include "spatial/simulator/Vectors.h"

namespace tilewright::spatial {

/// One plane of a vector, in a row, on a stream or in a packet. It shares the
/// lanes of the whole vector: the name says that planes belong together.
struct NamedPlane {
  NameId name = 0;
  int64_t plane = 0;
  VectorRef lanes;
};

/// What is put eastward at position x in cycle t is at x + d in t + d, so it
/// stays on the diagonal t - x; westward on t + x. Values of one diagonal are
/// told apart by position alone.
class Streams {
public:
  Streams(int64_t chips, int64_t positions);

  /// False if something was put there in this cycle. Cycles do not decrease
  /// from call to call.
  bool put(int64_t chip, int64_t position, Stream stream, int64_t cycle,
           NamedPlane plane);
  /// What units at `position` see; null if there is nothing. All that was put
  /// before `cycle` is known.
  [[nodiscard]] const NamedPlane *seen(int64_t chip, int64_t position,
                                       Stream stream, int64_t cycle) const;

private:
  struct Value {
    int64_t position = 0;
    NamedPlane plane;
  };
  struct Diagonal {
    int64_t number = INT64_MIN;
    std::vector<Value> values;
  };
  static int64_t diagonalOf(Stream stream, int64_t position, int64_t cycle) {
    return stream.direction == Direction::east ? cycle - position
                                               : cycle + position;
  }
  [[nodiscard]] size_t slot(int64_t diagonal) const {
    return static_cast<size_t>(diagonal) & (window - 1);
  }
  using Diagonals = std::vector<Diagonal>;

  /// More diagonals than cross the chip in one cycle; a power of two.
  size_t window = 1;
  /// [chip x 2 + direction][stream][slot]; those of unused streams are empty.
  std::vector<std::vector<Diagonals>> streams;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_STREAMS_H

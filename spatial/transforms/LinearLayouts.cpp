//===- LinearLayouts.cpp - How an operand lies for a linear map -----------===//
#include "spatial/transforms/LinearSum.h"

#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace mlir;

namespace tilewright::spatial {

namespace {
class LinearLayouts {
public:
  LinearLayouts(const Tensors &tensors, const LinearSum &sum)
      : tensors(tensors), sum(sum), loops(sum.loops),
        lanes(tensors.machine.lanes),
        depth(std::min(lanes, tensors.machine.mxm.rows)) {}

  [[nodiscard]] std::vector<Rows> all() const;

private:
  /// The elements with the channels in lanes, and with as many neighbours as
  /// fit where the result has rows innermost.
  [[nodiscard]] Rows packedRows() const;
  /// What several rows or taps read, once: all channels of a place in lanes,
  /// and with as many neighbours as fit where the result has rows innermost.
  [[nodiscard]] Rows distinctRows() const;
  /// All that a row reads in vectors of its own, if no other row reads it.
  [[nodiscard]] std::optional<Rows> windowRows() const;

  const Tensors &tensors;
  const LinearSum &sum;
  const LinearLoops &loops;
  /// Of a vector, and of those the ones that a plane takes.
  int64_t lanes, depth;
};
} // namespace

Rows LinearLayouts::packedRows() const {
  const int64_t tensor = tensors.numberOf(sum.streamed->get());
  std::vector<int64_t> inPixel;
  for (int64_t batch : sum.batches)
    for (int64_t channel : sum.channels)
      inPixel.push_back(sum.streamedAccess->at(batch + channel) -
                        sum.streamedAccess->at(0));
  std::vector<int64_t> pixels;
  for (int64_t row : sum.rows)
    for (int64_t tap : sum.taps)
      pixels.push_back(sum.streamedAccess->at(row + tap));
  llvm::sort(pixels);
  pixels.erase(llvm::unique(pixels), pixels.end());
  auto elementAt = [&](int64_t pixel, int64_t step) {
    const ElementId id = tensors.resolve(tensor, pixel + step);
    return id == noElement || tensors.isConstant(id) ? noElement : id;
  };
  // Those of padding are left out.
  llvm::erase_if(pixels, [&](int64_t pixel) {
    return llvm::all_of(inPixel, [&](int64_t step) {
      return elementAt(pixel, step) == noElement;
    });
  });
  const auto size = static_cast<int64_t>(inPixel.size());
  const int64_t most =
      sum.hasRowsInnermost ? std::max<int64_t>(1, depth / size) : 1;
  int64_t unit = INT64_MAX;
  for (size_t i = 1; i < pixels.size(); ++i)
    unit = std::min(unit, pixels[i] - pixels[i - 1]);
  Rows result{lanes, {}};
  for (size_t start = 0, end = 0; start < pixels.size(); start = end) {
    end = start + 1;
    while (end < pixels.size() && pixels[end] - pixels[end - 1] == unit)
      ++end;
    const auto line = static_cast<int64_t>(end - start);
    const int64_t step = llvm::divideCeil(line, llvm::divideCeil(line, most));
    for (int64_t first = 0; first < line; first += step) {
      std::vector<ElementId> ids;
      for (int64_t i = first; i < std::min(first + step, line); ++i)
        for (int64_t offset : inPixel)
          ids.push_back(elementAt(pixels[start + i], offset));
      for (size_t chunk = 0; chunk < ids.size(); chunk += depth)
        for (int64_t lane = 0; lane < lanes; ++lane)
          result.ids.push_back(lane < depth && chunk + lane < ids.size()
                                   ? ids[chunk + lane]
                                   : noElement);
    }
  }
  return result;
}

Rows LinearLayouts::distinctRows() const {
  // The places, by their first element.
  const auto channels = static_cast<int64_t>(sum.channels.size());
  std::map<ElementId, SmallVector<ElementId>> places;
  for (size_t start = 0; start < sum.elements.size();
       start += loops.batches * loops.depth)
    for (size_t tap = 0; tap < sum.taps.size(); ++tap) {
      SmallVector<ElementId> ids;
      for (int64_t batch = 0; batch < loops.batches; ++batch)
        llvm::append_range(
            ids,
            ArrayRef(sum.elements)
                .slice(start + batch * loops.depth + tap * channels, channels));
      llvm::erase_if(ids, [](ElementId id) { return id == noElement; });
      if (!ids.empty())
        places.try_emplace(ids.front(), std::move(ids));
    }
  Rows result{lanes, {}};
  llvm::DenseSet<ElementId> seen;
  std::vector<ElementId> vector;
  auto flush = [&] {
    for (size_t chunk = 0; chunk < vector.size(); chunk += depth)
      for (int64_t lane = 0; lane < lanes; ++lane)
        result.ids.push_back(lane < depth && chunk + lane < vector.size()
                                 ? vector[chunk + lane]
                                 : noElement);
    vector.clear();
  };
  for (auto &[first, ids] : places) {
    llvm::erase_if(ids, [&](ElementId id) { return !seen.insert(id).second; });
    if (!sum.hasRowsInnermost ||
        static_cast<int64_t>(vector.size() + ids.size()) > depth)
      flush();
    llvm::append_range(vector, ids);
  }
  flush();
  return result;
}

std::optional<Rows> LinearLayouts::windowRows() const {
  llvm::DenseSet<ElementId> seen;
  for (ElementId id : sum.elements)
    if (id != noElement && !seen.insert(id).second)
      return std::nullopt;
  const int64_t size = loops.batches * loops.depth;
  Rows result{lanes, {}};
  for (int64_t row = 0; row < loops.rows; ++row)
    for (int64_t chunk = 0; chunk < size; chunk += depth) {
      auto ids = ArrayRef(sum.elements)
                     .slice(row * size + chunk, std::min(depth, size - chunk));
      if (llvm::all_of(ids, [](ElementId id) { return id == noElement; }))
        continue;
      result.ids.insert(result.ids.end(), ids.begin(), ids.end());
      result.ids.resize(result.ids.size() + lanes - ids.size(), noElement);
    }
  return result;
}

std::vector<Rows> LinearLayouts::all() const {
  if (sum.readsByIndex)
    return {distinctRows()};
  std::vector<Rows> candidates;
  candidates.push_back(packedRows());
  if (sum.taps.size() > 1)
    if (std::optional<Rows> windows = windowRows())
      candidates.push_back(std::move(*windows));
  return candidates;
}

std::vector<Rows> linearLayouts(const Tensors &tensors, const LinearSum &sum) {
  return LinearLayouts(tensors, sum).all();
}

} // namespace tilewright::spatial

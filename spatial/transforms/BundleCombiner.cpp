//===- BundleCombiner.cpp - Vectors and lanes of equal bundles ------------===//
//
// Vectors of equal bundles are combined in pairs. The lanes of a vector whose
// lanes are all of one result are transposed into vectors, in blocks, or summed
// by a product with ones, or the upper half of them is moved onto the lower
// one.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/BundleCombiner.h"
#include "spatial/transforms/LowerOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::spatial {

static Reads allOf(Value value, size_t count) {
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  return {value, {range.begin(), range.end()}};
}

Reads BundleCombiner::onAll(AluOp op, ArrayRef<Tensors::Operand> operands,
                            size_t count, std::optional<DType> result) {
  return allOf(tensors.alu(where, op, operation.type, operands,
                           static_cast<int64_t>(count),
                           result.value_or(operation.held)),
               count);
}

void BundleCombiner::combineVectors(MutableArrayRef<Bundle> bundles) {
  for (bool isDone = false; !isDone;) {
    isDone = true;
    std::vector<Tensors::Vector> first, second;
    for (Bundle &bundle : bundles) {
      const size_t half = bundle.vectors.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        first.push_back(bundle.vectors[i]);
        second.push_back(bundle.vectors[bundle.vectors.size() - half + i]);
      }
    }
    if (first.empty())
      return;
    Reads sums =
        combine(tensors.collect(where, first), tensors.collect(where, second));
    size_t next = 0;
    for (Bundle &bundle : bundles) {
      const size_t half = bundle.vectors.size() / 2;
      for (size_t i = 0; i < half; ++i)
        bundle.vectors[i] = {sums.value, sums.indices[next++]};
      bundle.vectors.resize(bundle.vectors.size() - half);
      isDone &= bundle.vectors.size() == 1;
    }
  }
}

std::vector<Bundle> bundlesByResults(ArrayRef<Bundle> bundles) {
  llvm::StringMap<size_t> known;
  std::vector<Bundle> merged;
  for (const Bundle &bundle : bundles) {
    StringRef key(reinterpret_cast<const char *>(bundle.results.data()),
                  bundle.results.size() * sizeof(int32_t));
    auto [entry, isNew] = known.insert({key, merged.size()});
    if (isNew)
      merged.push_back({bundle.results, {}});
    llvm::append_range(merged[entry->second].vectors, bundle.vectors);
  }
  return merged;
}

//===--- Lanes of one vector ----------------------------------------------===//

/// How many lanes a vector has of its only result, from the first one on; 0
/// where it has several results, or others lie between.
static int64_t lanesOfOne(ArrayRef<int32_t> results) {
  int64_t count = 0;
  for (int32_t result : results) {
    if (result < 0 || result != results.front())
      break;
    ++count;
  }
  for (int32_t result : results.drop_front(count))
    if (result >= 0)
      return 0;
  return count;
}

/// The vector of each bundle.
Reads BundleCombiner::vectorsOf(ArrayRef<Bundle> bundles) {
  std::vector<Tensors::Vector> vectors;
  for (const Bundle &bundle : bundles)
    vectors.push_back(bundle.vectors.front());
  return tensors.collect(where, vectors);
}

Reads BundleCombiner::mapLanes(const Reads &reads, ArrayRef<int32_t> map) {
  OpBuilder &builder = tensors.builder;
  Type element = cast<VectorsType>(reads.value.getType()).getElement();
  const size_t count = reads.indices.size();
  return allOf(
      MapOp::create(
          builder, where,
          VectorsType::get(builder.getContext(), static_cast<int64_t>(count),
                           element),
          map, ValueRange{reads.value},
          builder.getArrayAttr({builder.getDenseI32ArrayAttr(reads.indices)})),
      count);
}

/// The type of factors in which an mxm can sum `count` lanes, if any.
std::optional<DType> BundleCombiner::factorOfSums(int64_t count) const {
  const Machine &machine = tensors.machine;
  if (operation.op != AluOp::add || operation.type != DType::F32 ||
      machine.positionsOf(UnitKind::mxm).empty() || count > machine.mxm.rows)
    return std::nullopt;
  for (DType factor : {DType::F32, precision})
    if (machine.mxm.passes.contains(factor))
      return factor;
  return std::nullopt;
}

bool BundleCombiner::canCombineLanes(ArrayRef<Bundle> bundles) const {
  int64_t count = 0;
  for (const Bundle &bundle : bundles) {
    const int64_t own = lanesOfOne(bundle.results);
    if (own == 0)
      return false;
    count = std::max(count, own);
  }
  return tensors.machine.sxm || factorOfSums(count);
}

/// How many factors hold the digits of an f32, but for the last two.
static int64_t partsOf(DType factor) {
  return llvm::divideCeil(significantBits(DType::F32) - 2,
                          significantBits(factor));
}

/// Sums lanes that are `unit` apart by products with ones, which leaves the
/// sums in all columns. An mxm without f32 takes the digits of each element in
/// several parts.
bool BundleCombiner::sumByOnes(MutableArrayRef<Bundle> bundles, int64_t count,
                               int64_t unit) {
  std::optional<DType> type = factorOfSums(count);
  if (!type)
    return false;
  const DType factor = *type;
  Reads x = vectorsOf(bundles);
  std::vector<uint32_t> ones(count * lanes);
  for (int64_t row = 0; row < count; ++row)
    for (int64_t lane = row % unit; lane < lanes; lane += unit)
      ones[row * lanes + lane] = std::bit_cast<uint32_t>(1.0F);
  Reads weights = tensors.constants(where, ones, factor);
  std::vector<Tensors::Vector> sums(bundles.size());
  SmallVector<size_t> all = llvm::to_vector(llvm::seq(bundles.size()));
  auto add = [&](const Reads &reads) {
    std::vector<Tensors::Vector> vectors;
    for (int32_t index : reads.indices)
      vectors.push_back({reads.value, index});
    addProducts(tensors, where, vectors, weights, count, all, sums);
  };
  for (int64_t part = 0; part < partsOf(factor); ++part) {
    Reads digits = factor == DType::F32
                       ? x
                       : onAll(AluOp::move, {{x}}, bundles.size(), factor);
    add(digits);
    if (part + 1 < partsOf(factor))
      x = onAll(AluOp::sub, {{x}, {digits}}, bundles.size());
  }
  for (auto [bundle, sum] : llvm::zip(bundles, sums)) {
    bundle.vectors.front() = sum;
    SmallVector<int32_t> results(lanes, -1);
    for (int64_t lane = 0; lane < std::min(lanes, tensors.machine.mxm.columns);
         ++lane)
      results[lane] = bundle.results[lane % unit];
    bundle.results = std::move(results);
  }
  return true;
}

/// Moves the upper half of the first `count` lanes onto the lower one until
/// `unit` of them are left, and those to all lanes.
Reads BundleCombiner::halveLanes(Reads reads, int64_t count, int64_t unit) {
  const size_t size = reads.indices.size();
  const bool isIdempotent =
      operation.op == AluOp::min || operation.op == AluOp::max ||
      operation.op == AluOp::logicalAnd || operation.op == AluOp::logicalOr;
  for (int64_t left = count; left > unit;) {
    const int64_t half = llvm::divideCeil(left, 2 * unit) * unit;
    // Lanes without a partner are their own one.
    SmallVector<int32_t> map(lanes);
    std::vector<uint32_t> hasPartner(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      hasPartner[lane] = lane + half < left;
      map[lane] = static_cast<int32_t>(hasPartner[lane] ? lane + half : lane);
    }
    Reads moved = mapLanes(reads, map);
    Reads combined = combine(reads, moved);
    if (!isIdempotent && left != 2 * half) {
      Reads mask = tensors.constants(where, hasPartner, DType::Bool);
      mask.indices.assign(size, 0);
      combined = onAll(AluOp::select, {{mask}, {combined}, {reads}}, size);
    }
    reads = combined;
    left = half;
  }
  if (unit == lanes)
    return reads;
  SmallVector<int32_t> map(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    map[lane] = static_cast<int32_t>(lane % unit);
  return mapLanes(reads, map);
}

/// Transposes blocks of T vectors: those that come out have one lane in T of
/// each vector, and are combined. What is left of T vectors lies in one.
bool BundleCombiner::foldByTransposes(std::vector<Bundle> &bundles,
                                      int64_t count) {
  const int64_t size = tensors.machine.sxm ? tensors.machine.sxm->transpose : 0;
  const auto vectors = static_cast<int64_t>(bundles.size());
  if (size < 2 || vectors < size)
    return false;
  fillLanes(bundles, count, llvm::divideCeil(count, size) * size);
  std::vector<Bundle> folded;
  std::vector<Tensors::Vector> rows;
  for (int64_t block = 0; block < vectors; block += size) {
    // The last block shares vectors with the one before.
    const int64_t first = std::min(block, vectors - size);
    for (int64_t i = 0; i < size; ++i)
      rows.push_back(bundles[first + i].vectors.front());
    Bundle bundle;
    for (int64_t lane = 0; lane < lanes; ++lane)
      bundle.results.push_back(bundles[first + lane % size].results.front());
    folded.push_back(std::move(bundle));
  }
  std::vector<Tensors::Vector> transposed =
      tensors.transpose(where, std::move(rows));
  for (auto [block, bundle] : llvm::enumerate(folded)) {
    auto first = transposed.begin() + static_cast<int64_t>(block) * size;
    bundle.vectors.assign(first, first + std::min(size, count));
  }
  combineVectors(folded);
  bundles = std::move(folded);
  const int64_t left = llvm::divideCeil(count, size) * size;
  if (left > size && sumByOnes(bundles, left, size))
    return true;
  Reads all = halveLanes(vectorsOf(bundles), left, size);
  for (auto [i, bundle] : llvm::enumerate(bundles))
    bundle.vectors.front() = {all.value, all.indices[i]};
  return true;
}

/// Gives the lanes of the bundles from their own `count` on, up to `end`, the
/// neutral element.
void BundleCombiner::fillLanes(MutableArrayRef<Bundle> bundles, int64_t count,
                               int64_t end) {
  if (count == end)
    return;
  std::vector<uint32_t> isPart(lanes);
  std::fill_n(isPart.begin(), count, 1);
  Reads mask = tensors.constants(where, isPart, DType::Bool);
  mask.indices.assign(bundles.size(), 0);
  Tensors::Operand neutral;
  if (auto number = dyn_cast<FloatAttr>(operation.neutral))
    neutral.number = number.getValueAsDouble();
  else
    neutral.number =
        static_cast<double>(cast<IntegerAttr>(operation.neutral).getInt());
  Reads filled = onAll(AluOp::select, {{mask}, {vectorsOf(bundles)}, neutral},
                       bundles.size());
  for (auto [i, bundle] : llvm::enumerate(bundles))
    bundle.vectors.front() = {filled.value, filled.indices[i]};
}

void BundleCombiner::combineLanes(std::vector<Bundle> &bundles) {
  // The last chunk of a row has fewer lanes than the others.
  int64_t count = 0;
  llvm::MapVector<int64_t, std::vector<Bundle>> byCount;
  for (Bundle &bundle : bundles) {
    const int64_t own = lanesOfOne(bundle.results);
    count = std::max(count, own);
    byCount[own].push_back(std::move(bundle));
  }
  bundles.clear();
  for (auto &[own, members] : byCount) {
    fillLanes(members, own, count);
    for (Bundle &bundle : members) {
      std::fill_n(bundle.results.begin(), count, bundle.results.front());
      bundles.push_back(std::move(bundle));
    }
  }
  bundles = bundlesByResults(bundles);
  combineVectors(bundles);
  if (prefersTransposes(static_cast<int64_t>(bundles.size()), count) &&
      foldByTransposes(bundles, count))
    return;
  if (sumByOnes(bundles, count, 1))
    return;
  Reads all = halveLanes(vectorsOf(bundles), count, 1);
  for (auto [i, bundle] : llvm::enumerate(bundles)) {
    bundle.results.assign(lanes, bundle.results.front());
    bundle.vectors.front() = {all.value, all.indices[i]};
  }
}

/// Transposes take a cycle of a port for each vector, and so do the maps that
/// bring each sum to all lanes; products take passes of a plane, but fewer
/// steps that wait for each other.
bool BundleCombiner::prefersTransposes(int64_t vectors, int64_t count) const {
  const Machine &machine = tensors.machine;
  std::optional<DType> factor = factorOfSums(count);
  if (!factor)
    return true;
  const auto ports =
      static_cast<int64_t>(machine.positionsOf(UnitKind::sxm).size()) *
      (machine.sxm ? machine.sxm->ports : 0);
  if (ports == 0)
    return false;
  const auto planes = static_cast<int64_t>(
      machine.positionsOf(UnitKind::mxm).size() * machine.mxm.planes);
  const int64_t passes = machine.mxm.passes.at(*factor) * partsOf(*factor);
  // From one unit to another one and through it.
  const int64_t step =
      static_cast<int64_t>(machine.units.size()) / 2 + machine.mxm.delay;
  constexpr int64_t moreSteps = 6;
  return vectors * passes / planes > vectors * 2 / ports + moreSteps * step;
}

} // namespace tilewright::spatial

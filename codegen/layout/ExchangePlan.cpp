//===- ExchangePlan.cpp - Conversions through shared memory ---------------===//
//
// An offset's bits, lowest first, stand for: the *run* that vectorized accesses
// move, the *banks* (with the run, 128 bytes), and the *rows* of 128 bytes.
// Each bit moves by a vector of coordinates, and choosing these vectors chooses
// the swizzle.
//
// - The run is made of what registers of both layouts move by. It may go on
//   with what registers of one layout alone move by: that side's accesses are
//   wider then, the other's are not. All three ways are tried.
// - Lanes of one phase conflict where they differ in rows only. So the rows are
//   a subspace that meets the lanes of the stores and the lanes of the loads as
//   little as can be. Two subspaces of one dimension always have a common
//   complement: with I their intersection, e_i and f_i what extends it to each,
//   it is the complement of their sum, and e_i + f_i.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/ConversionPlanning.h"

namespace tilewright::layout {

namespace {
/// One side of the exchange: what its registers, its threads and the lanes of
/// a phase move by.
struct Side {
  const Refined &refined;
  Subspace registers, threads;
  Side(const Refined &refined, unsigned localThreadBits)
      : refined(refined), registers(refined.itemMap().image()),
        threads(
            refined.map.restrict(refined.itemBits, localThreadBits).image()) {}
  /// What the lanes of one phase move by, when each moves `bytes`.
  Subspace lanes(unsigned bytes, unsigned laneBits) const {
    unsigned phase = std::min(log2Floor(lanesPerPhase(bytes)), laneBits);
    return refined.map.restrict(refined.itemBits, phase).image();
  }
};

/// The vectors of an offset's bits.
struct OffsetBasis {
  std::vector<Bits> vectors;
  unsigned wideRun = 0, narrowRun = 0; // Log2 of the two sides' runs.
};
} // namespace

/// Log2 of the elements of one bank's word.
static unsigned wordLog2(unsigned elementBytes) {
  return log2Floor(std::max(1u, bankBytes / elementBytes));
}

/// Adds to `list` members of `from` that are independent of `span`, while it
/// has fewer than `count`.
static void extend(std::vector<Bits> &list, size_t count, Subspace &span,
                   const Subspace &from) {
  from.forEach([&](Bits vector) {
    if (list.size() < count && span.insert(vector))
      list.push_back(vector);
  });
}

/// Goes on with the run by what registers of `wide` move by. That is nothing
/// that threads of `wide` move by, and it leaves the common part of the run
/// independent of all threads. What lanes of the other side move by comes
/// first: these lanes then touch one run together.
static void extendRun(OffsetBasis &basis, const Side &wide, const Side &narrow,
                      unsigned limit, unsigned laneBits) {
  Subspace own = wide.threads, others = wide.threads.sum(narrow.threads);
  for (Bits vector : basis.vectors)
    own.insert(vector);
  Subspace lanes = narrow.lanes(bankBytes, laneBits);
  for (const Subspace &from : {wide.registers.intersect(lanes), wide.registers})
    from.forEach([&](Bits vector) {
      Subspace with = others;
      with.insert(vector);
      unsigned before = with.dimension();
      for (unsigned i = 0; i < basis.narrowRun; ++i)
        with.insert(basis.vectors[i]);
      bool keepsCommon = with.dimension() == before + basis.narrowRun;
      if (basis.vectors.size() >= limit || !keepsCommon || !own.insert(vector))
        return;
      basis.vectors.push_back(vector);
      others.insert(vector);
    });
}

/// Adds to `complement` what lanes and threads of the narrow side move by
/// beyond the run. Such a vector may be taken relative to any vector of the
/// run's extension, and the lanes should differ there, in words of one run,
/// rather than in rows.
static void addNarrowThreads(Subspace &complement, const OffsetBasis &basis,
                             const Side &narrow, unsigned word,
                             unsigned laneBits) {
  std::span<const Bits> extension =
      std::span(basis.vectors).subspan(basis.narrowRun);
  Subspace covered = complement, used; // `used`: coefficients of extension.
  for (Bits vector : extension)
    covered.insert(vector);
  auto add = [&](Bits vector) {
    if (!covered.insert(vector)) {
      LinearMap parts(0, 64);
      for (Bits each : extension)
        parts.append(each);
      complement.forEach([&](Bits each) { parts.append(each); });
      used.insert(*parts.solve(vector) & lowBits(extension.size()));
      return;
    }
    for (unsigned i = 0; i < extension.size(); ++i)
      if (basis.narrowRun + i >= word && used.insert(Bits(1) << i)) {
        vector ^= extension[i];
        break;
      }
    complement.insert(vector);
  };
  for (unsigned lane = 0; lane < laneBits; ++lane)
    add(narrow.refined.map.column(narrow.refined.itemBits + lane));
  narrow.threads.forEach(add);
}

/// The run, and a complement of it that contains all that threads move by: so
/// that each thread's elements have the same order in a run. `wide` is the side
/// whose registers alone may go on with the run; null: none.
static Subspace chooseRun(OffsetBasis &basis, const Side &a, const Side &b,
                          const Side *wide, unsigned limit, unsigned word,
                          unsigned laneBits, const Subspace &space) {
  Subspace threads = a.threads.sum(b.threads), common = threads;
  extend(basis.vectors, limit, common, a.registers.intersect(b.registers));
  basis.narrowRun = basis.vectors.size();
  Subspace complement = threads;
  if (wide) {
    const Side &narrow = wide == &a ? b : a;
    extendRun(basis, *wide, narrow, limit, laneBits);
    complement = wide->threads;
    addNarrowThreads(complement, basis, narrow, word, laneBits);
  }
  basis.wideRun = basis.vectors.size();
  Subspace whole = complement;
  for (Bits vector : basis.vectors)
    whole.insert(vector);
  space.forEach([&](Bits vector) {
    if (whole.insert(vector))
      complement.insert(vector);
  });
  return complement;
}

/// Rows in `space` that meet `a` and `b` as little as can be, when `bankBits`
/// bits stay outside of them.
static Subspace chooseRows(const Subspace &a, const Subspace &b,
                           const Subspace &space, unsigned bankBits) {
  auto padded = [&](const Subspace &first, const Subspace &second) {
    std::vector<Bits> list;
    Subspace span;
    for (const Subspace *from : {&first, &second, &space})
      extend(list, bankBits, span, *from);
    return span;
  };
  Subspace ofA = padded(a, b), ofB = padded(b, a);
  Subspace common = ofA.intersect(ofB), rows;
  std::vector<Bits> onlyA, onlyB;
  Subspace seenA = common, seenB = common;
  extend(onlyA, 64, seenA, ofA);
  extend(onlyB, 64, seenB, ofB);
  for (size_t i = 0; i < std::min(onlyA.size(), onlyB.size()); ++i)
    rows.insert(onlyA[i] ^ onlyB[i]);
  Subspace both = ofA.sum(ofB);
  space.forEach([&](Bits vector) {
    if (both.insert(vector))
      rows.insert(vector);
  });
  return rows;
}

/// Completes the run by banks and rows.
static void chooseBanks(OffsetBasis &basis, const Side &store, const Side &load,
                        const Subspace &complement, bool storeIsWide,
                        unsigned elementBytes, unsigned laneBits) {
  unsigned run = basis.vectors.size(), rowLog2 = log2Floor(128 / elementBytes);
  unsigned bankBits = rowLog2 - std::min(run, rowLog2);
  // Two lanes conflict only where the run's bits beyond a word, which choose
  // banks too, are equal: so only what the lanes and the own run (and the
  // bytes of a word) move by within the complement matters.
  unsigned word = wordLog2(elementBytes);
  auto mayConflict = [&](const Side &side, unsigned ownRun) {
    Subspace moved = side.lanes(elementBytes << ownRun, laneBits);
    for (unsigned i = 0; i < std::min(run, std::max(ownRun, word)); ++i)
      moved.insert(basis.vectors[i]);
    return moved.intersect(complement);
  };
  Subspace stored =
      mayConflict(store, storeIsWide ? basis.wideRun : basis.narrowRun);
  Subspace loaded =
      mayConflict(load, storeIsWide ? basis.narrowRun : basis.wideRun);
  Subspace rows = chooseRows(stored, loaded, complement, bankBits);
  // What both sides' lanes share comes first: it may share a word.
  Subspace span = rows, shared = stored.intersect(loaded);
  size_t all = run + complement.dimension();
  for (const Subspace &from : {shared, stored, loaded, complement})
    extend(basis.vectors, all - rows.dimension(), span, from);
  rows.forEach([&](Bits vector) { basis.vectors.push_back(vector); });
}

/// From packed (item, lane, warp, block) bits to offsets in the own block.
static LinearMap offsetsOf(const Refined &side, const OffsetBasis &basis,
                           std::span<const Bits> blockColumns) {
  LinearMap columns(0, 64);
  for (Bits vector : basis.vectors)
    columns.append(vector);
  Solver solver(columns);
  LinearMap offsets(0, basis.vectors.size());
  unsigned firstBlock = side.map.inBits() - blockColumns.size();
  for (unsigned bit = 0; bit < side.map.inBits(); ++bit) {
    Bits vector = side.map.column(bit);
    if (bit >= firstBlock)
      vector ^= blockColumns[bit - firstBlock];
    offsets.append(*solver.solve(vector)); // planExchange checked that it is.
  }
  return offsets;
}

/// Chooses among the three runs; fills in accesses and memory.
static void chooseExchange(ConversionPlan &plan, const Layout &from,
                           const ConversionOptions &options,
                           const Subspace &local,
                           std::span<const Bits> blockColumns) {
  unsigned laneBits = from.bits(Axis::lane);
  unsigned threadBits = laneBits + from.bits(Axis::warp);
  Side store(plan.from, threadBits), load(plan.to, threadBits);
  unsigned limit = options.vectorBits > options.elementBits
                       ? log2Floor(options.vectorBits / options.elementBits)
                       : 0;
  unsigned word = wordLog2(options.elementBits / 8);
  SharedExchange &best = plan.shared;
  bool first = true;
  for (const Side *wide :
       {(const Side *)nullptr, (const Side *)&store, (const Side *)&load}) {
    OffsetBasis basis;
    Subspace complement =
        chooseRun(basis, store, load, wide, limit, word, laneBits, local);
    chooseBanks(basis, store, load, complement, wide != &load,
                options.elementBits / 8, laneBits);
    SharedExchange exchange;
    exchange.store = linearAccess(offsetsOf(plan.from, basis, blockColumns),
                                  plan.from.itemBits, laneBits,
                                  options.elementBits, options.vectorBits);
    exchange.load =
        linearAccess(offsetsOf(plan.to, basis, blockColumns), plan.to.itemBits,
                     laneBits, options.elementBits, options.vectorBits);
    exchange.storeWavefronts = int64_t(exchange.store.xorOffsets.size()) *
                               exchange.store.wavefrontsEach;
    exchange.loadWavefronts =
        int64_t(exchange.load.xorOffsets.size()) * exchange.load.wavefrontsEach;
    auto cost = [](const SharedExchange &e) {
      return std::pair(e.storeWavefronts + e.loadWavefronts,
                       e.store.xorOffsets.size() + e.load.xorOffsets.size());
    };
    if (!first && cost(exchange) >= cost(best))
      continue;
    LayoutBuilder builder(Kind::memory, plan.frame.cellBits,
                          Dims(from.rank(), 1));
    for (Bits vector : basis.vectors)
      builder.addColumn(Axis::offset, vector);
    for (Bits column : blockColumns)
      builder.addColumn(Axis::block, column);
    exchange.memory = builder.build();
    best = std::move(exchange);
    first = false;
  }
}

std::string planExchange(ConversionPlan &plan, const Layout &from,
                         const ConversionOptions &options) {
  unsigned blockBits = from.bits(Axis::block);
  const LinearMap &held = plan.from.map, &wanted = plan.to.map;
  unsigned localFrom = held.inBits() - blockBits;
  unsigned localTo = wanted.inBits() - blockBits;
  Subspace local = held.restrict(0, localFrom).image();
  bool staysInBlock = true;
  std::vector<Bits> blockColumns;
  for (unsigned bit = 0; bit < wanted.inBits(); ++bit) {
    Bits vector = wanted.column(bit);
    if (bit >= localTo) {
      Bits ofBlock = held.column(localFrom + bit - localTo);
      blockColumns.push_back(local.reduce(ofBlock));
      vector ^= ofBlock;
    }
    staysInBlock &= local.contains(vector);
  }
  if (!staysInBlock)
    return "elements move between blocks, which neither shuffles nor a block's "
           "shared memory can do";
  int64_t bytes = options.elementBits / 8;
  int64_t ofRepeat = bytes << local.dimension();
  if (ofRepeat > options.sharedBytes)
    return "expected at least " + std::to_string(ofRepeat) +
           " B of shared memory for one cell, found " +
           std::to_string(options.sharedBytes) + " B";
  chooseExchange(plan, from, options, local, blockColumns);
  SharedExchange &shared = plan.shared;
  shared.repeatsPerPass =
      std::min(plan.frame.repeatCount(), options.sharedBytes / ofRepeat);
  shared.bytes = ofRepeat * shared.repeatsPerPass;
  // Each block has a memory of its own, so blocks are never redundant.
  shared.redundantThreads = held.dependentBits() >> plan.from.itemBits &
                            lowBits(localFrom - plan.from.itemBits);
  return {};
}

} // namespace tilewright::layout

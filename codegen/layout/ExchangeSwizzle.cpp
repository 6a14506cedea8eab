//===- ExchangeSwizzle.cpp - The order of offsets in an exchange ----------===//
//
// An offset's bits are, lowest first: the *run* that vectorized accesses move,
// the *banks* (with the run, 128 bytes), and the *rows* of 128 bytes. Each bit
// moves by a vector of coordinates, and choosing these vectors chooses the
// swizzle.
//
// - The run consists of vectors that registers of both layouts move by. It may
//   be extended by vectors that registers of one layout alone move by: that
//   side's accesses are wider then, the other's are not. All three ways are
//   tried.
// - Lanes of one phase conflict where they differ in rows only. So the rows are
//   a subspace whose intersection with the lanes of the stores, and with those
//   of the loads, is as small as can be. Two subspaces of one dimension always
//   have a common complement: with I their intersection and bases e_i, f_i that
//   extend it to each, it is the complement of their sum, and e_i + f_i.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/ExchangeSwizzle.h"
#include "codegen/layout/BankConflicts.h"

namespace tilewright::layout {

namespace {
/// The vectors of an offset's bits, as far as they are chosen.
struct OffsetBasis {
  std::vector<Bits> vectors;
  unsigned wideRun = 0, narrowRun = 0; // Log2 of the two sides' runs.
};
} // namespace

Subspace ExchangeSide::lanes(unsigned bytes, unsigned laneBits) const {
  unsigned phase = std::min(log2Floor(lanesPerPhase(bytes)), laneBits);
  return refined.map.restrict(refined.itemBits, phase).image();
}

unsigned ExchangeSizes::word() const {
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

/// Extends the run by vectors that registers of `wide` move by, that no thread
/// of `wide` moves by, and that leave the common part of the run independent of
/// all threads. Those that lanes of the other side move by come first: these
/// lanes then touch one run together.
static void extendRun(OffsetBasis &basis, const ExchangeSide &wide,
                      const ExchangeSide &narrow, const ExchangeSizes &sizes) {
  Subspace own = wide.threads, others = wide.threads.sum(narrow.threads);
  for (Bits vector : basis.vectors)
    own.insert(vector);
  Subspace lanes = narrow.lanes(bankBytes, sizes.laneBits);
  for (const Subspace &from : {wide.registers.intersect(lanes), wide.registers})
    from.forEach([&](Bits vector) {
      Subspace with = others;
      with.insert(vector);
      unsigned before = with.dimension();
      for (unsigned i = 0; i < basis.narrowRun; ++i)
        with.insert(basis.vectors[i]);
      bool keepsCommon = with.dimension() == before + basis.narrowRun;
      if (basis.vectors.size() >= sizes.limit || !keepsCommon ||
          !own.insert(vector))
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
                             const ExchangeSide &narrow,
                             const ExchangeSizes &sizes) {
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
      if (basis.narrowRun + i >= sizes.word() && used.insert(Bits(1) << i)) {
        vector ^= extension[i];
        break;
      }
    complement.insert(vector);
  };
  for (unsigned lane = 0; lane < sizes.laneBits; ++lane)
    add(narrow.refined.map.column(narrow.refined.itemBits + lane));
  narrow.threads.forEach(add);
}

/// The run, and a complement of it that contains all vectors that threads move
/// by: so each thread's elements have the same order in a run. `wide` is the
/// side whose registers alone may extend the run; null: none.
static Subspace chooseRun(OffsetBasis &basis, const ExchangeSide &a,
                          const ExchangeSide &b, const ExchangeSide *wide,
                          const ExchangeSizes &sizes, const Subspace &space) {
  Subspace threads = a.threads.sum(b.threads), common = threads;
  extend(basis.vectors, sizes.limit, common,
         a.registers.intersect(b.registers));
  basis.narrowRun = basis.vectors.size();
  Subspace complement = threads;
  if (wide) {
    const ExchangeSide &narrow = wide == &a ? b : a;
    extendRun(basis, *wide, narrow, sizes);
    complement = wide->threads;
    addNarrowThreads(complement, basis, narrow, sizes);
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
static void chooseBanks(OffsetBasis &basis, const ExchangeSide &store,
                        const ExchangeSide &load, const Subspace &complement,
                        bool storeIsWide, const ExchangeSizes &sizes) {
  unsigned run = basis.vectors.size(),
           rowLog2 = log2Floor(128 / sizes.elementBytes);
  unsigned bankBits = rowLog2 - std::min(run, rowLog2);
  // Two lanes conflict only where the run's bits beyond a word, which choose
  // banks too, are equal: so only what the lanes and the own run (and the
  // bytes of a word) move by within the complement matters.
  auto mayConflict = [&](const ExchangeSide &side, unsigned ownRun) {
    Subspace moved = side.lanes(sizes.elementBytes << ownRun, sizes.laneBits);
    for (unsigned i = 0; i < std::min(run, std::max(ownRun, sizes.word())); ++i)
      moved.insert(basis.vectors[i]);
    return moved.intersect(complement);
  };
  Subspace stored =
      mayConflict(store, storeIsWide ? basis.wideRun : basis.narrowRun);
  Subspace loaded =
      mayConflict(load, storeIsWide ? basis.narrowRun : basis.wideRun);
  Subspace rows = chooseRows(stored, loaded, complement, bankBits);
  // Vectors that lanes of both sides share come first: they may share a word.
  Subspace span = rows, shared = stored.intersect(loaded);
  size_t all = run + complement.dimension();
  for (const Subspace &from : {shared, stored, loaded, complement})
    extend(basis.vectors, all - rows.dimension(), span, from);
  rows.forEach([&](Bits vector) { basis.vectors.push_back(vector); });
}

std::vector<Bits> chooseSwizzle(const ExchangeSide &store,
                                const ExchangeSide &load,
                                const ExchangeSide *wide,
                                const ExchangeSizes &sizes,
                                const Subspace &space) {
  OffsetBasis basis;
  Subspace complement = chooseRun(basis, store, load, wide, sizes, space);
  chooseBanks(basis, store, load, complement, wide != &load, sizes);
  return basis.vectors;
}

} // namespace tilewright::layout

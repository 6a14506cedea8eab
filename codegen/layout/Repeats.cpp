//===- Repeats.cpp - How a layout counts the repeats of its cell ----------===//
#include "codegen/layout/Repeats.h"
#include "support/Format.h"

#include <set>

namespace tilewright::layout {

Repeats::Repeats(const Dims &counts, const Dims &order) : theCounts(counts) {
  for (unsigned i = 0; i < counts.rank(); ++i) {
    unsigned dim = order.rank() ? order[i] : i;
    if (counts[dim] == 1)
      continue;
    theDigits.append(dim);
    theDigitCounts.append(counts[dim]);
  }
}

StatusOr<Repeats> Repeats::ofDigits(unsigned rank, const Dims &dims,
                                    const Dims &counts) {
  Repeats result(Dims(rank, 1));
  if (dims.rank() != counts.rank())
    return Status::invalidInput(
        format("repeats: expected a count for each of {} digits, found {}",
               {dims.rank(), counts.rank()}));
  for (unsigned i = 0; i < dims.rank(); ++i) {
    int64_t dim = dims[i];
    if (dim != copies && (dim < 0 || dim >= int64_t(rank)))
      return Status::invalidInput(format(
          "repeats: expected a dimension below {}, found {}", {rank, dim}));
    if (dim != copies && result.theCounts[dim] != 1)
      return Status::invalidInput(
          format("repeats: dimension {} is counted twice", {dim}));
    if (counts[i] < 1)
      return Status::invalidInput(
          format("repeats: expected at least 1, found {}", {counts[i]}));
    if (counts[i] == 1)
      continue;
    if (dim != copies)
      result.theCounts[dim] = counts[i];
    result.theDigits.append(dim);
    result.theDigitCounts.append(counts[i]);
  }
  return result;
}

Dims Repeats::order() const {
  bool rowMajor = isRowMajor();
  Dims result;
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (theCounts[dim] == 1 || rowMajor)
      result.append(dim);
  for (int64_t dim : theDigits)
    if (!rowMajor && dim != copies)
      result.append(dim);
  return result;
}

bool Repeats::isRowMajor() const {
  int64_t last = -1;
  for (int64_t dim : theDigits) {
    if (dim == copies)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

bool Repeats::runsOnAlong(unsigned dim) const {
  return total() % theParts && theDigits[0] == dim;
}

bool Repeats::isPlain() const {
  return theParts == 1 && std::find(theDigits.begin(), theDigits.end(),
                                    copies) == theDigits.end();
}

bool Repeats::isLocal() const {
  return isPlain() || ofPart().copiedTo(theParts) == *this;
}

int64_t Repeats::index(const Dims &repeat) const {
  int64_t result = 0;
  for (unsigned i = 0; i < theDigits.rank(); ++i) {
    int64_t digit = theDigits[i] == copies ? 0 : repeat[theDigits[i]];
    result = result * theDigitCounts[i] + digit;
  }
  return result;
}

Dims Repeats::at(int64_t index) const {
  Dims repeat(rank(), 0);
  for (unsigned i = theDigits.rank(); i-- > 0;) {
    int64_t digit = i ? index % theDigitCounts[i] : index;
    index /= theDigitCounts[i];
    if (theDigits[i] != copies)
      repeat[theDigits[i]] = digit;
  }
  return repeat;
}

bool Repeats::isOwner(int64_t index) const {
  for (unsigned i = theDigits.rank(); i-- > 0;) {
    int64_t digit = i ? index % theDigitCounts[i] : index;
    index /= theDigitCounts[i];
    if (theDigits[i] == copies && digit)
      return false;
  }
  return true;
}

bool Repeats::ownersArePart() const {
  for (int64_t part = 0; part < theParts; ++part)
    for (int64_t round = 1; round < rounds(); ++round)
      if (isOwner(part) != isOwner(part + theParts * round))
        return false;
  return true;
}

bool Repeats::isSeparable() const {
  for (int64_t part = 1; part < theParts; ++part) {
    Dims ofPart = at(part);
    for (int64_t round = 1; round < rounds(); ++round) {
      Dims ofRound = at(theParts * round), both = at(part + theParts * round);
      for (unsigned dim = 0; dim < rank(); ++dim)
        if (both[dim] != ofPart[dim] + ofRound[dim])
          return false;
    }
  }
  return true;
}

int64_t Repeats::partsAlong(unsigned dim) const {
  std::set<int64_t> found;
  for (int64_t part = 0; part < theParts; ++part)
    found.insert(at(part)[dim]);
  return int64_t(found.size());
}

Repeats Repeats::ofPart() const { return Repeats(theCounts, order()); }

Repeats Repeats::dealtTo(int64_t parts) const {
  Repeats result = *this;
  result.theParts = parts;
  return result;
}

Repeats Repeats::dealtAlong(unsigned dim, int64_t parts) const {
  assert(isPlain());
  if (theCounts[dim] == 1)
    return copiedTo(parts);
  Dims counts = theCounts, fastestLast;
  counts[dim] = ((counts[dim] - 1) / parts + 1) * parts;
  for (int64_t each : order())
    if (each != dim)
      fastestLast.append(each);
  fastestLast.append(dim);
  return Repeats(counts, fastestLast).dealtTo(parts);
}

Repeats Repeats::withCounts(const Dims &counts) const {
  assert(counts.rank() == rank());
  if (isPlain())
    return Repeats(counts, order());
  Repeats result;
  result.theCounts = counts;
  result.theParts = theParts;
  auto add = [&](int64_t dim, int64_t count) {
    if (count == 1)
      return;
    result.theDigits.append(dim);
    result.theDigitCounts.append(count);
  };
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (theCounts[dim] == 1)
      add(dim, counts[dim]);
  for (unsigned i = 0; i < theDigits.rank(); ++i)
    add(theDigits[i],
        theDigits[i] == copies ? theDigitCounts[i] : counts[theDigits[i]]);
  return result;
}

Repeats Repeats::copiedAlong(unsigned dim) const {
  Repeats result = *this;
  result.theCounts[dim] = 1;
  for (int64_t &digit : result.theDigits)
    if (digit == dim)
      digit = copies;
  return result;
}

Repeats::LeftOut Repeats::leftOut(unsigned dim) const {
  int64_t faster = 1;
  for (unsigned i = theDigits.rank(); i-- > 0;) {
    // Without the digit, the index of what is slower changes by a multiple of
    // `faster`: for each part by the same number of rounds, if parts divide it.
    if (theDigits[i] == dim)
      return faster % theParts ? LeftOut() : LeftOut{int(i), faster};
    faster *= theDigitCounts[i];
  }
  return {};
}

Repeats Repeats::collapsed(unsigned dim) const {
  if (leftOut(dim).digit < 0)
    return copiedAlong(dim);
  Dims counts = theCounts;
  counts[dim] = 1;
  return withCounts(counts);
}

int64_t Repeats::collapsedIndex(unsigned dim, int64_t index) const {
  auto [digit, faster] = leftOut(dim);
  if (digit < 0)
    return index;
  int64_t slower = digit ? index / (faster * theDigitCounts[digit]) : 0;
  return slower * faster + index % faster;
}

Repeats Repeats::copiedTo(int64_t count) const {
  Repeats result = *this;
  if (count == 1)
    return result;
  assert(theParts == 1);
  result.theDigits.append(copies);
  result.theDigitCounts.append(count);
  result.theParts = count;
  return result;
}

Repeats Repeats::renamed(const Dims &newDims, unsigned newRank) const {
  Repeats result;
  result.theCounts = Dims(newRank, 1);
  result.theParts = theParts;
  for (unsigned i = 0; i < theDigits.rank(); ++i) {
    int64_t dim = theDigits[i] == copies ? copies : newDims[theDigits[i]];
    assert((theDigits[i] == copies) == (dim == copies));
    result.theDigits.append(dim);
    result.theDigitCounts.append(theDigitCounts[i]);
    if (dim != copies)
      result.theCounts[dim] = theDigitCounts[i];
  }
  return result;
}

} // namespace tilewright::layout

#include "tileir/reference/Shadow.h"

#include "tileir/reference/Interval.h"
#include "tileir/reference/SetOps.h"
#include <cmath>

using namespace mlir;

namespace tilewright::reference {

Shadow::Entries::const_iterator Shadow::firstAfter(uint64_t address) const {
  auto found = entries.upper_bound(address);
  if (found != entries.begin()) {
    auto before = std::prev(found);
    if (before->first + before->second.bytes > address)
      return before;
  }
  return found;
}

/// Whether elements are read as they were written; kernels may have contexts of
/// their own.
static bool isSameType(Type first, Type second) {
  if (first == second)
    return true;
  auto a = dyn_cast<FloatType>(first), b = dyn_cast<FloatType>(second);
  if (a && b)
    return &a.getFloatSemantics() == &b.getFloatSemantics();
  return !a && !b && first.isIntOrIndex() && second.isIntOrIndex();
}

Permitted Shadow::Entry::permittedSums() const {
  Permitted set = sum->result();
  if (mayFlush && !set.isAny) {
    // One number less than the least normal one is read, and one written.
    const double flushed = double(terms) * 0x1p-125;
    set.least = addDown(set.least, -flushed);
    set.greatest = addUp(set.greatest, flushed);
  }
  return set;
}

Element Shadow::load(uint64_t address, int64_t bytes, Element element) const {
  auto found = firstAfter(address);
  if (found == entries.end() || found->first >= address + bytes)
    return element;
  const Entry &entry = found->second;
  if (found->first != address || entry.bytes != bytes ||
      !isSameType(entry.type, element.getType()))
    return element.withSpread(Spread::any());
  if (entry.sum)
    return settle(std::move(element), entry.permittedSums(), entry.areSingle);
  return element.withSpread(entry.spread);
}

std::optional<llvm::APFloat> Shadow::exact(uint64_t address,
                                           int64_t bytes) const {
  auto found = entries.find(address);
  if (found == entries.end() || found->second.bytes != bytes)
    return std::nullopt;
  return found->second.exact;
}

void Shadow::storeExact(uint64_t address, int64_t bytes, Type type,
                        llvm::APFloat number) {
  clear(address, bytes);
  Entry entry{bytes, type, Spread(), std::nullopt};
  entry.exact = std::move(number);
  entries.emplace(address, std::move(entry));
}

void Shadow::clear(uint64_t address, int64_t bytes) {
  auto first = firstAfter(address), end = first;
  while (end != entries.end() && end->first < address + bytes)
    ++end;
  entries.erase(first, end);
}

Permitted Shadow::permitted(uint64_t address, int64_t bytes,
                            double computed) const {
  auto found = firstAfter(address);
  if (found == entries.end() ||
      found->first >= address + static_cast<uint64_t>(bytes))
    return Permitted::value(computed);
  const Entry &entry = found->second;
  if (found->first != address || entry.bytes != bytes)
    return Permitted::any();
  if (!entry.sum)
    return entry.spread.around(computed);
  return entry.permittedSums();
}

void Shadow::copy(uint64_t target, uint64_t source, int64_t bytes) {
  Entries copied;
  for (auto each = firstAfter(source);
       each != entries.end() && each->first < source + bytes; ++each)
    copied.insert({each->first - source + target, each->second});
  clear(target, bytes);
  entries.merge(copied);
}

void Shadow::store(uint64_t address, int64_t bytes, const Element &element) {
  if (!entries.empty())
    clear(address, bytes);
  if (element.hasSpread())
    entries[address] = {bytes, element.getType(), element.getSpread(),
                        std::nullopt, true};
}

/// A GPU's memory may read subnormal numbers of f32 as 0, and write 0 for them.
/// There are none among multiples of the least normal number.
static bool mayFlush(const Element &term) {
  constexpr double kLeastNormal = 0x1p-126;
  const Permitted set = term.permitted();
  if (!term.getType().isF32() || set.isAny || !set.hasNumbers())
    return false;
  if (set.least == set.greatest)
    return set.least != 0 && std::isfinite(set.least) &&
           powerOfTwoIn(set.least) < kLeastNormal;
  // Numbers from here on have no bits below.
  constexpr double kApart = kLeastNormal * 0x1p24;
  return set.least < kApart && set.greatest > -kApart;
}

void Shadow::addTerm(Entry &entry, const Element &term) {
  entry.sum->add(term.permitted());
  entry.areSingle &= !term.hasSpread();
  entry.mayFlush |= mayFlush(term);
  ++entry.terms;
}

void Shadow::add(uint64_t address, int64_t bytes, const Element &old,
                 const Element &term, const Element &sum,
                 const FreedomOptions &options) {
  auto found = entries.find(address);
  const bool goesOn = found != entries.end() && found->second.sum &&
                      isSameType(found->second.type, sum.getType());
  if (!goesOn) {
    clear(address, bytes);
    found = entries
                .emplace(address,
                         Entry{bytes, sum.getType(), Spread(), std::nullopt})
                .first;
    found->second.sum.emplace(
        AnyOrder::Kind::sum, SetRules(cast<FloatType>(sum.getType()), options));
    addTerm(found->second, old);
  }
  addTerm(found->second, term);
}

} // namespace tilewright::reference

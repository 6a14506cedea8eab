// What a run with freedom permits as content of memory, beside the bytes that
// it computes.
#pragma once

#include "tileir/reference/AnyOrder.h"
#include <map>
#include <optional>

namespace tilewright::reference {

/// By address, the elements that have a spread, or to which atomics added. It
/// may outlive a launch and be given to the next one. Not safe for use from
/// several threads.
class Shadow {
public:
  bool isEmpty() const { return entries.empty(); }
  /// `element`, which was read at this address, with its spread. A read of
  /// parts of elements, or as another type, may be any.
  Element load(uint64_t address, int64_t bytes, Element element) const;
  /// The set of the bytes at this address, of which `computed` is the number.
  Permitted permitted(uint64_t address, int64_t bytes, double computed) const;
  /// `bytes` were copied from memory to memory, which may be that of the host.
  void copy(uint64_t target, uint64_t source, int64_t bytes);
  /// In exact arithmetic: the number that was written at this address, where
  /// memory has it rounded; none if memory has all there is to know.
  std::optional<llvm::APFloat> exact(uint64_t address, int64_t bytes) const;
  void storeExact(uint64_t address, int64_t bytes, mlir::Type type,
                  llvm::APFloat number);
  /// What was written has no spread.
  void clear(uint64_t address, int64_t bytes);
  /// `element` was written.
  void store(uint64_t address, int64_t bytes, const Element &element);
  /// `sum`, which was written, is `old` and `term`, which an atomic added: in
  /// any order with the other terms that atomics add here.
  void add(uint64_t address, int64_t bytes, const Element &old,
           const Element &term, const Element &sum,
           const FreedomOptions &options);

private:
  struct Entry {
    int64_t bytes;
    mlir::Type type;
    Spread spread;
    std::optional<AnyOrder> sum;
    /// Whether no term of the sum has a spread.
    bool areSingle = true;
    /// Whether atomics of f32 may replace a partial sum by 0.
    bool mayFlush = false;
    int64_t terms = 0;
    std::optional<llvm::APFloat> exact = std::nullopt;

    /// What the terms that atomics added may have come to.
    Permitted permittedSums() const;
  };
  static void addTerm(Entry &entry, const Element &term);
  using Entries = std::map<uint64_t, Entry>;

  /// The first entry that ends behind the address.
  Entries::const_iterator firstAfter(uint64_t address) const;

  Entries entries;
};

} // namespace tilewright::reference

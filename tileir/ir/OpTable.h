//===- OpTable.h - What a stage does with each op ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_OPTABLE_H
#define TILEWRIGHT_TILEIR_IR_OPTABLE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tile {

/// An entry for each op that a stage supports. Each group of ops adds its own;
/// after that the table is only read, from any thread.
template <typename Entry> class OpTable {
public:
  /// Adds the same entry for each of the ops, none of which has one yet.
  template <typename... Ops> void add(const Entry &entry) {
    (insert(mlir::TypeID::get<Ops>(), entry), ...);
  }

  /// Null for an op that the stage does not know.
  const Entry *find(mlir::OperationName name) const {
    auto found = entries.find(name.getTypeID());
    return found == entries.end() ? nullptr : &found->second;
  }
  const Entry *find(mlir::Operation *op) const { return find(op->getName()); }

private:
  void insert(mlir::TypeID op, const Entry &entry) {
    [[maybe_unused]] bool isNew = entries.try_emplace(op, entry).second;
    assert(isNew && "an op has one entry");
  }

  llvm::DenseMap<mlir::TypeID, Entry> entries;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_OPTABLE_H

//===- KernelText.h - A tile kernel written by hand -------------*- C++ -*-===//
//
// A tile-level module as text with parameters: those of a template
// (tileir/text/Template.h), and tile.tunable.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_KERNELTEXT_H
#define TILEWRIGHT_LIBRARY_MODEL_KERNELTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tileir/text/Template.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

class KernelText {
public:
  /// `name` is the text's name in messages: a file's path. Errors, here and
  /// below, begin with the location, NAME:LINE: or NAME:LINE:COLUMN: where it
  /// is known, else NAME: . Error: a malformed template.
  static StatusOr<KernelText> open(std::string text, std::string name);

  /// The original text, unexpanded.
  [[nodiscard]] const std::string &text() const { return code; }
  /// The module, with the template's numbers (or defaults) substituted and
  /// every tile.tunable open. Errors: it does not parse.
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
  parse(mlir::MLIRContext &context,
        const std::map<std::string, int64_t> &values) const;
  /// What is open: the template's, then those of tile.tunable in a module that
  /// parse() returned.
  [[nodiscard]] std::vector<tile::Tunable>
  tunables(mlir::ModuleOp module) const;
  /// The module with all tunables bound, missing ones to their defaults.
  /// Errors: as parse(); no such tunable, or no such value of it; an illegal
  /// combination of values.
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
  bind(mlir::MLIRContext &context,
       const std::map<std::string, int64_t> &values) const;

private:
  KernelText(std::string code, std::string name, tile::Template pieces)
      : code(std::move(code)), name(std::move(name)),
        pieces(std::move(pieces)) {}

  std::string code, name;
  tile::Template pieces;
};

/// The module's tile.kernel of this name; the only one for an empty name.
/// Errors list the kernels: no such name, or several kernels and no name.
StatusOr<tile::KernelOp> onlyKernel(mlir::ModuleOp module,
                                    llvm::StringRef name = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_KERNELTEXT_H

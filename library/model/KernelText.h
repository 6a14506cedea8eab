//===- KernelText.h - A tile kernel written by hand -------------*- C++ -*-===//
//
// A tile-level module as text in which numbers may be left open: by the lines
// of a template (tileir/text/Template.h), and by tile.tunable.
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
  /// `name` is what messages call the text: a file's path. Errors, here and
  /// below, begin with the location, NAME:LINE: or NAME:LINE:COLUMN: where it
  /// is known, else NAME: . They are: a malformed template.
  static StatusOr<KernelText> open(std::string text, std::string name);

  /// The text as it was given, unexpanded.
  [[nodiscard]] const std::string &text() const { return code; }
  /// The module, the template's numbers in place and every tile.tunable open;
  /// the template's default for what is not given. Errors: it does not parse.
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
  parse(mlir::MLIRContext &context,
        const std::map<std::string, int64_t> &values) const;
  /// What is open: the template's, then those of tile.tunable in a module that
  /// parse() returned.
  [[nodiscard]] std::vector<tile::Tunable>
  tunables(mlir::ModuleOp module) const;
  /// The module with all tunables bound, those that are not given to their
  /// defaults. Errors: as parse(); there is no such tunable, or it has no such
  /// value; these values are not legal together.
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
/// Errors list the kernels: there is none of that name, or several and no name.
StatusOr<tile::KernelOp> onlyKernel(mlir::ModuleOp module,
                                    llvm::StringRef name = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_KERNELTEXT_H

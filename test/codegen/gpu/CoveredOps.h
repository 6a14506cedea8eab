// The table of docs/gpu-coverage.md: ops of the tile level, the types of
// elements that each takes, and the situations of a tile's layout.
#ifndef TILEWRIGHT_TEST_CODEGEN_TILEGPU_COVEREDOPS_H
#define TILEWRIGHT_TEST_CODEGEN_TILEGPU_COVEREDOPS_H

#include "codegen/layout/Layout.h"
#include "test/codegen/kernels/KernelText.h"
#include "llvm/ADT/ArrayRef.h"

namespace tilewright::kerneltest {

/// How the loaded tile's layout is oriented to the ops' axis.
struct Situation {
  const char *name, *meaning;
  std::vector<int64_t> shape;
  size_t axis;
  unsigned warps;
  /// Whether the layout is as the name says.
  bool (*holds)(const layout::Layout &, const Situation &);

  int64_t size() const { return shape[axis]; }
};

struct CoveredOp {
  /// One op, or two that are tested together: "tile.join, tile.split".
  const char *name;
  std::vector<std::string> elements;
  /// Adds the op to a kernel, on tiles of the situation.
  void (*build)(KernelText &, const Situation &, const std::string &element);
};

/// All types of elements.
const std::vector<std::string> &allElements();
llvm::ArrayRef<Situation> situations();
llvm::ArrayRef<CoveredOp> coveredOps();

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_TILEGPU_COVEREDOPS_H

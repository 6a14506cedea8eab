//===- Ptx.h - Inline PTX, parsed -------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_PTX_H
#define TILEWRIGHT_VERIFY_THREADS_PTX_H

#include "verify/threads/Combine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::verify::threads {

/// "$3", a number, or a list "{$0, $1}".
struct PtxOperand {
  llvm::SmallVector<unsigned, 4> registers;
  std::optional<int64_t> number;
  /// "[$3+8]": an address with this offset.
  bool isAddress = false;
  int64_t offset = 0;
};

/// "@!$4 ld.global.v2.b32 {$0, $1}, [$5]".
struct PtxStatement {
  std::optional<unsigned> predicate;
  bool isNegated = false;
  /// "ld", "global", "v2", "b32".
  std::vector<std::string> name;
  std::vector<PtxOperand> operands;

  [[nodiscard]] bool has(llvm::StringRef part) const;
  /// The last part: the type.
  [[nodiscard]] llvm::StringRef type() const { return name.back(); }
};

/// The statements of the text; none where it has other forms.
std::optional<std::vector<PtxStatement>> parsePtx(llvm::StringRef text);

/// "s32", "f16x2", "b64": a type, and the bits of one of its numbers; null for
/// others.
mlir::Type scalarOf(llvm::StringRef name, mlir::MLIRContext *context,
                    unsigned &bits);

/// The way that the name says two numbers are combined.
std::optional<Combining> combiningOf(const PtxStatement &ptx);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_PTX_H

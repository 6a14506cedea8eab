//===- PassList.h - The passes of a pipeline, one by one --------*- C++ -*-===//
//
// MLIR does not show the passes that are nested in a pass manager, but it
// prints them: "a,b(c,d{e=f})". This is that text as a list.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_PASSLIST_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_PASSLIST_H

#include "mlir/Pass/PassManager.h"
#include "tilewright/support/Status.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace tilewright {

/// The passes of a pipeline, nested or not, in order. Immutable.
class PassList {
public:
  explicit PassList(llvm::StringRef pipeline);
  static PassList of(mlir::OpPassManager &passes);

  [[nodiscard]] size_t size() const { return passes.size(); }
  /// The pass's name; the second of that name is "NAME:2".
  [[nodiscard]] const std::string &name(size_t pass) const {
    return passes[pass].name;
  }
  /// The pass's flag: its name without a number.
  [[nodiscard]] std::string flag(size_t pass) const {
    return passes[pass].name.substr(0, passes[pass].name.find(':'));
  }
  /// The number of passes up to and with the one of that name. Errors: there is
  /// none; the names are listed.
  StatusOr<size_t> upTo(llvm::StringRef name) const;
  /// The number of passes before those on kernels in separate modules.
  [[nodiscard]] size_t beforeCode() const;
  /// The passes [first, last), or from `first` on, as a pipeline.
  [[nodiscard]] std::string text(size_t first, size_t last = SIZE_MAX) const;
  /// Those of them that run on modules in ops of that name, as a pipeline over
  /// such a module.
  [[nodiscard]] std::string codeText(llvm::StringRef op) const;

private:
  /// Ops that passes are nested in, which passes with the same number share.
  struct Nest {
    std::string op;
    unsigned number = 0;
    friend bool operator==(const Nest &, const Nest &) = default;
  };
  struct Entry {
    std::string name, text;
    std::vector<Nest> nests;
    bool isOnCode() const;
  };

  /// Adds the passes at the start of `text`, up to a closing parenthesis.
  void parse(llvm::StringRef &text, std::vector<Nest> &nests,
             llvm::StringMap<unsigned> &counts);
  static std::string print(llvm::ArrayRef<Entry> entries, size_t depth);

  std::vector<Entry> passes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_PASSLIST_H

//===- Verify.h - tilewright verify BEFORE AFTER ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H

#include "verify/validate/Relation.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::tool {

/// The options of `verify` for two programs.
struct VerifyArguments {
  std::string before, after, outputDirectory;
  /// Of the sides that are PTX, in order; one serves both.
  std::vector<std::string> launches, pluginFiles;
  verify::Relation relation;
  uint64_t seed = 0;
  /// In seconds; 0: the default.
  double timeLimit = 0;
  bool json = false;
};

/// Looks for inputs on which the programs differ, and reports. Returns the exit
/// code: exitFinding where they do.
int verifyPrograms(const VerifyArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H

//===- Verify.h - tilewright verify BEFORE AFTER ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H

#include "tilewright/manifest/Precision.h"
#include "verify/numerics/OpPrecision.h"
#include "verify/validate/Relation.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::tool {

/// The options of `verify`: for two programs, or for one and its compilation.
struct VerifyArguments {
  std::string before, after, outputDirectory;
  /// Of a compilation.
  std::vector<std::string> targets = {"cpu"};
  runtime::Precision precision = runtime::Precision::ieee;
  /// Of --numerics: what ops are ranked for.
  std::optional<verify::OpPrecision> opPrecision;
  /// And the error that none may exceed, by keeping some of them in f32.
  std::optional<double> mostError;
  /// Of the sides that are PTX, in order; one serves both.
  std::vector<std::string> launches, pluginFiles;
  /// The package that gets what was found of its model.
  std::string evidence;
  /// Of a compilation: NAME=FILE of its inputs.
  std::vector<std::string> inputs;
  /// Of an ONNX model: the Python whose ONNX Runtime judges its import; empty:
  /// nobody does.
  std::string oraclePython;
  /// Kernel by kernel, also where the model is small.
  bool byKernel = false;
  /// Of a file of --stop-after: its code may run on this machine.
  bool resume = false;
  verify::Relation relation;
  /// Of --numerics: how many elements of each output are compared.
  int64_t samples = 1000;
  uint64_t seed = 0;
  /// In seconds; 0: the default.
  double timeLimit = 0;
  /// Of two programs: after so many defined runs it ends; 0: the default.
  int64_t runs = 0;
  bool json = false, numerics = false;
};

/// Looks for inputs on which the programs differ, and reports. Returns the exit
/// code: exitFinding where they do.
int verifyPrograms(const VerifyArguments &arguments);

/// Runs a model, which is `before`, behind each pass of its compilation, and
/// names the first pass that does not keep its relation. Returns the exit code,
/// as above.
int verifyModel(const VerifyArguments &arguments);

/// Compiles a model, which is `before`, for each target, runs it, and reports
/// its errors against exact arithmetic. Returns the exit code.
int verifyNumerics(const VerifyArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFY_H

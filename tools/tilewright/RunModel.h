//===- RunModel.h - tilewright run MODEL | KERNEL | PACKAGE -----*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNMODEL_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNMODEL_H

#include "tilewright/manifest/Precision.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::tool {

/// Where the counters of the emulator go; an empty path: nowhere.
struct CounterReports {
  std::string stats, annotate, html;
  /// To the standard output.
  bool summary = false;

  [[nodiscard]] bool any() const {
    return summary || !stats.empty() || !annotate.empty() || !html.empty();
  }
};

/// The options of `run` for a model, a tile kernel or a package.
struct RunArguments {
  std::string model, target, kernel, outputDirectory, fastMath;
  runtime::Precision precision = runtime::Precision::ieee;
  std::vector<std::string> devices = {"cpu"};
  std::vector<std::string> inputs, shapes, scalars, pluginFiles;
  /// Those of the files; null where there are none.
  std::shared_ptr<const Plugins> plugins;
  unsigned threads = 0, repeat = 1;
  /// In seconds; 0: none.
  double timeLimit = 0;
  uint64_t seed = 0;
  bool seedGiven = false, json = false, profile = false;
  /// On the emulator: when asynchronous copies land, "early" or "late", and the
  /// seed by which warps change.
  std::string landing = "early";
  std::optional<uint64_t> interleave;
  CounterReports counters;
};

/// Runs it on each device, with the same inputs, and prints what came of it.
/// Returns the exit code: exitFinding where a device that checks found that a
/// kernel does wrong.
int runModel(const RunArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNMODEL_H

//===- MapModel.h - A model on a statically scheduled machine ---*- C++ -*-===//
//
// From a model and a machine file to a schedule: what each unit of a chip does
// in each cycle (docs/spatial.md).
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_MAPMODEL_H
#define TILEWRIGHT_COMPILER_MAPMODEL_H

#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/manifest/DType.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct MapModelOptions {
  /// The machine file.
  std::filesystem::path machine;
  /// How many chips; one is all that is supported.
  int64_t chips = 1;
  /// The type of the factors of products: f32, f16 or bf16, which the machine's
  /// mxm must multiply. Sums are of f32. Without it, the first of these that
  /// the mxm has.
  std::optional<runtime::DType> precision;
  /// Shapes of inputs, by name; all must be known.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Plug-ins with frontends; may be null.
  std::shared_ptr<const Plugins> plugins;
  /// Receives errors as data; may be null.
  std::vector<Diagnostic> *diagnostics = nullptr;
};

/// What a schedule is, and how far it is from what the machine permits.
struct MapModelReport {
  int64_t chips = 1, cycles = 0;
  /// No schedule of this vector program has fewer cycles: its busiest kind of
  /// unit works as long, or its longest chain of dependent vectors takes so
  /// long.
  int64_t lowerBound = 0;
  /// Multiply-adds of the model's products of matrices and convolutions.
  int64_t macs = 0;
  /// macs x passes / (cycles x planes x rows x columns); 0 without an mxm.
  double mxmUtilization = 0;
  runtime::DType precision = runtime::DType::F32;
  /// By kind ("mem", "mxm", ..): the share of its queues' cycles that
  /// instructions take.
  std::map<std::string, double> units;
  /// Bytes of constants, and of the chip's memory.
  int64_t constantBytes = 0, memoryBytes = 0;
  /// How many of the machine's numbers have which grade.
  std::map<std::string, int64_t> grades;
  /// Of importing, of making vectors, of scheduling, and of writing.
  double importSeconds = 0, vectorSeconds = 0, scheduleSeconds = 0,
         writeSeconds = 0;
};

/// Writes the schedule of a model to the folder `output`, X.tws, which appears
/// only when it is complete. The same model, machine and options give the same
/// bytes. Errors: all ops that have no lowering to vectors, a shape that is not
/// known, a type that the machine cannot multiply, a model that does not fit
/// into its memory, a machine file that is wrong.
TILEWRIGHT_API StatusOr<MapModelReport>
mapModel(const ModelSource &model, const std::filesystem::path &output,
         const MapModelOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_MAPMODEL_H

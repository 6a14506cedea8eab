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
  /// About how many seconds of one core a search for shorter schedules takes,
  /// counted in steps: time and load do not matter. 0: one schedule, or the
  /// first one that fits.
  double effort = 5;
  /// Of the search; another one tries other schedules.
  uint64_t seed = 0;
  /// Whether the report has `inputs` and `nodes`.
  bool explains = false;
  /// Plug-ins with frontends; may be null.
  std::shared_ptr<const Plugins> plugins;
  /// Receives errors as data; may be null.
  std::vector<Diagnostic> *diagnostics = nullptr;
};

/// How the vectors of a schedule hold a tensor.
struct MapLayout {
  std::vector<int64_t> shape;
  int64_t vectors = 0;
  /// The dimensions along which the lanes of one vector differ.
  std::vector<int64_t> lanes;
  /// The share of lanes that hold an element.
  double filled = 0;
  /// What it is computed from, by the node that computes that, or the input's
  /// name; and whether it is "in place": the elements that a lane reads were in
  /// this lane. If not, it is "in other lanes", or "constant".
  std::vector<std::pair<std::string, std::string>> operands;
};

/// What the instructions of a node of the model do.
struct MapNode {
  /// What the frontend calls it.
  std::string name;
  /// From the first instruction that makes one of its vectors to the first
  /// cycle in which all are there. Those of other nodes run at the same time.
  int64_t begin = 0, end = 0;
  /// No schedule of its instructions is shorter. `binds` says why: the busiest
  /// kind of unit ("mxm", "vxm", "sxm", "mem"), or the "chain" of vectors that
  /// depend on each other.
  int64_t lowerBound = 0;
  std::string binds;
  /// How many of each op of the machine: "mul", "alu", "map", "transpose",
  /// "gather".
  std::map<std::string, int64_t> instructions;
  /// Of the tensors that it computes; those that are only read in another shape
  /// have none.
  std::vector<MapLayout> layouts;
};

/// What a schedule is, and how far it is from what the machine permits.
struct MapModelReport {
  int64_t chips = 1, cycles = 0;
  /// No schedule of this vector program has fewer cycles: its busiest kind of
  /// unit works as long, or its longest chain of dependent vectors takes so
  /// long.
  int64_t lowerBound = 0;
  /// How many schedules were made, and which of them this is, from 0; number 0
  /// is what there is without a search.
  int64_t schedules = 1, bestSchedule = 0;
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
  /// With MapModelOptions::explains: how inputs lie, by name, and the nodes of
  /// the model that take instructions, in its order.
  std::vector<std::pair<std::string, MapLayout>> inputs;
  std::vector<MapNode> nodes;
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

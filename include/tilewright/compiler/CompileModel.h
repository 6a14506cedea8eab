//===- CompileModel.h - From a model file to a package ----------*- C++ -*-===//
//
// The whole way of a model: import, fusion, tile kernels, code, package. The
// one place that knows the frontends, the compiler and the package format.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_COMPILEMODEL_H
#define TILEWRIGHT_COMPILER_COMPILEMODEL_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/codegen/PassPrinter.h"
#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/compiler/ScheduleTable.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

namespace tile {
class KernelOp;
} // namespace tile

/// A kernel of the user for a part of the model.
struct KernelReplacement {
  /// What it computes in the frontend's terms; of ONNX, nodes, as docs/onnx.md
  /// says: "y = Mul(x, Sigmoid(x))".
  std::string pattern;
  /// Holds the kernel, whose arguments are views of the pattern's inputs and
  /// then of its outputs, and what it calls.
  TileModule kernels;
  /// The kernel's name; empty for a module's only one.
  std::string kernel;
};

struct CompileModelOptions {
  /// Fixes the shape of inputs of a graph, by name; -1 leaves a size.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Elements that inputs will have, by name. Those that the
  /// import must know, because shapes depend on them, become part of the
  /// package, which takes no others then.
  std::map<std::string, runtime::HostTensor> inputValues;
  /// Shapes that memory is planned for, by input: the greatest that dynamic
  /// dimensions will have. The package takes others too.
  std::map<std::string, std::vector<int64_t>> maxShapes;
  /// Kernels in place of parts of the model, for each target, where the
  /// frontend takes patterns; earlier ones match first, and each must match.
  std::vector<KernelReplacement> replacements;
  /// What each kernel is compiled for: this CPU, if there is one, and GPUs:
  /// those of target::gpuTargets() and of `plugins`.
  std::optional<cpu::CpuTarget> cpu = cpu::hostTarget();
  std::vector<const target::GpuTarget *> gpus;
  /// And for the device "interpreter", as they are before code generation: what
  /// another device makes of the model is compared with it.
  bool interpreter = false;
  /// Threads that compile kernels; 0 takes as many as there are cores.
  unsigned threads = 0;
  /// Called from the calling thread's side, one call at a time: kernels
  /// compiled so far and their number.
  std::function<void(size_t done, size_t total)> progress;
  /// Of each kernel; its time is looked at from stage to stage.
  Budget budget;
  /// Of all; as a budget's time.
  std::optional<std::chrono::milliseconds> timeLimit;
  /// The caller's wish to give the work up.
  std::stop_token stop;
  /// Where packages and the images of kernels are kept; null: nowhere. What
  /// comes out is the same with and without. Work that somebody wants to see
  /// (passes, checks, times) is done anew; a package is taken whole where
  /// nothing but it is wanted, the model is one file, and no table chooses
  /// schedules.
  std::shared_ptr<Cache> cache;
  /// Frontends, passes over kernels and targets from outside; may be null.
  std::shared_ptr<const Plugins> plugins;
  /// Whether a false tile.assert ends the launch with its message.
  bool assertions = true;
  /// Called with each kernel at the scheduled level, which it must not change,
  /// for each GPU; from several threads at once.
  std::function<void(tile::KernelOp)> onScheduled;
  /// The IR after passes, from the import to the llvm dialect; kernels are
  /// compiled one after another then. The report says which passes ran.
  PassPrintOptions printPasses;
  /// Where a pass fails: the file to which the program is written as it was
  /// before that pass, with the passes that are left, as `stopAfter` writes it;
  /// the error says so. Empty: none. It costs several compilations.
  std::filesystem::path reproducer;
  /// As CompileOptions::verifyEach, of kernels.
  bool verifyEach = false;
  /// Say in PTX which line of a file each instruction is from.
  bool lineInfo = false;
  /// The schedule of all kernels for GPUs, and for the CPU; without one, each
  /// has the default of its work. Their tunables say how groups are tiled
  /// (graph/lowering/Tiling.h), and are those of a kernel written by
  /// hand; what they leave out has its default.
  std::optional<schedule::GpuSchedule> schedule;
  std::optional<schedule::CpuSchedule> cpuSchedule;
  /// What is taken in place of those for the groups of graph ops, or the kernel
  /// written by hand, that it knows; may be null. Outlives the compilation,
  /// which asks from the calling thread.
  ScheduleTable *scheduleTable = nullptr;
  /// The one kernel whose texts, schedules and PTX are in the report, and which
  /// alone is compiled where nothing is written. Of a file with several tile
  /// kernels it is the one that is compiled. Empty: all of them, or the only
  /// one.
  std::string onlyKernel;
  /// Stop a graph after this pass, the second of one name as "NAME:2"; `output`
  /// is a file then, an .mlir that another compilation goes on with. Empty:
  /// nowhere.
  std::string stopAfter;
  /// Fill in the report's schedules.
  bool wantSchedules = false;
  /// Fill in the report's PTX.
  bool wantPtx = false;
  /// Fill in the report's fusion plan.
  bool wantFusion = false;
  /// Fill in the texts of the report.
  bool wantGraph = false, wantTiles = false, wantScheduled = false,
       wantLoops = false, wantLlvm = false, wantAssembly = false;
  /// Where errors go as data, with the codes of CompileReport::diagnostics and
  /// "io"; the message of the failure holds them as text, too. May be null.
  std::vector<Diagnostic> *diagnostics = nullptr;
  /// How the report's times are written.
  enum class TimeFormat { none, text, json };
  TimeFormat times = TimeFormat::none;
};

/// Makes `options` compile for the targets of these names and no others: "cpu",
/// which is this machine, "interpreter", and GPUs, of `options.plugins` too.
/// Errors: there is no such target.
Status setTargets(std::span<const std::string> names,
                  CompileModelOptions &options);

/// The PTX of one kernel for one GPU.
struct KernelPtx {
  std::string kernel, target, text;
};

/// What compilation did.
struct CompileModelReport {
  int64_t nodes = 0;
  size_t steps = 0, kernels = 0;
  /// Whether the whole package was in the cache; else how many images, one for
  /// each kernel and target, were.
  bool fromCache = false;
  size_t cachedImages = 0;
  double importSeconds = 0, lowerSeconds = 0, codeSeconds = 0;
  /// Memory of a session, where all shapes are static or given.
  std::optional<runtime::MemoryUse> memory;
  /// The time of each stage and pass, longest first; those of kernels are
  /// summed over kernels and threads.
  std::string times;
  /// The fusion plan, for people and as JSON.
  std::string fusionText, fusionJson;
  /// The stages as text, as asked for. Assembly is PTX for a GPU.
  std::string graph, tiles, scheduled, loops, llvm, assembly;
  std::vector<KernelPtx> ptx;
  /// For each kernel and GPU what was chosen and why, for people.
  std::string schedules;
  /// Where passes are printed: those that ran, each once.
  std::vector<std::string> passes;
  /// What a person should know, with the codes
  ///   spills  of a kernel written by hand: for the CPU more than one
  ///           instruction in four moves a value to or from the stack
  ///   cache   the cache cannot be written
  std::vector<Diagnostic> warnings;
};

/// Compiles a model of any frontend (an ONNX model, a graph in MLIR, also one
/// that was stopped between two passes, one tile kernel, what `plugins` read)
/// into the package directory `output`, which appears only when it is complete.
/// With an empty `output` nothing is written. Errors say where, what was
/// expected and what was found.
StatusOr<CompileModelReport> compileModel(const ModelSource &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options);
StatusOr<CompileModelReport> compileModel(const std::filesystem::path &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options);

/// The kernels of a model that a schedule can be chosen for, once for each
/// launch, target by target for each group. Errors: as compileModel().
StatusOr<std::vector<KernelToSchedule>>
kernelsToSchedule(const std::filesystem::path &model,
                  const CompileModelOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILEMODEL_H

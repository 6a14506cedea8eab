// The passes of a model that know schedules.
#ifndef TILEWRIGHT_LIBRARY_MODEL_PASSES
#define TILEWRIGHT_LIBRARY_MODEL_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def AssignGroupSchedules
    : Pass<"assign-group-schedules", "::mlir::ModuleOp">, Exact {
  let summary = "Writes the schedules of groups into the IR";
  let description = [{
    For each `graph.group` and each target in the module's `graph.targets`,
    takes the schedule that a table has (`ScheduleTable`, for instance a tuning
    database), or else that of the option, if there is one. Parameters of code
    generation go to the entry's `schedule`, all others to its `tiling`. A group
    without elements gets no schedule, a concatenation no tiling.

    A kernel of the user gets the option's schedule, too, unless its text has
    one. It is stored in `graph.schedules` of its module. Runs after
    `form-groups`, before `convert-graph-to-tile`.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"",
           "the schedule for the CPU, as users write it">,
    Option<"gpu", "gpu", "std::string", /*default=*/"",
           "the schedule for GPUs">,
    Option<"hasTable", "table", "bool", /*default=*/"false",
           "whether there is a table; the program that runs the pass must "
           "provide it">
  ];
  let statistics = [
    Statistic<"askedCount", "asked", "schedules that were looked up">,
    Statistic<"foundCount", "found", "schedules that the table had">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SplitKernels : Pass<"split-kernels", "::mlir::ModuleOp">, Exact {
  let summary = "Puts each kernel for each target into its own module";
  let description = [{
    Runs when all kernels have their schedules. For each target of the module's
    `graph.targets`, each kernel that runs there gets a module of its own, with
    its target, its schedule, and no calls; `tile.precision` of the module is
    the least exact precision of its products of f32, if that is not `ieee`.
    Kernels of the user do, too. These modules are in a `graph.cpu_code`,
    `graph.gpu_code` or `graph.interpreter_code`, in the order of the targets.
    From here on a kernel needs only its own module. The modules from which the
    kernels come stay, because launches and the package's interface refer to
    them.
  }];
  let statistics = [
    Statistic<"kernelCount", "kernels", "kernels, counted for each target">
  ];
  let dependentDialects = [
    "::tilewright::graph::GraphDialect", "::tilewright::tile::TileDialect"
  ];
}

#endif

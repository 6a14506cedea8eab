// The passes of a model that know schedules.
#ifndef TILEWRIGHT_LIBRARY_MODEL_PASSES
#define TILEWRIGHT_LIBRARY_MODEL_PASSES

include "mlir/Pass/PassBase.td"

def AssignGroupSchedules
    : Pass<"assign-group-schedules", "::mlir::ModuleOp"> {
  let summary = "Writes the schedules of groups to them";
  let description = [{
    For each `graph.group` and each of the targets in the module's
    `graph.targets`: what a table of schedules has for it (`ScheduleTable`, a
    tuning database for instance), else the option's, if any. Parameters that code
    generation knows go to the entry's `schedule`, others to its `tiling`. A group
    without elements gets none, a concatenation no tiling. A kernel that the user
    gave gets the option's too, unless its text has one: its module's
    `graph.schedules`. Runs after `form-groups`, before `convert-graph-to-tile`.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"",
           "the schedule for the CPU, as users write it">,
    Option<"gpu", "gpu", "std::string", /*default=*/"",
           "the schedule for GPUs">,
    Option<"hasTable", "table", "bool", /*default=*/"false",
           "whether a table is asked; it has to be given by the program that "
           "runs the pass">
  ];
  let statistics = [
    Statistic<"askedCount", "asked", "schedules that the table was asked for">,
    Statistic<"foundCount", "found", "schedules that it had">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SplitKernels : Pass<"split-kernels", "::mlir::ModuleOp"> {
  let summary = "Puts each kernel for each target into a module of its own";
  let description = [{
    For each target of the module's `graph.targets`, the kernels that run there,
    those that the user gave too: each alone, with its target and its schedule,
    and with no call left; in a `graph.cpu_code`, `graph.gpu_code` or
    `graph.interpreter_code`, in the order of the targets. The modules that the
    kernels are from stay: launches and the package's interface speak of them.
    Runs when all kernels have their schedules; from here on a kernel needs
    nothing but its module.
  }];
  let statistics = [
    Statistic<"kernelCount", "kernels", "kernels, counted for each target">
  ];
  let dependentDialects = [
    "::tilewright::graph::GraphDialect", "::tilewright::tile::TileDialect"
  ];
}

#endif

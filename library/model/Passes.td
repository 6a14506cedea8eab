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
    tuning database for instance), else the option's, if any. Choices that code
    generation knows go to the entry's `schedule`, others to its `cut`. A group
    without elements gets none, a concatenation no cut. Runs after
    `form-groups`, before `convert-graph-to-tile`.
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

#endif

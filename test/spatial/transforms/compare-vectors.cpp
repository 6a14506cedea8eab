//===- compare-vectors.cpp - A program on vectors and its schedule --------===//
//
//   compare-vectors GRAPH.mlir MACHINE.json PRECISION IN.npy..
//       Lowers a graph, of graph form, to vectors, executes it on the
//       reference, schedules it and simulates the schedule. Both must give the
//       same bits, and neither judge of schedules may find anything.
//
//===----------------------------------------------------------------------===//
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "spatial/reference/Execute.h"
#include "spatial/schedule/ScheduleVectors.h"
#include "spatial/simulator/Simulator.h"
#include "spatial/transforms/Passes.h"
#include "tileir/ir/Register.h"
#include "tilewright/runtime/Npy.h"
#include "verify/spatial/VerifySchedule.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;

/// The bytes of outputs, one behind the other.
static std::string bytesOf(const std::vector<runtime::HostTensor> &outputs) {
  std::string bytes;
  for (const runtime::HostTensor &output : outputs)
    bytes.append(reinterpret_cast<const char *>(output.data()), output.bytes());
  return bytes;
}

static Status compare(mlir::func::FuncOp program,
                      const spatial::Machine &machine,
                      std::span<const runtime::TensorView> inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<runtime::HostTensor> expected,
                              spatial::executeVectors(program, inputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(spatial::Schedule schedule,
                              spatial::scheduleVectors(program, machine));
  verify::ScheduleVerdict verdict = verify::verifySchedule(schedule);
  TILEWRIGHT_ASSIGN_OR_RETURN(spatial::SimulationResult simulated,
                              spatial::simulate(schedule, inputs));
  for (const auto &findings : {verdict.findings, simulated.findings})
    if (!findings.empty())
      return Status::internal(spatial::printFinding(findings.front()));
  if (bytesOf(expected) != bytesOf(simulated.outputs))
    return Status::internal("the schedule gives other bits than the vectors");
  return {};
}

static Status run(int argc, char **argv) {
  if (argc < 4)
    return Status::invalidInput("expected GRAPH.mlir MACHINE.json PRECISION "
                                "IN.npy..");
  mlir::DialectRegistry registry;
  graph::registerModuleDialects(registry);
  registerAllDialects(registry);
  registry.insert<graph::GraphDialect, spatial::SpatialDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return Status::invalidInput("the graph cannot be parsed");
  TILEWRIGHT_ASSIGN_OR_RETURN(spatial::Machine machine,
                              spatial::readMachine(argv[2]));
  mlir::Builder builder(&context);
  (*module)->setAttr(spatial::kMachineAttr,
                     builder.getStringAttr(machine.text));
  (*module)->setAttr(spatial::kPrecisionAttr, builder.getStringAttr(argv[3]));
  mlir::PassManager passes(&context);
  passes.addPass(spatial::createConvertGraphToVectors());
  if (failed(passes.run(*module)))
    return Status::unsupported("the graph has no lowering to vectors");
  std::vector<runtime::HostTensor> inputs;
  for (int i = 4; i < argc; ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(inputs.emplace_back(),
                                runtime::readNpy(argv[i]));
  }
  std::vector<runtime::TensorView> views(inputs.begin(), inputs.end());
  return compare(*module->getOps<mlir::func::FuncOp>().begin(), machine, views);
}

int main(int argc, char **argv) {
  Status status = run(argc, argv);
  if (status.ok())
    return 0;
  llvm::errs() << status.message() << "\n";
  return 1;
}

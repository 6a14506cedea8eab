#include "codegen/cpu/CpuTargets.h"

using namespace mlir;

namespace tilewright::cpu {

tile::TargetAttr attributeOf(const CpuTarget &target, MLIRContext *context) {
  Builder b(context);
  auto text = [&](StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  };
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  NamedAttribute facts[] = {text("triple", target.triple),
                            text("cpu", target.cpu),
                            text("features", target.features),
                            text("required", target.required),
                            number("vector_bits", target.vectorBits),
                            number("vector_registers", target.vectorRegisters),
                            number("masks_lanes", target.masksLanes),
                            number("threads", target.threads)};
  return tile::TargetAttr::get(context, "cpu", b.getDictionaryAttr(facts));
}

FailureOr<CpuTarget> cpuOf(ModuleOp module) {
  auto attribute =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  DictionaryAttr facts = attribute ? attribute.getFacts() : DictionaryAttr();
  if (!facts || attribute.getName() != "cpu")
    return module.emitError("expected a CPU with all facts about it as the "
                            "module's tile.target");
  bool isComplete = true;
  auto text = [&](StringRef name) -> std::string {
    auto value = facts.getAs<StringAttr>(name);
    isComplete &= bool(value);
    return value ? value.str() : "";
  };
  auto number = [&](StringRef name) -> int64_t {
    auto value = facts.getAs<IntegerAttr>(name);
    isComplete &= bool(value);
    return value ? value.getInt() : 0;
  };
  CpuTarget target = {.triple = text("triple"),
                      .cpu = text("cpu"),
                      .features = text("features"),
                      .required = text("required"),
                      .vectorBits = number("vector_bits"),
                      .vectorRegisters = number("vector_registers"),
                      .masksLanes = number("masks_lanes") != 0,
                      .threads = unsigned(number("threads"))};
  if (!isComplete || target.vectorBits < 64 || target.vectorRegisters < 1)
    return module.emitError("tile.target: expected triple, cpu, features, "
                            "required, vector_bits, vector_registers, "
                            "masks_lanes and threads");
  return target;
}

bool isX86(const CpuTarget &target) {
  return llvm::StringRef(target.triple).starts_with("x86_64");
}

FailureOr<schedule::CpuSchedule> scheduleOf(Operation *kernel) {
  auto chosen = kernel->getAttrOfType<tile::ScheduleAttr>(
      tile::TileDialect::kScheduleAttr);
  StatusOr<schedule::CpuSchedule> schedule =
      schedule::CpuSchedule::parse(chosen ? chosen.getText() : "");
  if (!schedule.ok())
    return kernel->emitError(schedule.status().message());
  return *std::move(schedule);
}

} // namespace tilewright::cpu

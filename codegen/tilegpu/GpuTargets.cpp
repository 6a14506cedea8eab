#include "codegen/tilegpu/GpuTargets.h"

using namespace mlir;

namespace tilewright::tilegpu {

tile::TargetAttr attributeOf(const target::GpuTarget &target,
                             MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  NamedAttribute facts[] = {
      number("major", target.major),
      number("minor", target.minor),
      number("ptx_version", target.ptxVersion),
      number("multiprocessor_shared", target.multiprocessorShared),
      number("multiprocessor_warps", target.multiprocessorWarps),
      number("multiprocessor_blocks", target.multiprocessorBlocks),
      number("converts_float8", target.convertsFloat8),
      number("matrix_products", target.matrixProducts),
      number("multiprocessors", target.multiprocessors)};
  return tile::TargetAttr::get(context, StringRef(target.name),
                               b.getDictionaryAttr(facts));
}

FailureOr<target::GpuTarget> gpuOf(ModuleOp module) {
  auto attribute =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  if (!attribute || attribute.getName() == "cpu")
    return module.emitError("expected a GPU as the module's tile.target, such "
                            "as #tile.target<\"sm_90a\">");
  DictionaryAttr facts = attribute.getFacts();
  if (!facts) {
    const target::GpuTarget *known = target::findGpuTarget(attribute.getName());
    if (!known)
      return module.emitError("tile.target: there is no GPU '")
             << attribute.getName() << "'; there is "
             << target::gpuTargetNames();
    return *known;
  }
  bool isComplete = true;
  auto number = [&](StringRef name) -> int64_t {
    auto value = facts.getAs<IntegerAttr>(name);
    isComplete &= bool(value);
    return value ? value.getInt() : 0;
  };
  target::GpuTarget target = {
      .name = attribute.getName(),
      .major = unsigned(number("major")),
      .minor = unsigned(number("minor")),
      .ptxVersion = unsigned(number("ptx_version")),
      .multiprocessorShared = number("multiprocessor_shared"),
      .multiprocessorWarps = unsigned(number("multiprocessor_warps")),
      .multiprocessorBlocks = unsigned(number("multiprocessor_blocks")),
      .convertsFloat8 = number("converts_float8") != 0};
  // A description from before these facts has none.
  if (auto matrix = facts.getAs<IntegerAttr>("matrix_products"))
    target.matrixProducts = unsigned(matrix.getInt());
  if (auto count = facts.getAs<IntegerAttr>("multiprocessors"))
    target.multiprocessors = unsigned(count.getInt());
  if (!isComplete)
    return module.emitError("tile.target: expected all facts about the GPU, or "
                            "its name alone");
  return target;
}

} // namespace tilewright::tilegpu

// Ops of the tile level, each on each type of element that it takes, in each
// situation of its tile's layout: the scheduled level computes what the tile
// level does, and ptxas takes the PTX. docs/gpu-coverage.md is the table of
// what is covered here; `tilewright-gpu-coverage-test [.write]` writes it.
#include "CoveredOps.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/codegen/kernels/DotBound.h"
#include "test/ptxas/Ptxas.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace tilewright::kerneltest;
using tilewright::KernelImage;
using tilewright::StatusOr;
namespace target = tilewright::target;
namespace tile_ = tilewright::tile;
namespace tilegpu = tilewright::tilegpu;

namespace {
/// How far the PTX may be from the interpreter: a dot adds its products in
/// another order, and those of 16-bit floats perhaps by tensor cores.
Tolerance toleranceOf(const CoveredOp &op, const Situation &situation,
                      const std::string &element) {
  if (std::string_view(op.name) != "tile.dot" || !isFloat(element))
    return {};
  int64_t depth = situation.shape[1];
  double most = Input().high;
  return {.absolute = dotBound(depth, most + depth * most * most, element,
                               element == "f64" ? "f64" : "f32")};
}

/// Whether the layout of the tile of the situation's shape that is loaded
/// first, or stored if none is, is the situation's.
bool isInSituation(tile_::KernelOp kernel, const Situation &situation) {
  llvm::SmallVector<mlir::RankedTensorType> loaded, stored;
  auto collect = [&](mlir::Type type, auto &types) {
    auto tile = llvm::cast<mlir::RankedTensorType>(type);
    if (tile.getShape() == llvm::ArrayRef<int64_t>(situation.shape))
      types.push_back(tile);
  };
  kernel.walk([&](tile_::LoadOp op) { collect(op.getType(), loaded); });
  kernel.walk(
      [&](tile_::StoreOp op) { collect(op.getValue().getType(), stored); });
  loaded.append(stored);
  return !loaded.empty() &&
         situation.holds(tilegpu::layoutOf(loaded.front()), situation);
}

/// The errors of one op on one type; empty if all holds.
std::string errorOf(const CoveredOp &op, const Situation &situation,
                    const std::string &element, unsigned turn) {
  KernelText k;
  op.build(k, situation, element);
  Comparison comparison(k.str(), k.inputs, turn + 1);
  if (!comparison.error().empty())
    return comparison.error() + "\n" + k.str();
  const target::GpuTarget &target =
      target::gpuTargets()[turn % target::gpuTargets().size()];
  tilewright::CompileOptions options;
  options.verifyEach = true;
  options.wantBytecode = true;
  options.schedule.emplace().warps = situation.warps;
  StatusOr<KernelImage> image =
      tilewright::compile(comparison.kernel(), target, options);
  if (!image.ok())
    return image.status().message() + "\n" + k.str();
  auto scheduled = mlir::parseSourceString<mlir::ModuleOp>(image->bytecode,
                                                           &kernelContext());
  if (!scheduled)
    return "the bytecode cannot be read\n" + k.str();
  auto kernel = scheduled->lookupSymbol<tile_::KernelOp>("k");
  std::string error;
  if (!isInSituation(kernel, situation))
    error += "another layout than the situation's";
  error += comparison.run(kernel).error;
  error +=
      comparison.run(*image, "emulator", toleranceOf(op, situation, element))
          .error;
  error += tilewright::test::errorOfOneIn(3, image->code, target.name);
  return error.empty() ? error : error + "\n" + k.str();
}

std::string page() {
  std::ostringstream text;
  text
      << "# What GPU code is tested on\n\n"
         "`test/codegen/gpu/CoverageTest.cpp` writes this page and runs each "
         "cell of its table. The interpreter\ncomputes the same at the tile "
         "level and at the [scheduled level](scheduled.md), the PTX computes "
         "it on\nthe [emulator](emulator.md), and ptxas accepts the PTX of one "
         "cell in three (the cells use the targets in\nrotation). A number "
         "is the number of element types. Elementwise ops are in "
         "[Elements.inc](../test/codegen/gpu/Elements.inc);\nthey run on each "
         "type of their class, for all targets.\n\n"
         "A *fiber* is all elements of a tile along the axis of the op. The "
         "situations of the loaded tile are:\n\n";
  for (const Situation &s : situations())
    text << "- *" << s.name << "*: " << s.meaning << " (" << s.shape[0] << "x"
         << s.shape[1] << ", axis " << s.axis << ", warps " << s.warps << ")\n";
  text << "\n| Op |";
  for (const Situation &s : situations())
    text << " " << s.name << " |";
  text << " elements |\n|---|";
  for (size_t i = 0; i <= situations().size(); ++i)
    text << "---|";
  for (const CoveredOp &op : coveredOps()) {
    text << "\n| " << op.name << " |";
    for (size_t i = 0; i < situations().size(); ++i)
      text << " " << op.elements.size() << " |";
    text << " "
         << (op.elements == allElements()
                 ? "all"
                 : commas(op.elements, [](const std::string &e) { return e; }))
         << " |";
  }
  text << "\n\nAll are "
       << commas(allElements(), [](const std::string &e) { return e; })
       << ".\n";
  return text.str();
}

std::string read(const char *path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const char *const pagePath = COVERAGE_PAGE;
// Read before any test case runs: a run that writes the page, too, does not
// compare it with itself.
const std::string pageAsFound = read(pagePath);
} // namespace

TEST_CASE("coverage: each op on each type in each situation") {
  if (!tilewright::test::hasPtxas())
    WARN("without ptxas: nothing takes the PTX but the emulator");
  unsigned turn = 0;
  for (const CoveredOp &op : coveredOps()) {
    unsigned first = turn;
    turn += situations().size() * op.elements.size();
    // One op alone runs as it does with the others: -c "tile.dot".
    DYNAMIC_SECTION(op.name) {
      for (const Situation &situation : situations())
        for (const std::string &element : op.elements) {
          CAPTURE(op.name, situation.name, element);
          CHECK(errorOf(op, situation, element, first++) == "");
        }
    }
  }
}

TEST_CASE("coverage: the page says what is covered") {
  INFO("write it anew: tilewright-gpu-coverage-test [.write]");
  CHECK(pageAsFound == page());
}

TEST_CASE("coverage: write the page", "[.write]") {
  std::ofstream(pagePath) << page();
}

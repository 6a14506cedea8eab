// The layouts of random kernels are the cheapest that their candidates allow.
#include "codegen/transforms/LayoutAssignment.h"
#include "codegen/transforms/LayoutProposals.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "test/codegen/kernels/Harness.h"
#include "test/codegen/transforms/LeastCost.h"
#include "test/fuzz/tile/RandomProgram.h"

#include <catch2/catch.hpp>

using namespace tilewright;

/// Whether all combinations can be tried.
static bool isSmall(const tilegpu::Pbqp &problem) {
  int64_t combinations = 1;
  for (unsigned node = 0; node < problem.nodeCount(); ++node)
    if ((combinations *= problem.alternativesOf(node)) > 1 << 18)
      return false;
  return true;
}

TEST_CASE("layouts: the choice for small kernels is the best of all") {
  constexpr unsigned wanted = 500, mostClasses = 8;
  unsigned kernels = 0, withChoice = 0, withConversions = 0;
  for (uint64_t seed = 1; kernels < wanted && seed < 20000; ++seed) {
    fuzz::RandomProgram program(seed);
    const std::string text = program.generate(int(1 + seed % 5)).str();
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text,
                                                &kerneltest::kernelContext());
    REQUIRE(module);
    tile::KernelOp kernel = *module->getOps<tile::KernelOp>().begin();
    tilegpu::LayoutClasses classes(kernel);
    if (classes.classes().size() > mostClasses)
      continue;
    constexpr unsigned vectorBits = 128;
    schedule::GpuSchedule schedule;
    schedule.warps = 1u << seed % 4;
    schedule.vectorBits = vectorBits;
    tilegpu::LayoutProposals proposals(kernel, schedule);
    if (failed(proposals.propose(classes)))
      continue;
    tilegpu::LayoutPrices prices(classes, vectorBits);
    tilegpu::LayoutAssignment assignment(classes, prices);
    const tilegpu::Pbqp problem = assignment.problem();
    if (!isSmall(problem))
      continue;
    CAPTURE(seed, text, assignment.explain());
    std::vector<unsigned> chosen;
    int64_t alone = 0;
    bool hasChoice = false;
    for (unsigned i = 0; i < problem.nodeCount(); ++i) {
      chosen.push_back(assignment.candidateOf(i));
      alone += prices.ofCandidate(i, chosen.back()).total();
      hasChoice |= problem.alternativesOf(i) > 1;
    }
    CHECK(assignment.isExact());
    CHECK(problem.costOf(chosen) == tilegpu::test::leastCost(problem));
    ++kernels;
    withChoice += hasChoice;
    withConversions += problem.costOf(chosen) != alone;
  }
  CHECK(kernels == wanted);
  // Not all are without a choice.
  CHECK(withChoice > wanted / 4);
  CHECK(withConversions > wanted / 20);
}

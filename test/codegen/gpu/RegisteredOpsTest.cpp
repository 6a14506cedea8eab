// Each op that the dialects of the tile level register is in one of the tables
// that are run for GPUs, CoveredOps.cpp and Elements.inc, or here with where it
// is tested, or why it is not. The ops are the dialects' own, so that a new one
// fails until it has a line; one that has two fails as well.
#include "CoveredOps.h"

#include "mlir/Parser/Parser.h"
#include "test/main/RegisteredOps.h"
#include "tilewright/mlir/Tile.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace mlir;
using namespace tilewright::kerneltest;

namespace {
const char casts[] = "ElementTest.cpp: conversions of all types to all";
const char scales[] = "ElementTest.cpp: scaled conversions";
const char results[] = "ElementTest.cpp: ops of several results";
const char atomics[] = "AtomicTest.cpp, for the device's kernels";
const char calls[] = "CallTest.cpp: inlined before";
const char views[] = "ViewTest.cpp: scalars of views and programs";
const char pointers[] = "PointerTest.cpp";
const char effects[] = "test/codegen/nvptx/EffectTest.cpp";

const std::map<std::string, const char *> elsewhere = {
    {"arith.addui_extended", results},
    {"arith.bitcast", casts},
    {"arith.extf", casts},
    {"arith.extsi", casts},
    {"arith.extui", casts},
    {"arith.fptosi", casts},
    {"arith.fptoui", casts},
    {"arith.index_cast", casts},
    {"arith.index_castui", casts},
    {"arith.mulsi_extended", results},
    {"arith.mului_extended", results},
    {"arith.scaling_extf", scales},
    {"arith.scaling_truncf", scales},
    {"arith.sitofp", casts},
    {"arith.truncf", casts},
    {"arith.trunci", casts},
    {"arith.uitofp", casts},
    {"math.fpowi", results},
    {"math.sincos", results},
    {"tile.assert", effects},
    {"tile.assume", "ControlTest.cpp: assumptions that hold change nothing"},
    {"tile.atomic_cas", atomics},
    {"tile.base", views},
    {"tile.call", calls},
    {"tile.count", views},
    {"tile.dim", views},
    {"tile.fence", "OrderTest.cpp"},
    {"tile.func", calls},
    {"tile.inline_ptx", effects},
    {"tile.int_to_ptr", pointers},
    {"tile.make_view", views},
    {"tile.philox", results},
    {"tile.print", effects},
    {"tile.program_count", views},
    {"tile.program_id", views},
    {"tile.ptr_cast", pointers},
    {"tile.ptr_to_int", pointers},
    {"tile.scaled_dot", "ScaledDotTest.cpp; its expansion in "
                        "test/codegen/transforms/legalize-dots.mlir"},
    {"tile.stride", views},
    {"tile.tunable", "bound before"},
};

/// The ops of the kernels that CoverageTest.cpp runs.
std::set<std::string> opsOfKernels() {
  std::set<std::string> names;
  for (const CoveredOp &covered : coveredOps()) {
    KernelText k;
    covered.build(k, situations().front(), covered.elements.front());
    INFO(k.str());
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(k.str(), &kernelContext());
    REQUIRE(module);
    module->walk([&](Operation *op) {
      names.insert(op->getName().getStringRef().str());
    });
  }
  return names;
}
} // namespace

TEST_CASE("coverage: a line names ops that its kernels have") {
  std::set<std::string> ops = opsOfKernels();
  for (const CoveredOp &covered : coveredOps()) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(covered.name).split(names, ", ");
    for (llvm::StringRef name : names) {
      CAPTURE(name.str());
      CHECK(ops.contains(name.str()));
    }
  }
}

TEST_CASE("coverage: each registered op is covered, or elsewhere") {
  std::set<std::string> covered = opsOfKernels();
#define ELEMENT_OP(of, op, text, result) covered.insert(op);
#include "Elements.inc"
  size_t excepted = 0;
  for (const char *dialect : {"tile", "arith", "math"}) {
    auto ops = tilewright::test::registeredOps(kernelContext(), dialect);
    REQUIRE(!ops.empty());
    for (RegisteredOperationName op : ops) {
      std::string name = op.getStringRef().str();
      INFO(name);
      CHECK(covered.contains(name) != elsewhere.contains(name));
      excepted += elsewhere.contains(name);
    }
  }
  // No line is of an op that there is no more.
  CHECK(excepted == elsewhere.size());
}

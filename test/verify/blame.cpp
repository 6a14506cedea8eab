//===- blame.cpp - A wrong pass, and who is named for it ------------------===//
//
//   blame MODEL TARGET PASS [--tries N] [--reproducer FILE] [--by-kernel]
//       Compiles MODEL as `tilewright verify MODEL --target TARGET` does, with
//       a fault behind the pass of that flag: all ops of one name become other
//       ones, their predicates or sides are exchanged, or they are gone. Faults
//       that change no result are passed over. Prints, as JSON, the fault, who
//       was named, how many ops the reproducer has and whether it shows the
//       fault again. --by-kernel judges the model kernel by kernel.
//
//===----------------------------------------------------------------------===//
#include "library/model/ModelLevels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "verify/validate/KernelCheck.h"
#include "verify/validate/Smaller.h"
#include "llvm/ADT/SetVector.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace tilewright;

//===--- Faults -----------------------------------------------------------===//

/// What an op becomes; "-" is nothing.
static StringRef wrongOp(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("arith.addf", "arith.subf")
      .Case("arith.subf", "arith.addf")
      .Case("arith.mulf", "arith.addf")
      .Case("arith.divf", "arith.mulf")
      .Case("arith.maximumf", "arith.minimumf")
      .Case("arith.maxnumf", "arith.minnumf")
      .Case("arith.minimumf", "arith.maximumf")
      .Case("arith.addi", "arith.subi")
      .Case("arith.muli", "arith.addi")
      .Case("arith.andi", "arith.ori")
      .Case("arith.maxsi", "arith.minsi")
      .Case("math.exp", "math.exp2")
      .Case("math.exp2", "math.exp")
      .Case("math.sqrt", "math.rsqrt")
      .Case("llvm.fadd", "llvm.fsub")
      .Case("llvm.fsub", "llvm.fadd")
      .Case("llvm.fmul", "llvm.fadd")
      .Case("llvm.add", "llvm.sub")
      .Case("llvm.mul", "llvm.add")
      .Case("llvm.and", "llvm.or")
      .Case("llvm.intr.maximum", "llvm.intr.minimum")
      .Case("llvm.intr.maxnum", "llvm.intr.minnum")
      .Cases({"tilegpu.barrier", "nvvm.barrier", "tile.store"}, "-")
      .Cases({"vector.store", "vector.maskedstore", "llvm.store"}, "-")
      .Default("");
}

/// Makes one op wrong; false if that op cannot be.
static bool breakOp(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    const auto predicate = compare.getPredicate();
    compare.setPredicate(
        predicate == arith::CmpIPredicate::slt   ? arith::CmpIPredicate::sle
        : predicate == arith::CmpIPredicate::ult ? arith::CmpIPredicate::ule
                                                 : arith::CmpIPredicate::sgt);
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value first = select.getTrueValue();
    select.getTrueValueMutable().assign(select.getFalseValue());
    select.getFalseValueMutable().assign(first);
    return true;
  }
  const StringRef wrong = wrongOp(op->getName().getStringRef());
  if (wrong.empty())
    return false;
  if (wrong == "-") {
    op->erase();
    return true;
  }
  OperationState state(op->getLoc(), wrong, op->getOperands(),
                       op->getResultTypes(), op->getAttrs());
  OpBuilder b(op);
  op->replaceAllUsesWith(b.create(state));
  op->erase();
  return true;
}

static bool mayBreak(Operation *op) {
  // A named op of linalg computes what its name says, not what its body does.
  if (auto parent = dyn_cast_or_null<linalg::LinalgOp>(op->getParentOp()))
    if (!isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(parent))
      return false;
  return !wrongOp(op->getName().getStringRef()).empty() ||
         isa<arith::CmpIOp, arith::SelectOp>(op);
}

/// The names of ops in the module that can be wrong, in order.
static std::vector<std::string> breakableOps(ModuleOp module) {
  llvm::SetVector<StringRef> names;
  module.walk([&](Operation *op) {
    if (mayBreak(op))
      names.insert(op->getName().getStringRef());
  });
  return {names.begin(), names.end()};
}

/// Makes all ops of that name wrong.
static void breakAll(ModuleOp module, StringRef name) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == name && mayBreak(op))
      found.push_back(op);
  });
  for (Operation *op : found)
    breakOp(op);
}

//===--- One fault --------------------------------------------------------===//

namespace {
struct Arguments {
  std::string model, target, pass, reproducer;
  unsigned tries = 12;
  bool byKernel = false;
};
} // namespace

/// The same kernel by kernel.
static StatusOr<verify::LevelsVerdict>
checkKernels(const ModelSource &model, CompileModelOptions compile,
             const std::function<void(const std::string &, ModuleOp)> &hook) {
  verify::ModelCheckOptions options;
  options.byKernel = true;
  options.threads = 1; // The hook is not for several.
  options.time = std::chrono::duration<double>(3);
  options.hook = hook;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      verify::ModelVerdict verdict,
      verify::checkModel(model, std::move(compile), options));
  return std::move(verdict.levels);
}

static StatusOr<verify::LevelsVerdict>
check(const ModelSource &model, const std::string &target,
      const std::function<void(const std::string &, ModuleOp)> &hook,
      bool byKernel = false) {
  CompileModelOptions compile;
  compile.threads = 1;
  const std::string names[] = {target};
  TILEWRIGHT_RETURN_IF_ERROR(setTargets(names, compile));
  if (byKernel)
    return checkKernels(model, std::move(compile), hook);
  verify::LevelOptions options;
  options.cases = 24;
  options.time = std::chrono::duration<double>(0.5);
  options.hook = hook;
  return verify::checkLevels(model, std::move(compile), options);
}

/// The ops of a reproducer that compute: no modules, functions, terminators.
static int64_t opsOf(const ModelSource &reproducer) {
  CompileModelOptions compile;
  auto levels = ModelLevels::open(reproducer, compile);
  if (!levels.ok())
    return -1;
  return int64_t(verify::removableOps((*levels)->module()).size());
}

/// Tries one fault; false if it changes no result.
static bool tryFault(const Arguments &arguments, const ModelSource &model,
                     const std::string &name) {
  auto hook = [&](const std::string &pass, ModuleOp module) {
    if (pass == arguments.pass)
      breakAll(module, name);
  };
  auto verdict = check(model, arguments.target, hook, arguments.byKernel);
  if (!verdict.ok())
    std::fprintf(stderr, "%s: %s\n", name.c_str(),
                 verdict.status().message().c_str());
  if (!verdict.ok() || !verdict->guilty)
    return false;
  const verify::Guilty &guilty = *verdict->guilty;
  const ModelSource small =
      ModelSource::memory("reproducer.mlir", guilty.reproducer);
  auto again = check(small, arguments.target, hook);
  std::printf("{\"op\": \"%s\", \"guilty\": \"%s\", \"ops\": %lld, "
              "\"again\": \"%s\"}\n",
              name.c_str(), guilty.pass.c_str(),
              static_cast<long long>(opsOf(small)),
              again.ok() && again->guilty ? again->guilty->pass.c_str() : "");
  if (!arguments.reproducer.empty())
    if (FILE *file = std::fopen(arguments.reproducer.c_str(), "w")) {
      std::fputs(guilty.reproducer.c_str(), file);
      std::fclose(file);
    }
  return true;
}

/// The ops that can be wrong behind the pass.
static std::vector<std::string> faultsOf(const Arguments &arguments,
                                         const ModelSource &model) {
  std::vector<std::string> names;
  auto verdict = check(
      model, arguments.target,
      [&](const std::string &pass, ModuleOp module) {
        if (pass == arguments.pass && names.empty())
          names = breakableOps(module);
      },
      arguments.byKernel);
  if (!verdict.ok())
    std::fprintf(stderr, "%s\n", verdict.status().message().c_str());
  return names;
}

int main(int argc, char **argv) {
  Arguments arguments;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--tries" && i + 1 < argc)
      arguments.tries = unsigned(std::atoi(argv[++i]));
    else if (word == "--reproducer" && i + 1 < argc)
      arguments.reproducer = argv[++i];
    else if (word == "--by-kernel")
      arguments.byKernel = true;
    else
      words.push_back(word);
  }
  if (words.size() != 3) {
    std::fprintf(stderr, "usage: blame MODEL TARGET PASS [--tries N] "
                         "[--reproducer FILE] [--by-kernel]\n");
    return 2;
  }
  arguments.model = words[0];
  arguments.target = words[1];
  arguments.pass = words[2];
  StatusOr<ModelSource> model = ModelSource::file(arguments.model);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", model.status().message().c_str());
    return 1;
  }
  for (const std::string &name : faultsOf(arguments, *model))
    if (arguments.tries-- == 0 || tryFault(arguments, *model, name))
      return 0;
  std::printf("{}\n");
  return 0;
}

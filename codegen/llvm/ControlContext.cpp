//===- ControlContext.cpp - A control over passes and rewrites ------------===//
#include "codegen/llvm/ControlContext.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace mlir;

namespace tilewright {

namespace {
/// The lowering of one op of a kernel.
struct LowerOpAction : tracing::ActionImpl<LowerOpAction> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerOpAction)
  using Base = tracing::ActionImpl<LowerOpAction>;
  using Base::Base;
  static constexpr StringLiteral tag = "lower-op";
};
} // namespace

int64_t bytesOf(Operation *root) {
  size_t bytes = 0;
  root->walk([&](Operation *op) {
    bytes += sizeof(Operation) + op->getNumOperands() * sizeof(OpOperand) +
             op->getNumResults() * sizeof(detail::OpResultImpl) +
             op->getNumSuccessors() * sizeof(BlockOperand) +
             size_t(op->getPropertiesStorageSize());
    for (Region &region : op->getRegions()) {
      bytes += sizeof(Region);
      for (Block &block : region)
        bytes += sizeof(Block) +
                 block.getNumArguments() * sizeof(detail::BlockArgumentImpl);
    }
  });
  return int64_t(bytes);
}

int64_t bytesOf(const llvm::Module &module) {
  size_t bytes = 0;
  for (const llvm::Function &function : module) {
    bytes += sizeof(llvm::Function);
    for (const llvm::BasicBlock &block : function) {
      bytes += sizeof(llvm::BasicBlock);
      for (const llvm::Instruction &instruction : block)
        bytes += sizeof(llvm::Instruction) +
                 instruction.getNumOperands() * sizeof(llvm::Use);
    }
  }
  return int64_t(bytes);
}

/// The outermost op around `op`.
static Operation *rootOf(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op;
}

ControlContext::ControlContext(MLIRContext &context,
                               CompilationControl &control)
    : context(context) {
  context.registerActionHandler(
      [&control](function_ref<void()> run, const tracing::Action &action) {
        bool goesOn = true;
        // The adaptor that runs the passes of nested ops has no argument.
        if (const auto *pass = dyn_cast<PassExecutionAction>(&action);
            pass && !pass->getPass().getArgument().empty()) {
          goesOn = control.beginPass(pass->getPass().getArgument());
          if (goesOn && control.countsMemory())
            goesOn = control.allowMemory(bytesOf(rootOf(pass->getOp())));
        }
        if (goesOn && control.goOn())
          run();
      });
}

ControlContext::~ControlContext() { context.registerActionHandler(nullptr); }

LogicalResult lowerControlled(Operation *op,
                              llvm::function_ref<LogicalResult()> lower) {
  LogicalResult result = failure();
  op->getContext()->executeAction<LowerOpAction>([&] { result = lower(); },
                                                 {IRUnit(op)});
  return result;
}

/// The elements of a type that is a vector, else 1.
static int64_t elementsOf(const llvm::Type *type) {
  const auto *vector = dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

int64_t instructionsOf(const llvm::Module &module) {
  if (!module.getTargetTriple().isNVPTX())
    return module.getInstructionCount();
  int64_t count = 0;
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block) {
        int64_t widest = elementsOf(instruction.getType());
        for (const llvm::Use &operand : instruction.operands())
          widest = std::max(widest, elementsOf(operand->getType()));
        count += widest;
      }
  return count;
}

bool allowModule(const llvm::Module &module, CompilationControl &control) {
  if (control.countsLlvmIr() && !control.allowLlvmIr(instructionsOf(module)))
    return false;
  if (control.countsMemory() && !control.allowMemory(bytesOf(module)))
    return false;
  return control.goOn();
}

void controlPasses(llvm::PassInstrumentationCallbacks &callbacks,
                   const llvm::Module &module, CompilationControl &control) {
  // Counting takes about as long as a short pass, and no pass multiplies the
  // size of the code.
  constexpr unsigned passesPerCount = 16;
  callbacks.registerShouldRunOptionalPassCallback(
      [&module, &control, passes = 0u](llvm::StringRef pass,
                                       llvm::Any) mutable {
        return control.beginPass(pass) &&
               (++passes % passesPerCount || allowModule(module, control));
      });
}

} // namespace tilewright

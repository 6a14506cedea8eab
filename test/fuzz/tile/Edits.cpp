#include "Edits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tilewright::fuzz {

/// The ops of the body of a kernel that `isWanted` takes, the last ones first.
static SmallVector<Operation *>
opsOf(tile::KernelOp kernel, llvm::function_ref<bool(Operation *)> isWanted) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op != kernel && !op->hasTrait<OpTrait::IsTerminator>() && isWanted(op))
      ops.push_back(op);
  });
  std::reverse(ops.begin(), ops.end());
  return ops;
}

bool eraseEffects(Edited &edited, size_t number, size_t count) {
  SmallVector<Operation *> ops =
      opsOf(edited.kernel, [](Operation *op) { return op->use_empty(); });
  if (number >= ops.size())
    return false;
  // An op within another one of these goes with it.
  SmallVector<Operation *> erased, outermost;
  llvm::append_range(erased,
                     ArrayRef(ops).drop_front(number).take_front(count));
  for (Operation *op : erased)
    if (llvm::none_of(erased, [&](Operation *other) {
          return other->isProperAncestor(op);
        }))
      outermost.push_back(op);
  for (Operation *op : outermost)
    op->erase();
  return true;
}

//===--- Regions ----------------------------------------------------------===//

/// What the arguments of a region are in its first run.
static SmallVector<Value> firstArguments(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SmallVector<Value> values = {loop.getLowerBound()};
    llvm::append_range(values, loop.getInitArgs());
    return values;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getInits();
  return {};
}

bool flattenRegion(Edited &edited, size_t number) {
  for (Operation *op : opsOf(edited.kernel, [](Operation *op) {
         return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(
             op);
       }))
    for (Region &region : op->getRegions()) {
      if (region.empty() || (isa<scf::WhileOp>(op) && region.getRegionNumber()))
        continue;
      if (number-- > 0)
        continue;
      Block &block = region.front();
      Operation *end = block.getTerminator();
      SmallVector<Value> results(end->getOperands());
      if (isa<scf::ConditionOp>(end))
        results.erase(results.begin());
      SmallVector<Value> arguments = firstArguments(op);
      for (auto [argument, value] :
           llvm::zip(block.getArguments(), arguments)) {
        for (Value &result : results)
          if (result == argument)
            result = value;
        argument.replaceAllUsesWith(value);
      }
      op->replaceAllUsesWith(results);
      op->getBlock()->getOperations().splice(op->getIterator(),
                                             block.getOperations(),
                                             block.begin(), end->getIterator());
      op->erase();
      return true;
    }
  return false;
}

//===--- Values -----------------------------------------------------------===//

bool forwardOperand(Edited &edited, size_t number) {
  for (Operation *op :
       opsOf(edited.kernel, [](Operation *op) { return !op->use_empty(); }))
    for (Value result : op->getResults())
      for (Value operand : op->getOperands()) {
        if (result.use_empty() || operand.getType() != result.getType() ||
            number-- > 0)
          continue;
        result.replaceAllUsesWith(operand);
        return true;
      }
  return false;
}

/// A number for all elements; null for pointers and views.
static Value constantOf(OpBuilder &builder, Location where, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr one;
  if (auto floating = dyn_cast<FloatType>(element))
    one = builder.getFloatAttr(floating, 1);
  else if (isa<IntegerType, IndexType>(element))
    one = builder.getIntegerAttr(element, 1);
  else
    return {};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    one = DenseElementsAttr::get(tile, Attribute(one));
  return arith::ConstantOp::create(builder, where, one);
}

/// Results that are used, of ops that are not as simple as can be.
static SmallVector<Value> resultsOf(tile::KernelOp kernel, bool withLoads) {
  SmallVector<Value> results;
  for (Operation *op : opsOf(kernel, [&](Operation *op) {
         return !isa<arith::ConstantOp>(op) &&
                (withLoads || !isa<tile::LoadOp>(op));
       }))
    for (Value result : op->getResults())
      if (!result.use_empty())
        results.push_back(result);
  return results;
}

bool replaceByConstant(Edited &edited, size_t number) {
  SmallVector<Value> results = resultsOf(edited.kernel, /*withLoads=*/true);
  if (number >= results.size())
    return false;
  OpBuilder builder(results[number].getDefiningOp());
  if (Value constant = constantOf(builder, results[number].getLoc(),
                                  results[number].getType()))
    results[number].replaceAllUsesWith(constant);
  return true;
}

/// Adds an argument that the grid does not depend on.
static Value addArgument(Edited &edited, Type type,
                         const kerneltest::Input &input) {
  tile::KernelOp kernel = edited.kernel;
  unsigned index = kernel.getNumArguments();
  AffineMap grid = kernel.getGrid();
  (void)kernel.insertArgument(index, type, DictionaryAttr(), kernel.getLoc());
  unsigned symbols =
      tile::KernelOp::countGridSymbols(kernel.getFunctionType().getInputs());
  kernel.setGrid(
      AffineMap::get(0, symbols, grid.getResults(), kernel.getContext()));
  edited.inputs.push_back(input);
  return kernel.getArgument(index);
}

bool replaceByLoad(Edited &edited, size_t number) {
  SmallVector<Value> results = resultsOf(edited.kernel, /*withLoads=*/false);
  if (number >= results.size())
    return false;
  Value result = results[number];
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || isa<IndexType, tile::PtrType>(type.getElementType()))
    return replaceByConstant(edited, number), true;
  kerneltest::Input input{.values = {1, 2, -1, 0, 3, 2, -2}};
  if (isa<Float8E8M0FNUType>(type.getElementType()))
    input.values = {1, 2, 4};
  Value view = addArgument(
      edited,
      tile::ViewType::get(type.getContext(), type.getShape(),
                          type.getElementType(), ArrayRef<int64_t>()),
      input);
  OpBuilder builder(result.getDefiningOp());
  Value zero = arith::ConstantIndexOp::create(builder, result.getLoc(), 0);
  SmallVector<Value> zeros(type.getRank(), zero);
  OperationState state(result.getLoc(), tile::LoadOp::getOperationName());
  state.addOperands(view);
  state.addOperands(zeros);
  state.addTypes(type);
  result.replaceAllUsesWith(builder.create(state)->getResult(0));
  return true;
}

bool dropGrid(Edited &edited, size_t number) {
  tile::KernelOp kernel = edited.kernel;
  AffineMap grid = kernel.getGrid();
  AffineExpr one = getAffineConstantExpr(1, kernel.getContext());
  AffineMap whole = AffineMap::get(0, grid.getNumSymbols(), one);
  if (number > 0 || grid == whole)
    return false;
  for (Operation *op : opsOf(kernel, [](Operation *op) {
         return isa<tile::ProgramIdOp, tile::ProgramCountOp>(op);
       })) {
    OpBuilder builder(op);
    Value constant = arith::ConstantIndexOp::create(
        builder, op->getLoc(), isa<tile::ProgramCountOp>(op));
    for (Value result : op->getResults())
      result.replaceAllUsesWith(constant);
    op->erase();
  }
  kernel.setGrid(whole);
  return true;
}

//===--- What has no use --------------------------------------------------===//

/// Erases an argument that neither the body nor the grid reads.
static bool eraseArgument(Edited &edited, unsigned index) {
  tile::KernelOp kernel = edited.kernel;
  if (!kernel.getArgument(index).use_empty())
    return false;
  TypeRange types = kernel.getArgumentTypes();
  unsigned first = tile::KernelOp::countGridSymbols(types.take_front(index));
  unsigned end = tile::KernelOp::countGridSymbols(types.take_front(index + 1));
  AffineMap grid = kernel.getGrid();
  SmallVector<AffineExpr> symbols;
  for (unsigned i = 0; i < grid.getNumSymbols(); ++i) {
    if (i >= first && i < end && grid.isFunctionOfSymbol(i))
      return false;
    symbols.push_back(getAffineSymbolExpr(i < end ? i : i - (end - first),
                                          grid.getContext()));
  }
  kernel.setGrid(grid.replaceDimsAndSymbols(
      {}, symbols, 0, grid.getNumSymbols() - (end - first)));
  llvm::BitVector erased(kernel.getNumArguments());
  erased.set(index);
  (void)kernel.eraseArguments(erased);
  edited.inputs.erase(edited.inputs.begin() + index);
  return true;
}

void cleanUp(Edited &edited) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Operation *op : opsOf(edited.kernel, [](Operation *op) {
           return isOpTriviallyDead(op);
         })) {
      op->erase();
      isChanged = true;
      break;
    }
  }
  IRRewriter rewriter(edited.kernel.getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, edited.kernel);
  for (unsigned i = edited.kernel.getNumArguments(); i-- > 0;)
    eraseArgument(edited, i);
  auto module = edited.kernel->getParentOfType<ModuleOp>();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<tile::FuncOp>()))
    if (SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

} // namespace tilewright::fuzz

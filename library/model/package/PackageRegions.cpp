//===- PackageRegions.cpp - Branches, loops and sizes of a package --------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Group.h"
#include "graph/analysis/LoopForm.h"
#include "graph/analysis/States.h"
#include "library/model/package/PackageBuilder.h"

using namespace mlir;

namespace tilewright {

using Kind = runtime::BufferManifest::Kind;

Status PackageBuilder::addBlock(Block &block,
                                std::vector<runtime::StepManifest> &list) {
  auto *outer = std::exchange(steps, &list);
  Status status = placeCarried(block);
  for (Operation &op : block.without_terminator()) {
    if (!status.ok())
      break;
    if (auto launch = dyn_cast<graph::LaunchOp>(op))
      status = addStep(launch);
    else if (auto check = dyn_cast<graph::CheckOp>(op))
      status = addCheck(check);
    else if (auto read = dyn_cast<graph::SizeOp>(op))
      status = addRead(read);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      status = addBranch(branch);
    else if (auto loop = graph::matchLoop(&op))
      status = addLoop(&op, *loop);
  }
  steps = outer;
  return status;
}

/// The step of an op with lists of its own.
static runtime::StepManifest stepOf(Operation *op) {
  runtime::StepManifest step;
  step.label = graph::describeOp(op);
  return step;
}

/// A symbol that a branch or a loop binds.
StatusOr<runtime::StepSymbol>
PackageBuilder::symbolOf(AffineSymbolExpr symbol) {
  using Definition = graph::SymbolDefinition;
  FailureOr<Definition> known = shapes.definitionOf(symbol);
  if (failed(known))
    return Status::unsupported("a size is not known");
  runtime::StepSymbol out;
  const runtime::Expression itself = expressionOf(symbol);
  out.name = std::string(*itself.name());
  out.first = expressionOf(known->first);
  out.second = expressionOf(known->second);
  if (known->kind != Definition::Kind::Variable) {
    // A dimension is not negative; other numbers may be any.
    out.least = shapes.sizes().symbols.boundsOf(symbol, 0).first.value_or(
        std::numeric_limits<int64_t>::min());
    return out;
  }
  // It has the upper bound in the end, at the earliest.
  auto loop = cast<scf::ForOp>(known->op);
  FailureOr<AffineExpr> step = shapes.exprOf(loop.getStep());
  if (failed(step))
    return unknownSize(loop, "the step of a loop");
  if (isa<AffineConstantExpr>(*step) &&
      cast<AffineConstantExpr>(*step).getValue() == 1)
    out.greatest = runtime::max(out.first, out.second);
  out.least = out.first;
  out.second = itself + expressionOf(*step);
  return out;
}

/// The symbols that `op` binds, among those of the sizes of `values` and of the
/// index values among them.
StatusOr<std::vector<runtime::StepSymbol>>
PackageBuilder::symbolsOf(Operation *op, ValueRange values) {
  llvm::SetVector<AffineExpr> bound;
  auto take = [&](AffineExpr size) {
    size.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (symbol && shapes.isBound(symbol) && shapes.bindingOf(symbol).op == op)
        bound.insert(part);
    });
  };
  for (Value value : values) {
    if (!isa<TensorType>(value.getType())) {
      FailureOr<AffineExpr> size = shapes.exprOf(value);
      if (failed(size))
        return Status::unsupported("a size is not known");
      take(*size);
      continue;
    }
    FailureOr<graph::SymbolicShape> shape = shapes.shapeOf(value);
    if (failed(shape))
      return Status::unsupported("the shape of a tensor is not known");
    llvm::for_each(*shape, take);
  }
  std::vector<runtime::StepSymbol> symbols;
  for (AffineExpr symbol : bound) {
    TILEWRIGHT_ASSIGN_OR_RETURN(symbols.emplace_back(),
                                symbolOf(cast<AffineSymbolExpr>(symbol)));
  }
  return symbols;
}

Status PackageBuilder::addRead(graph::SizeOp op) {
  runtime::StepManifest step = stepOf(op);
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t buffer, bufferOf(op.getTensor()));
  if (!isWritten(buffer))
    return Status::internal("a size is read that no step wrote");
  FailureOr<AffineExpr> symbol = shapes.exprOf(op.getResult());
  if (failed(symbol))
    return Status::unsupported("a size is not known");
  runtime::StepSymbol size;
  size.name = std::string(*expressionOf(*symbol).name());
  size.least = int64_t(op.getAtLeast());
  if (Value most = op.getAtMost()) {
    FailureOr<AffineExpr> greatest = shapes.exprOf(most);
    if (failed(greatest))
      return Status::unsupported("the greatest value of a size is not known");
    size.greatest = expressionOf(*greatest);
  }
  step.read = {buffer, std::move(size)};
  steps->push_back(std::move(step));
  return {};
}

/// Where the memory of `value` begins, if `block` or a region in it makes it: a
/// launch that writes new memory, or a branch or loop with that result.
Value PackageBuilder::originIn(Value value, Block &block) {
  if (!graph::hasWholeMemory(value))
    return {};
  Value origin = firstWritten(value);
  if (!origin) {
    Value root = graph::memoryOf(value);
    if (root.getDefiningOp<scf::IfOp>() || root.getDefiningOp<scf::ForOp>() ||
        root.getDefiningOp<scf::WhileOp>())
      origin = root;
  }
  Operation *op = origin ? origin.getDefiningOp() : nullptr;
  return op && op->getBlock() == &block && !buffers.contains(origin) ? origin
                                                                     : Value();
}

bool PackageBuilder::dependsOn(size_t buffer,
                               ArrayRef<runtime::StepSymbol> symbols) const {
  const std::vector<std::string> names =
      manifest->buffers[buffer].bytes.names();
  return llvm::any_of(symbols, [&](const runtime::StepSymbol &symbol) {
    return llvm::is_contained(names, symbol.name);
  });
}

/// The buffer of a branch's or loop's result, which may have a place already.
StatusOr<size_t> PackageBuilder::resultBuffer(Value result) {
  if (auto known = buffers.find(result); known != buffers.end())
    return known->second;
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, addBuffer(result, Kind::transient));
  buffers[result] = id;
  return id;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Status PackageBuilder::addBranch(scf::IfOp op) {
  runtime::StepManifest step = stepOf(op);
  runtime::BranchManifest branch;
  auto condition = op.getCondition().getDefiningOp<graph::ConditionOp>();
  if (!condition)
    return Status::internal("the condition of a branch is in no memory");
  TILEWRIGHT_ASSIGN_OR_RETURN(branch.condition,
                              bufferOf(condition.getTensor()));
  if (!isWritten(branch.condition))
    return Status::internal("a condition is read that no step wrote");
  TILEWRIGHT_ASSIGN_OR_RETURN(branch.symbols, symbolsOf(op, op.getResults()));
  Block *sides[] = {op.thenBlock(), op.elseBlock()};
  std::vector<runtime::StepManifest> *lists[] = {&branch.first, &branch.second};
  SmallVector<Value> results;
  for (OpResult result : op.getResults())
    if (isa<TensorType>(result.getType()))
      results.push_back(result);
  for (Value result : results) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, resultBuffer(result));
    branch.results.push_back({id, id, id});
  }
  const std::unordered_set<size_t> before = written;
  for (int side : {0, 1}) {
    if (!sides[side])
      continue;
    Operation *end = sides[side]->getTerminator();
    auto yielded = [&](size_t i) {
      return end->getOperand(cast<OpResult>(results[i]).getResultNumber());
    };
    for (size_t i = 0; i < results.size(); ++i)
      if (!dependsOn(branch.results[i].buffer, branch.symbols))
        if (Value origin = originIn(yielded(i), *sides[side]))
          buffers[origin] = branch.results[i].buffer;
    TILEWRIGHT_RETURN_IF_ERROR(addBlock(*sides[side], *lists[side]));
    for (size_t i = 0; i < results.size(); ++i) {
      runtime::BranchManifest::Result &result = branch.results[i];
      size_t &from = side == 0 ? result.first : result.second;
      TILEWRIGHT_ASSIGN_OR_RETURN(from, bufferOf(yielded(i)));
      if (!isWritten(from))
        return Status::internal("a branch leaves a tensor that no step wrote");
      const bool isOthers = llvm::any_of(
          branch.results, [&](const runtime::BranchManifest::Result &other) {
            return &other != &result && other.buffer == rootOf(from);
          });
      if (isOthers) {
        auto *outer = std::exchange(steps, lists[side]);
        TILEWRIGHT_ASSIGN_OR_RETURN(from,
                                    copyOf(from, Kind::transient, step.label));
        steps = outer;
      }
    }
    written = before;
  }
  for (const runtime::BranchManifest::Result &result : branch.results)
    written.insert(result.buffer);
  step.branch = std::move(branch);
  steps->push_back(std::move(step));
  return {};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isTensor(const graph::LoopForm::Carried &carried) {
  return isa<TensorType>(carried.result.getType());
}

/// Lets what loops in the block carry begin where it is carried, if nobody else
/// needs the first value. The last loop comes first: what it carries may be
/// what another one before it leaves.
Status PackageBuilder::placeCarried(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    std::optional<graph::LoopForm> loop = graph::matchLoop(&op);
    if (!loop)
      continue;
    for (const graph::LoopForm::Carried &carried : loop->carried) {
      Value first = carried.init->get();
      Value origin = isTensor(carried) ? originIn(first, block) : Value();
      if (!origin || graph::isReadFrom(first, &op, carried.init))
        continue;
      FailureOr<graph::SymbolicShape> before = shapes.shapeOf(first),
                                      behind = shapes.shapeOf(carried.result);
      if (failed(before) || failed(behind))
        return Status::unsupported("the shape of a tensor is not known");
      if (*before != *behind)
        continue;
      TILEWRIGHT_ASSIGN_OR_RETURN(buffers[origin],
                                  resultBuffer(carried.result));
    }
  }
  return {};
}

/// The greatest number of iterations.
StatusOr<runtime::Expression>
PackageBuilder::countOf(const graph::LoopForm &loop) {
  auto valueOf = [&](Value value,
                     int64_t otherwise) -> StatusOr<runtime::Expression> {
    if (!value)
      return runtime::Expression(otherwise);
    FailureOr<AffineExpr> size = shapes.exprOf(value);
    if (failed(size))
      return unknownSize(loop.body->getParentOp(), "the count of a loop");
    return expressionOf(*size);
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(auto lower, valueOf(loop.lower, 0));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto upper, valueOf(loop.upper, 0));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto step, valueOf(loop.step, 1));
  return runtime::ceilDiv(upper - lower, step);
}

Status PackageBuilder::addLoop(Operation *op, const graph::LoopForm &form) {
  runtime::StepManifest step = stepOf(op);
  runtime::LoopManifest loop;
  if (form.upper) {
    TILEWRIGHT_ASSIGN_OR_RETURN(loop.count, countOf(form));
  }
  SmallVector<Value> changing;
  if (form.index)
    changing.push_back(form.index);
  for (const graph::LoopForm::Carried &carried : form.carried)
    changing.append({carried.argument, carried.result});
  TILEWRIGHT_ASSIGN_OR_RETURN(loop.symbols, symbolsOf(op, changing));
  for (const graph::LoopForm::Carried &carried : form.carried) {
    if (!isTensor(carried))
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, resultBuffer(carried.result));
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t start, bufferOf(carried.init->get()));
    if (!isWritten(start))
      return Status::internal("a loop begins with a tensor that no step wrote");
    buffers[carried.argument] = id;
    loop.carried.push_back({id, start, id, false});
  }
  for (const runtime::LoopManifest::Carried &carried : loop.carried)
    written.insert(carried.buffer);
  if (form.condition) {
    TILEWRIGHT_ASSIGN_OR_RETURN(loop.condition, bufferOf(form.condition));
  }
  const std::unordered_set<size_t> before = written;
  TILEWRIGHT_RETURN_IF_ERROR(addBlock(*form.body, loop.steps));
  TILEWRIGHT_RETURN_IF_ERROR(addNext(form, step.label, loop));
  written = before;
  step.loop = std::move(loop);
  steps->push_back(std::move(step));
  return {};
}

/// Where an iteration leaves what it carries. Memory that only this value needs
/// changes places with that of the value before; what is carried elsewhere is
/// copied out of the way first.
Status PackageBuilder::addNext(const graph::LoopForm &form, StringRef label,
                               runtime::LoopManifest &loop) {
  std::unordered_set<size_t> taken;
  for (const runtime::LoopManifest::Carried &carried : loop.carried)
    taken.insert(carried.buffer);
  auto *outer = std::exchange(steps, &loop.steps);
  auto next = loop.carried.begin();
  for (const graph::LoopForm::Carried &carried : form.carried) {
    if (!isTensor(carried))
      continue;
    runtime::LoopManifest::Carried &out = *next++;
    if (auto resized = carried.next.getDefiningOp<graph::ResizeRowsOp>()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t left, bufferOf(resized.getSource()));
      if (rootOf(left) == out.buffer)
        continue; // It grows in its place.
    }
    Operation *writer = graph::memoryOf(carried.next).getDefiningOp();
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t left, bufferOf(carried.next));
    if (!isWritten(left))
      return Status::internal(
          "an iteration leaves a tensor that no step wrote");
    if (rootOf(left) == out.buffer)
      continue;
    bool isOwn = writer && form.body == writer->getBlock() &&
                 manifest->buffers[left].kind == Kind::transient &&
                 !manifest->buffers[left].alias;
    if (taken.contains(rootOf(left))) {
      TILEWRIGHT_ASSIGN_OR_RETURN(left, copyOf(left, Kind::transient, label));
      isOwn = true;
    }
    // Both grow, or none does.
    isOwn &= isOfInputs(manifest->buffers[out.buffer].bytes) ==
             isOfInputs(manifest->buffers[left].bytes);
    out.next = left;
    out.swaps = isOwn;
    taken.insert(rootOf(left));
  }
  steps = outer;
  return {};
}

} // namespace tilewright

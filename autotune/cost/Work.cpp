//===- Work.cpp - What a launch of a kernel has to do ---------------------===//
#include "autotune/cost/Work.h"

#include "autotune/cost/ElementShape.h"
#include "codegen/cpu/SourceDims.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Format.h"
#include "tileir/ir/OpTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::autotune {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t ElementWork::elements() const { return product(shape); }

bool Work::isGuess() const {
  return llvm::any_of(variables, [](const Variable &v) { return v.isGuess; });
}

double Work::operationCount() const {
  double count = 0;
  for (const DotWork &dot : dots)
    count += 2 * dot.multiplyAdds();
  for (const ElementWork &work : elements)
    if (work.kind != OpClass::none)
      count += double(work.elements()) * work.executions;
  return count;
}

double Work::distinctBytes(double line) const {
  std::vector<bool> varying(variables.size(), true);
  // Of each argument, what its most far-reaching access covers.
  std::map<int, double> ofArgument;
  double others = 0;
  for (const Access &access : accesses) {
    double bytes = access.footprint(variables, varying, line);
    if (access.argument < 0)
      others += bytes;
    else
      ofArgument[access.argument] =
          std::max(ofArgument[access.argument], bytes);
  }
  for (auto [argument, bytes] : ofArgument)
    others += bytes;
  for (const PointerAccess &access : pointers)
    others += double(access.elements * access.elementBytes) * access.executions;
  return others;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
struct TileWork;

class Analysis {
public:
  Analysis(tile::KernelOp kernel, LoopNest nest)
      : kernel(kernel), nest(std::move(nest)) {}
  StatusOr<Work> run();

private:
  void addAccess(tile::ViewAccessOpInterface op);
  void addPointers(tile::PointerAccessOpInterface op);
  void addDot(tile::ContractionOpInterface op);
  DotOperand operandOf(Value tile) const;
  void addCombining(tile::CombiningOpInterface op);
  void addElements(Operation *op, ElementWork::Role role, OpClass kind,
                   RankedTensorType type, unsigned axis = 0);
  void addCarried(Operation *op);
  void addTileWork(Operation *op, const TileWork &known);
  void addOp(Operation *op);
  double insideOf(Access &access, ValueRange offsets, bool byElement) const;

  tile::KernelOp kernel;
  LoopNest nest;
  Work work;
  llvm::DenseMap<Operation *, int> accessOf;
};
} // namespace

static unsigned bitsOf(Type element) {
  if (isa<IndexType>(element))
    return 64;
  return unsigned(std::max<int64_t>(8, tile::getStorageBits(element)));
}

/// The part of an access's tiles that is in the view, by dimension.
double Analysis::insideOf(Access &access, ValueRange offsets,
                          bool byElement) const {
  double inside = 1;
  for (size_t dim = 0; dim < access.tile.size(); ++dim) {
    int64_t size = access.dims[dim], count = access.tile[dim];
    int64_t step = access.steps[dim];
    if (size < 0)
      continue;
    auto share = nest.mean(
        access.offsets[dim].variables,
        [&](std::span<const int64_t> at) -> std::optional<double> {
          std::optional<int64_t> first = nest.valueAt(offsets[dim], at);
          if (!first)
            return std::nullopt;
          int64_t start = *first * (byElement ? 1 : count);
          // Indices start + i * step, i < count, that are in [0, size).
          int64_t from = start < 0 ? (-start + step - 1) / step : 0;
          int64_t to = start >= size ? 0 : (size - 1 - start) / step + 1;
          return double(std::max<int64_t>(0, std::min(to, count) - from)) /
                 double(count);
        });
    inside *= share.value_or(1);
  }
  return inside;
}

/// Elements of a tile that follow each other in memory.
static int64_t contiguousOf(const Access &access) {
  int64_t run = 1;
  for (size_t dim = access.tile.size(); dim-- > 0;) {
    if (access.tile[dim] == 1 && access.strides[dim] != 1)
      continue;
    if (access.strides[dim] != run || access.steps[dim] != 1)
      break;
    run *= access.tile[dim];
    if (access.tile[dim] != access.dims[dim])
      break;
  }
  return run;
}

/// How far one index is from another, where that is always the same.
static std::optional<int64_t> distanceOf(const LinearIndex &x,
                                         const LinearIndex &y,
                                         llvm::ArrayRef<Variable> variables) {
  // Loops of equal trips at the same depth are equivalent.
  auto alike = [&](int v, int w) {
    return v == w ||
           (!variables[size_t(v)].isGrid && !variables[size_t(w)].isGrid &&
            variables[size_t(v)].trips == variables[size_t(w)].trips);
  };
  if (!x.isExact || !y.isExact || x.strides.size() != y.strides.size())
    return std::nullopt;
  for (size_t i = 0; i < x.strides.size(); ++i)
    if (x.strides[i].second != y.strides[i].second ||
        !alike(x.strides[i].first, y.strides[i].first))
      return std::nullopt;
  return std::abs(x.start - y.start);
}

/// Whether two accesses are to tiles of the same form in the same view.
static bool areAlike(const Access &a, const Access &b) {
  return a.argument >= 0 && a.argument == b.argument && a.tile == b.tile &&
         a.steps == b.steps;
}

/// Whether at least half of each dimension of one tile is in the other.
static bool overlap(const Access &a, const Access &b,
                    llvm::ArrayRef<Variable> variables) {
  for (size_t dim = 0; dim < a.offsets.size(); ++dim) {
    std::optional<int64_t> distance =
        distanceOf(a.offsets[dim], b.offsets[dim], variables);
    if (!distance || *distance * 2 > a.tile[dim] * a.steps[dim])
      return false;
  }
  return true;
}

size_t laneDim(llvm::ArrayRef<int64_t> shape) {
  size_t lane = shape.empty() ? 0 : shape.size() - 1;
  while (lane > 0 && shape[lane] == 1)
    --lane;
  return lane;
}

/// The ops that read a tile or what follows from it element by element, and do
/// more than that.
static void collectReaders(Value tile, llvm::SmallPtrSetImpl<Operation *> &seen,
                           llvm::SmallPtrSetImpl<Operation *> &readers) {
  for (Operation *user : tile.getUsers()) {
    if (!seen.insert(user).second)
      continue;
    if (!passesElementsOn(user))
      readers.insert(user);
    else
      for (Value result : user->getResults())
        collectReaders(result, seen, readers);
  }
}

static int readersOf(Value tile) {
  llvm::SmallPtrSet<Operation *, 16> seen, readers;
  collectReaders(tile, seen, readers);
  return int(readers.size());
}

/// Whether all that reads a tile is contractions, but for its shape.
static bool feedsDotsOnly(Value tile) {
  return llvm::all_of(tile.getUsers(), [](Operation *user) {
    if (cpu::rearrangesTile(user))
      return feedsDotsOnly(user->getResult(0));
    return isa<tile::ContractionOpInterface>(user);
  });
}

void Analysis::addAccess(tile::ViewAccessOpInterface op) {
  Value tile = op.getTile();
  RankedTensorType type = op.getTile().getType();
  Access access;
  access.isStore = op.getWrittenTile() != nullptr;
  if (auto argument = dyn_cast<BlockArgument>(op.getView()))
    access.argument = int(argument.getArgNumber());
  access.loop = nest.innermost(op);
  access.executions = nest.executions(op);
  access.elementBytes = bitsOf(type.getElementType()) / 8;
  access.tile.assign(type.getShape().begin(), type.getShape().end());
  access.steps.assign(access.tile.size(), 1);
  if (!op.getSteps().empty())
    access.steps.assign(op.getSteps().begin(), op.getSteps().end());
  access.dims = nest.dimsOf(op.getView());
  access.strides = nest.stridesOf(op.getView());
  for (auto [offset, size] : llvm::zip(op.getOffsets(), access.tile))
    access.offsets.push_back(nest.linear(offset, op.getByElement() ? 1 : size));
  access.inside = insideOf(access, op.getOffsets(), op.getByElement());
  auto view = cast<tile::ViewType>(op.getView().getType());
  access.isChecked = op.mayReachOutside() &&
                     (access.inside < 1 ||
                      llvm::any_of(view.getShape(), ShapedType::isDynamic));
  access.isOperand = !access.isStore && feedsDotsOnly(tile);
  access.contiguous = contiguousOf(access);
  const size_t lane = laneDim(access.tile);
  for (auto [i, earlier] : llvm::enumerate(work.accesses)) {
    if (!areAlike(earlier, access))
      continue;
    if (access.repeats < 0 && overlap(earlier, access, nest.variables()))
      access.repeats = int(i);
    if (access.checkedLike < 0 && !access.tile.empty() &&
        earlier.loop == access.loop &&
        distanceOf(earlier.offsets[lane], access.offsets[lane],
                   nest.variables()) == 0)
      access.checkedLike = int(i);
  }
  if (!access.isStore)
    access.passes = std::max(1, readersOf(tile));
  accessOf[op] = int(work.accesses.size());
  work.accesses.push_back(std::move(access));
}

void Analysis::addPointers(tile::PointerAccessOpInterface op) {
  PointerAccess access;
  access.loop = nest.innermost(op);
  access.executions = nest.executions(op);
  if (auto tile = dyn_cast<RankedTensorType>(op.getPtr().getType()))
    access.elements = tile.getNumElements();
  access.elementBytes = bitsOf(op.getPointee()) / 8;
  access.isStore = op.getWrittenValue() != nullptr;
  auto ordered = dyn_cast<tile::MemoryOrderOpInterface>(op.getOperation());
  access.isAtomic = ordered && ordered.isAtomicUpdate();
  work.pointers.push_back(access);
}

/// Follows a matrix back to its load.
DotOperand Analysis::operandOf(Value tile) const {
  auto type = cast<RankedTensorType>(tile.getType());
  DotOperand operand;
  operand.bits = bitsOf(type.getElementType());
  operand.isFloat = isa<FloatType>(type.getElementType());
  bool isTransposed = false;
  Value source = tile;
  while (Operation *op = source.getDefiningOp()) {
    if (!cpu::rearrangesTile(op))
      break;
    source = op->getOperand(0);
    // Of a permutation: whether the columns become other than columns.
    int rank = int(cast<RankedTensorType>(source.getType()).getRank());
    std::optional<SmallVector<int>> dims = cpu::dimsOfSource(op);
    if (dims && int(dims->size()) == rank && !llvm::is_contained(*dims, -1))
      isTransposed ^= dims->back() + 1 != rank;
  }
  Operation *op = source.getDefiningOp();
  if (auto known = accessOf.find(op); op && known != accessOf.end()) {
    const Access &access = work.accesses[size_t(known->second)];
    operand.access = known->second;
    operand.hasUnitColumns = !isTransposed && !access.strides.empty() &&
                             access.strides.back() == 1 &&
                             access.steps.back() == 1;
  }
  return operand;
}

void Analysis::addDot(tile::ContractionOpInterface op) {
  Value acc = op.getAcc();
  auto left = cast<RankedTensorType>(op.getLhs().getType());
  auto type = cast<RankedTensorType>(acc.getType());
  llvm::ArrayRef<int64_t> shape = type.getShape();
  DotWork dot;
  dot.loop = nest.innermost(op);
  dot.executions = nest.executions(op);
  dot.M = shape[shape.size() - 2];
  dot.N = shape.back();
  dot.K = left.getShape().back();
  dot.batch = product(shape.drop_back(2));
  dot.lhs = operandOf(op.getLhs());
  dot.rhs = operandOf(op.getRhs());
  dot.accumulatorBits = std::max(32u, bitsOf(type.getElementType()));
  dot.isFloat = isa<FloatType>(type.getElementType());
  Operation *user =
      op->getResult(0).hasOneUse() ? *op->getResult(0).user_begin() : nullptr;
  dot.isInPlace = isa<BlockArgument>(acc) && acc.hasOneUse() && user &&
                  isa<scf::YieldOp>(user) &&
                  bitsOf(type.getElementType()) == dot.accumulatorBits;
  work.dots.push_back(dot);
}

void Analysis::addElements(Operation *op, ElementWork::Role role, OpClass kind,
                           RankedTensorType type, unsigned axis) {
  ElementWork element;
  element.kind = kind;
  element.role = role;
  element.loop = nest.innermost(op);
  element.executions = nest.executions(op);
  if (role == ElementWork::Role::elementwise && op->getNumResults() > 0)
    element.shape = computedShape(op->getResult(0));
  else
    element.shape.assign(type.getShape().begin(), type.getShape().end());
  element.bits = bitsOf(type.getElementType());
  element.axis = axis;
  work.elements.push_back(std::move(element));
}

/// Each op of a combiner runs once for each element.
void Analysis::addCombining(tile::CombiningOpInterface op) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  // A reduction drops the dimension, a scan keeps it.
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  auto role = result.getRank() < input.getRank() ? ElementWork::Role::reduce
                                                 : ElementWork::Role::scan;
  for (Operation &inner : op.getCombiner().front().without_terminator())
    if (opClassOf(&inner) != OpClass::none)
      addElements(op, role, opClassOf(&inner), input, unsigned(op.getAxis()));
}

/// Loop-carried tiles are copied each iteration, but accumulators are in place.
void Analysis::addCarried(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  Operation *yield = loop.getBody()->getTerminator();
  for (Value value : yield->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    work.carriedBytes +=
        type.getNumElements() * bitsOf(type.getElementType()) / 8;
    bool isSum =
        isa_and_nonnull<tile::ContractionOpInterface>(value.getDefiningOp());
    if (!isSum)
      addElements(yield, ElementWork::Role::carry, OpClass::none, type);
  }
}

namespace {
/// An op on whole tiles: its work per element of one of them.
struct TileWork {
  ElementWork::Role role;
  OpClass kind;
  enum { firstOperand, lastOperand, result } counted;
};
} // namespace

static const tile::OpTable<TileWork> &tileWorks() {
  static const tile::OpTable<TileWork> works = [] {
    using Role = ElementWork::Role;
    tile::OpTable<TileWork> table;
    table.add<tile::SortOp, tile::TopKOp>(
        {Role::sort, OpClass::select, TileWork::firstOperand});
    table.add<tile::HistogramOp, tile::GatherOp>(
        {Role::move, OpClass::integer, TileWork::lastOperand});
    table.add<tile::JoinOp, tile::SplitOp, tile::ConcatOp>(
        {Role::move, OpClass::none, TileWork::result});
    return table;
  }();
  return works;
}

void Analysis::addTileWork(Operation *op, const TileWork &known) {
  Value tile = known.counted == TileWork::firstOperand ? op->getOperand(0)
               : known.counted == TileWork::lastOperand
                   ? op->getOperand(op->getNumOperands() - 1)
                   : op->getResult(0);
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  addElements(op, known.role, known.kind,
              cast<RankedTensorType>(tile.getType()),
              axis ? unsigned(axis.getInt()) : 0);
}

void Analysis::addOp(Operation *op) {
  if (const TileWork *known = tileWorks().find(op))
    return addTileWork(op, *known);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ViewAccessOpInterface access) { addAccess(access); })
      .Case([&](tile::PointerAccessOpInterface access) { addPointers(access); })
      .Case([&](tile::ContractionOpInterface dot) { addDot(dot); })
      .Case([&](tile::CombiningOpInterface op) { addCombining(op); })
      .Default([&](Operation *) {
        auto type = op->getNumResults()
                        ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                        : RankedTensorType();
        if (type && op->getNumRegions() == 0 && opClassOf(op) != OpClass::none)
          addElements(op, ElementWork::Role::elementwise, opClassOf(op), type);
        addCarried(op);
      });
}

bool hasWork(OperationName op) {
  return tileWorks().find(op) || tile::hasOpClass(op) ||
         op.hasInterface<tile::ViewAccessOpInterface>() ||
         op.hasInterface<tile::PointerAccessOpInterface>() ||
         op.hasInterface<tile::ContractionOpInterface>() ||
         op.hasInterface<tile::CombiningOpInterface>();
}

StatusOr<Work> Analysis::run() {
  work.variables = nest.variables();
  work.programs = nest.programs();
  Status status;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel.getOperation())
      return WalkResult::advance();
    if (auto tunable = dyn_cast<tile::TunableOp>(op)) {
      status = Status::invalidInput(format(
          "kernel '{}': expected its tunables to be bound, found \"{}\"",
          {kernel.getSymName().str(), tunable.getNameAttr().getValue().str()}));
      return WalkResult::interrupt();
    }
    ++work.operations;
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        work.largestTile = std::max<int64_t>(
            work.largestTile,
            tile.getNumElements() * bitsOf(tile.getElementType()) / 8);
    addOp(op);
    // What combiners hold was counted with them.
    return isa<tile::CombiningOpInterface>(op) ? WalkResult::skip()
                                               : WalkResult::advance();
  });
  if (!status.ok())
    return status;
  return std::move(work);
}

StatusOr<Work> analyzeWork(tile::KernelOp kernel,
                           std::span<const ArgumentShape> arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LoopNest nest,
                              LoopNest::create(kernel, arguments));
  return Analysis(kernel, std::move(nest)).run();
}

} // namespace tilewright::autotune

//===- LoopNest.cpp - The loops of a launch, in numbers -------------------===//
#include "autotune/cost/LoopNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "support/Format.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::autotune {

//===----------------------------------------------------------------------===//
// Arguments and variables
//===----------------------------------------------------------------------===//

/// Whether an argument has the rank and the sizes of its type.
static Status checkArgument(tile::KernelOp kernel, unsigned number,
                            const ArgumentShape &given) {
  std::string where =
      format("kernel '{}': argument {}", {kernel.getSymName().str(), number});
  auto view = dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[number]);
  size_t rank = view ? view.getShape().size() : 0;
  if (given.dims.size() != rank)
    return Status::invalidInput(format("{}: expected {} sizes, found {}",
                                       {where, rank, given.dims.size()}));
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t fixed = view.getShape()[dim], found = given.dims[dim];
    if (found < 0 || (!ShapedType::isDynamic(fixed) && fixed != found))
      return Status::invalidInput(
          format("{}, dimension {}: expected {}, found {}",
                 {where, dim,
                  ShapedType::isDynamic(fixed) ? "a size of 0 or more"
                                               : std::to_string(fixed),
                  found}));
  }
  return {};
}

/// The numbers of programs; nothing where a scalar that they need is missing.
static std::optional<std::vector<int64_t>>
gridOf(tile::KernelOp kernel, std::span<const ArgumentShape> shapes) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> symbols, counts;
  for (auto [type, shape] : llvm::zip(kernel.getArgumentTypes(), shapes)) {
    for (int64_t dim : shape.dims)
      symbols.push_back(builder.getIndexAttr(dim));
    if (isa<IndexType, IntegerType>(type))
      symbols.push_back(shape.scalar
                            ? Attribute(builder.getIndexAttr(*shape.scalar))
                            : Attribute());
  }
  if (failed(kernel.getGrid().constantFold(symbols, counts)))
    return std::nullopt;
  std::vector<int64_t> grid;
  for (Attribute count : counts)
    grid.push_back(std::max<int64_t>(
        0, cast<IntegerAttr>(count).getValue().getSExtValue()));
  return grid;
}

StatusOr<LoopNest> LoopNest::create(tile::KernelOp kernel,
                                    std::span<const ArgumentShape> arguments) {
  auto types = kernel.getArgumentTypes();
  if (types.size() != arguments.size())
    return Status::invalidInput(format(
        "kernel '{}': expected the sizes of {} arguments, found those of {}",
        {kernel.getSymName().str(), types.size(), arguments.size()}));
  for (unsigned i = 0; i < types.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(checkArgument(kernel, i, arguments[i]));
  LoopNest nest;
  nest.kernel = kernel;
  nest.shapes.assign(arguments.begin(), arguments.end());
  std::optional<std::vector<int64_t>> grid = gridOf(kernel, arguments);
  nest.grid = grid.value_or(std::vector<int64_t>(kernel.getGridRank(), 1));
  int rank = int(nest.grid.size());
  for (int dim = 0; dim < rank; ++dim)
    nest.all.push_back({double(nest.grid[dim]), dim + 1 < rank ? dim + 1 : -1,
                        true, !grid.has_value()});
  nest.addLoops(kernel.getRegion(), rank ? 0 : -1);
  return nest;
}

/// Numbers the loops of a region, outer ones first.
void LoopNest::addLoops(Region &region, int parent) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (op.getNumRegions() == 0)
        continue;
      int inner = parent;
      if (isa<scf::ForOp, scf::WhileOp>(op)) {
        inner = int(all.size());
        ofLoop[&op] = inner;
        all.push_back({guessedTrips, parent, false, true});
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::set<int> needed;
        for (Value bound :
             {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          collect(bound, needed);
        std::vector<int> list(needed.begin(), needed.end());
        auto trips = mean(
            list, [&](std::span<const int64_t> at) -> std::optional<double> {
              auto first = valueAt(loop.getLowerBound(), at);
              auto end = valueAt(loop.getUpperBound(), at);
              auto step = valueAt(loop.getStep(), at);
              if (!first || !end || !step || *step <= 0)
                return std::nullopt;
              return double(
                  std::max<int64_t>(0, (*end - *first + *step - 1) / *step));
            });
        if (trips)
          all[inner] = {*trips, parent, false, false};
      }
      if (auto branch = dyn_cast<scf::IfOp>(op))
        addBranch(branch);
      for (Region &nested : op.getRegions())
        addLoops(nested, inner);
    }
}

/// How often its condition holds, where the arguments decide that.
void LoopNest::addBranch(Operation *branch) {
  const Value condition = cast<scf::IfOp>(branch).getCondition();
  std::set<int> needed;
  collect(condition, needed);
  const std::vector<int> list(needed.begin(), needed.end());
  const auto share =
      mean(list, [&](std::span<const int64_t> at) -> std::optional<double> {
        const std::optional<int64_t> value = valueAt(condition, at);
        return value ? std::optional(double(*value != 0)) : std::nullopt;
      });
  if (share)
    takenShare[branch] = *share;
}

int64_t LoopNest::programs() const {
  int64_t count = 1;
  for (int64_t extent : grid)
    count *= extent;
  return count;
}

int LoopNest::innermost(Operation *op) const {
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp())
    if (auto known = ofLoop.find(at); known != ofLoop.end())
      return known->second;
  return grid.empty() ? -1 : 0;
}

/// The share of a region's op in which the region runs. Of a branch that
/// nothing decides, each side is as likely.
double LoopNest::shareOf(Region *side) const {
  Operation *branch = side->getParentOp();
  if (auto known = takenShare.find(branch); known != takenShare.end())
    return side->getRegionNumber() == 0 ? known->second : 1 - known->second;
  if (isa<scf::IfOp>(branch))
    return 0.5;
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(branch))
    return 1.0 / double(choice->getNumRegions());
  return 1;
}

double LoopNest::executions(Operation *op) const {
  double count = 1;
  for (int at = innermost(op); at >= 0; at = all[at].parent)
    count *= all[at].trips;
  for (Region *at = op->getParentRegion(); at; at = at->getParentRegion())
    count *= shareOf(at);
  return count;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void LoopNest::collect(Value value, std::set<int> &variables) const {
  SmallVector<Value> work = {value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp()) {
      if (isa<tile::ProgramIdOp>(op))
        variables.insert(int(cast<OpResult>(next).getResultNumber()));
      else if (!isa<tile::DimOp, tile::CountOp, tile::StrideOp>(op))
        work.append(op->operand_begin(), op->operand_end());
      continue;
    }
    auto known = ofLoop.find(next.getParentBlock()->getParentOp());
    if (known == ofLoop.end())
      continue;
    variables.insert(known->second);
    if (auto loop = dyn_cast<scf::ForOp>(known->first);
        loop && next == loop.getInductionVar())
      work.append({loop.getLowerBound(), loop.getStep()});
  }
}

std::vector<int64_t> LoopNest::dimsOf(Value view) const {
  auto type = cast<tile::ViewType>(view.getType());
  std::vector<int64_t> dims(type.getShape().begin(), type.getShape().end());
  if (auto argument = dyn_cast<BlockArgument>(view);
      argument && argument.getOwner()->getParentOp() == kernel)
    return shapes[argument.getArgNumber()].dims;
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  unsigned next = 0;
  std::vector<int64_t> origin(all.size(), 0);
  for (int64_t &dim : dims)
    if (ShapedType::isDynamic(dim))
      dim = made ? valueAt(made.getSizes()[next++], origin).value_or(-1) : -1;
  return dims;
}

std::vector<int64_t> LoopNest::stridesOf(Value view) const {
  auto type = cast<tile::ViewType>(view.getType());
  std::vector<int64_t> dims = dimsOf(view), strides(dims.size(), 1);
  for (size_t dim = dims.size(); dim-- > 1;)
    strides[dim - 1] =
        strides[dim] < 0 || dims[dim] < 0 ? -1 : strides[dim] * dims[dim];
  if (!type.hasExplicitStrides())
    return strides;
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  unsigned next = 0;
  std::vector<int64_t> origin(all.size(), 0);
  for (auto [dim, stride] : llvm::enumerate(type.getStrides()))
    if (!ShapedType::isDynamic(stride))
      strides[dim] = stride;
    else if (made)
      strides[dim] = valueAt(made.getStrides()[next++], origin).value_or(-1);
  return strides;
}

/// Integer arithmetic on values that are known.
std::optional<int64_t>
LoopNest::arithmeticAt(Operation *op, std::span<const int64_t> point) const {
  SmallVector<int64_t> in;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> value = valueAt(operand, point);
    if (!value)
      return std::nullopt;
    in.push_back(*value);
  }
  using Result = std::optional<int64_t>;
  auto nonZero = [&](auto compute) -> Result {
    return in[1] ? Result(compute()) : std::nullopt;
  };
  auto compare = [&](arith::CmpIPredicate predicate) {
    return int64_t(arith::applyCmpPredicate(
        predicate, APInt(64, uint64_t(in[0])), APInt(64, uint64_t(in[1]))));
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return in[0] + in[1]; })
      .Case([&](arith::SubIOp) { return in[0] - in[1]; })
      .Case([&](arith::MulIOp) { return in[0] * in[1]; })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return nonZero([&] { return in[0] / in[1]; }); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
        return nonZero([&] { return llvm::divideCeilSigned(in[0], in[1]); });
      })
      .Case([&](arith::FloorDivSIOp) {
        return nonZero([&] { return llvm::divideFloorSigned(in[0], in[1]); });
      })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return nonZero([&] { return in[0] % in[1]; }); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return std::min(in[0], in[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return std::max(in[0], in[1]); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](arith::SelectOp) { return in[0] ? in[1] : in[2]; })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp, tile::AssumeOp>(
          [&](auto) { return in[0]; })
      .Case([&](affine::AffineApplyOp apply) -> Result {
        SmallVector<Attribute> values, results;
        Builder builder(op->getContext());
        for (int64_t value : in)
          values.push_back(builder.getIndexAttr(value));
        if (failed(apply.getAffineMap().constantFold(values, results)))
          return std::nullopt;
        return cast<IntegerAttr>(results[0]).getInt();
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<int64_t> LoopNest::valueAt(Value value,
                                         std::span<const int64_t> point) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel)
      return shapes[argument.getArgNumber()].scalar;
    auto loop = dyn_cast<scf::ForOp>(owner);
    auto known = ofLoop.find(owner);
    if (!loop || known == ofLoop.end() || value != loop.getInductionVar())
      return std::nullopt;
    auto first = valueAt(loop.getLowerBound(), point);
    auto step = valueAt(loop.getStep(), point);
    if (!first || !step)
      return std::nullopt;
    return *first + *step * point[known->second];
  }
  auto orNothing = [](int64_t size) {
    return size < 0 ? std::nullopt : std::optional<int64_t>(size);
  };
  Operation *op = value.getDefiningOp();
  if (isa<tile::ProgramIdOp>(op))
    return point[cast<OpResult>(value).getResultNumber()];
  if (isa<tile::ProgramCountOp>(op))
    return grid[cast<OpResult>(value).getResultNumber()];
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return orNothing(dimsOf(dim.getView())[dim.getDim()]);
  if (auto stride = dyn_cast<tile::StrideOp>(op))
    return orNothing(stridesOf(stride.getView())[stride.getDim()]);
  if (auto count = dyn_cast<tile::CountOp>(op)) {
    int64_t size = dimsOf(count.getView())[count.getDim()];
    return size < 0 ? std::nullopt
                    : std::optional<int64_t>(
                          llvm::divideCeilSigned(size, count.getExtent()));
  }
  if (op->getNumResults() != 1 || isa<RankedTensorType>(value.getType()))
    return std::nullopt;
  return arithmeticAt(op, point);
}

std::optional<double> LoopNest::mean(
    std::span<const int> variables,
    llvm::function_ref<std::optional<double>(std::span<const int64_t>)>
        function) const {
  constexpr double mostPoints = 1024;
  // The number of sample points of each variable: evenly spread midpoints.
  std::vector<int64_t> counts;
  double share = mostPoints;
  for (size_t i = 0; i < variables.size(); ++i) {
    double even = std::pow(share, 1.0 / double(variables.size() - i));
    double trips = std::max(1.0, std::round(all[variables[i]].trips));
    counts.push_back(int64_t(std::min(trips, std::max(2.0, even))));
    share = std::max(1.0, share / double(counts.back()));
  }
  std::vector<int64_t> point(all.size(), 0), at(variables.size(), 0);
  double sum = 0, points = 0;
  while (true) {
    for (size_t i = 0; i < at.size(); ++i) {
      double trips = std::max(1.0, std::round(all[variables[i]].trips));
      point[variables[i]] =
          int64_t((double(at[i]) + 0.5) * trips / double(counts[i]));
    }
    std::optional<double> value = function(point);
    if (!value)
      return std::nullopt;
    sum += *value;
    ++points;
    size_t i = 0;
    while (i < at.size() && ++at[i] == counts[i])
      at[i++] = 0;
    if (i == at.size())
      return sum / points;
  }
}

LinearIndex LoopNest::linear(Value value, int64_t scale) const {
  std::set<int> needed;
  collect(value, needed);
  LinearIndex index;
  index.variables.assign(needed.begin(), needed.end());
  std::vector<int64_t> point(all.size(), 0);
  std::optional<int64_t> start = valueAt(value, point);
  if (!start)
    return index;
  index.start = *start * scale;
  int64_t atEnd = *start;
  std::vector<int64_t> end(all.size(), 0);
  for (int variable : needed) {
    int64_t last =
        std::max<int64_t>(1, int64_t(std::ceil(all[variable].trips)) - 1);
    point[variable] = 1;
    std::optional<int64_t> moved = valueAt(value, point);
    point[variable] = 0;
    if (!moved)
      return index;
    end[variable] = last;
    atEnd += (*moved - *start) * last;
    if (*moved != *start)
      index.strides.push_back({variable, (*moved - *start) * scale});
  }
  std::optional<int64_t> found = valueAt(value, end);
  index.isExact = found && *found == atEnd;
  return index;
}

} // namespace tilewright::autotune

#include "tileir/reference/Interpreter.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "tileir/reference/ChosenPrograms.h"
#include "tileir/reference/ProgramInstance.h"
#include <random>

using namespace mlir;

namespace tilewright::reference {

/// Checks kind, rank and static sizes of one argument.
static LogicalResult checkArgument(Operation *op, unsigned number, Type type,
                                   const Value &argument) {
  auto error = [&] {
    return errorAt(op) << "argument " << number << " is " << type << ", ";
  };
  auto viewType = dyn_cast<tile::ViewType>(type);
  if (!viewType) {
    auto *tile = std::get_if<TileValue>(&argument);
    if (!tile || tile->type != type)
      return error() << "found a value of another type";
    return success();
  }
  auto *view = std::get_if<ViewValue>(&argument);
  if (!view || view->elementType != viewType.getElementType() ||
      static_cast<int64_t>(view->dims.size()) != viewType.getRank())
    return error() << "found a value of another type";
  for (int64_t dim = 0; dim < viewType.getRank(); ++dim) {
    if (!viewType.isDynamicDim(dim) &&
        viewType.getDimSize(dim) != view->dims[dim])
      return error() << "found dimension " << dim << " of size "
                     << view->dims[dim];
    int64_t stride = viewType.hasExplicitStrides()
                         ? viewType.getStrides()[dim]
                         : rowMajorStrides(view->dims)[dim];
    bool matters = view->dims[dim] > 1 && !ShapedType::isDynamic(stride);
    if (matters && stride != view->strides[dim])
      return error() << "found dimension " << dim << " with stride "
                     << view->strides[dim] << ", expected " << stride;
  }
  return success();
}

/// Checks the assumptions in the arguments' attributes.
static LogicalResult checkAssumptions(tile::KernelOp kernel, unsigned number,
                                      const Value &argument, Memory &memory) {
  auto error = [&](StringRef what, int64_t found, int64_t divisor) {
    return errorAt(kernel) << "argument " << number << " has " << what << ' '
                           << found << ", assumed to be divisible by "
                           << divisor;
  };
  auto divisor = [&](StringRef name) {
    return kernel.getArgAttrOfType<IntegerAttr>(number, name);
  };
  auto *view = std::get_if<ViewValue>(&argument);
  auto *tile = std::get_if<TileValue>(&argument);
  if (auto align = divisor(tile::TileDialect::kAlignAttr)) {
    Pointer base = view ? view->base : tile->elements[0].pointer();
    uint64_t address = memory.addressOf(base);
    if (address % align.getInt() != 0)
      return error("base", address, align.getInt());
  }
  if (auto by = divisor(tile::TileDialect::kDivisibleAttr))
    if (tile->elements[0].toInt() % by.getInt() != 0)
      return error("value", tile->elements[0].toInt(), by.getInt());
  auto checkEach = [&](StringRef name, StringRef what,
                       ArrayRef<int64_t> found) -> LogicalResult {
    auto by = kernel.getArgAttrOfType<DenseI64ArrayAttr>(number, name);
    for (int64_t dim = 0; by && dim < by.size(); ++dim)
      if (found[dim] % by[dim] != 0)
        return error(what, found[dim], by[dim]);
    return success();
  };
  if (!view)
    return success();
  return success(succeeded(checkEach(tile::TileDialect::kDimDivisibleAttr,
                                     "dimension", view->dims)) &&
                 succeeded(checkEach(tile::TileDialect::kStrideDivisibleAttr,
                                     "stride", view->strides)));
}

namespace {
/// Addresses, the last one excluded.
struct Span {
  uint64_t first, end;
};
} // namespace

/// Where the elements of a view are; nothing where it has none.
static std::optional<Span> spanOf(const ViewValue &view, const Memory &memory) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(view.dims, view.strides)) {
    if (size <= 0)
      return std::nullopt;
    last += (size - 1) * stride;
  }
  const int64_t bytes = tile::getStorageBits(view.elementType) / 8;
  const uint64_t first = memory.addressOf(view.base);
  return Span{first, first + uint64_t((last + 1) * bytes)};
}

static LogicalResult checkDisjoint(tile::KernelOp kernel,
                                   ArrayRef<Value> arguments,
                                   const Memory &memory) {
  for (unsigned number = 0; number < arguments.size(); ++number) {
    auto others = kernel.getArgAttrOfType<DenseI64ArrayAttr>(
        number, tile::TileDialect::kDisjointAttr);
    for (int64_t i = 0; others && i < others.size(); ++i) {
      std::optional<Span> own =
          spanOf(std::get<ViewValue>(arguments[number]), memory);
      std::optional<Span> other =
          spanOf(std::get<ViewValue>(arguments[others[i]]), memory);
      if (own && other && own->first < other->end && other->first < own->end)
        return errorAt(kernel)
               << "argument " << number << " shares memory with argument "
               << others[i] << ", assumed to be disjoint";
    }
  }
  return success();
}

static LogicalResult checkArguments(FunctionOpInterface function,
                                    ArrayRef<Value> arguments) {
  if (function.getNumArguments() != arguments.size())
    return errorAt(function) << "takes " << function.getNumArguments()
                             << " arguments, found " << arguments.size();
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (failed(checkArgument(function, number,
                             function.getArgumentTypes()[number], argument)))
      return failure();
  return success();
}

FailureOr<SmallVector<int64_t>> evaluateGrid(tile::KernelOp kernel,
                                             ArrayRef<Value> arguments) {
  if (failed(checkArguments(kernel, arguments)))
    return failure();
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> sizes;
  auto addSize = [&](int64_t size) {
    sizes.push_back(IntegerAttr::get(IndexType::get(context), size));
  };
  for (const Value &argument : arguments) {
    if (auto *view = std::get_if<ViewValue>(&argument))
      llvm::for_each(view->dims, addSize);
    else if (std::get<TileValue>(argument).type.isIntOrIndex())
      addSize(std::get<TileValue>(argument).elements[0].toInt());
  }
  SmallVector<int64_t> grid;
  (void)kernel.getGrid().partialConstantFold(sizes, &grid);
  if (grid.empty())
    return errorAt(kernel) << "the grid divides by zero for these arguments";
  for (int64_t count : grid)
    if (count < 0)
      return errorAt(kernel) << "the grid has " << count << " programs";
  if (auto most = kernel->getAttrOfType<IntegerAttr>(
          tile::TileDialect::kPersistentAttr))
    grid[0] = std::min(grid[0], most.getInt());
  return grid;
}

/// The linear ids of those that run, in the order in which they do.
static SmallVector<int64_t> programOrder(int64_t count,
                                         const LaunchOptions &options) {
  const uint64_t seed = options.orderSeed;
  SmallVector<int64_t> order = chosenPrograms(count, options.mostPrograms);
  count = int64_t(order.size());
  // Written out: the standard library's shuffle differs between hosts.
  std::mt19937_64 random(seed);
  for (int64_t i = count - 1; seed != 0 && i > 0; --i)
    std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

/// The grid of the options, else the kernel's own.
static FailureOr<SmallVector<int64_t>>
launchGrid(tile::KernelOp kernel, ArrayRef<Value> arguments,
           const LaunchOptions &options) {
  if (!options.grid)
    return evaluateGrid(kernel, arguments);
  if (failed(checkArguments(kernel, arguments)))
    return failure();
  if (static_cast<int64_t>(options.grid->size()) != kernel.getGridRank())
    return errorAt(kernel) << "has a grid of " << kernel.getGridRank()
                           << " dimensions, found " << options.grid->size();
  return *options.grid;
}

LogicalResult interpretKernel(tile::KernelOp kernel, ArrayRef<Value> arguments,
                              Memory &memory, const LaunchOptions &options) {
  FailureOr<SmallVector<int64_t>> grid = launchGrid(kernel, arguments, options);
  if (failed(grid))
    return failure();
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (failed(checkAssumptions(kernel, number, argument, memory)))
      return failure();
  if (failed(checkDisjoint(kernel, arguments, memory)))
    return failure();
  Launch launch{memory, options, *grid};
  int64_t count = 1;
  for (int64_t size : *grid)
    count *= size;
  for (int64_t linear : programOrder(count, options)) {
    SmallVector<int64_t> ids;
    for (int64_t size : *grid) {
      ids.push_back(linear % size);
      linear /= size;
    }
    ProgramInstance program(launch, ids);
    if (failed(program.run(*kernel.getBody(), arguments)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>> interpretFunction(tile::FuncOp function,
                                                ArrayRef<Value> arguments,
                                                Memory &memory,
                                                const LaunchOptions &options) {
  if (failed(checkArguments(function, arguments)))
    return failure();
  Launch launch{memory, options, {}};
  ProgramInstance program(launch, {});
  return program.run(*function.getBody(), arguments);
}

} // namespace tilewright::reference

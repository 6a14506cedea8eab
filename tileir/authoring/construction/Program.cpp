// The grid, tunables, checks, and what else concerns the program as a whole.
#include "tileir/authoring/construction/Grid.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

using namespace mlir;

namespace tilewright::authoring::detail {

//===--- Grid -------------------------------------------------------------===//

Handles program(const std::vector<Operand> &counts,
                std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  Handles none(counts.size());
  if (!c || c->hasFailed())
    return none;
  if (c->hasGrid && !c->secondTrace.isRunning()) {
    c->error(
        where, "program_twice",
        "program: the kernel's grid is given a second time; expected once");
    return none;
  }
  c->hasGrid = true;
  SmallVector<AffineExpr> results;
  for (auto [dim, count] : llvm::enumerate(counts)) {
    Value value = indexOf(*c, count);
    AffineExpr result = value ? gridExpression(c->kernel, value) : AffineExpr();
    if (!result && !c->hasFailed())
      c->error(count.where, "grid_expression",
               "program: count " + Twine(dim) +
                   " is computed from what a launch does not know; expected "
                   "sums, products, ceilDiv, floorDiv and remainders (by "
                   "positive numbers) of the sizes of views, of integer "
                   "arguments and of numbers");
    if (!result)
      return none;
    if (auto number = dyn_cast<AffineConstantExpr>(result);
        number && number.getValue() < 0) {
      c->error(count.where, "grid_count",
               "program: count " + Twine(dim) + " is " +
                   Twine(number.getValue()) + ", expected at least 0");
      return none;
    }
    results.push_back(result);
  }
  AffineMap grid = c->kernel.getGrid();
  c->kernel.setGrid(
      AffineMap::get(0, grid.getNumSymbols(), results, &c->context));
  auto op = c->create<tile::ProgramIdOp>(where, int64_t(counts.size()));
  return op ? handlesOf(*c, op->getResults()) : none;
}

void persistent(int64_t programs, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return;
  const int64_t rank = c->kernel.getGridRank();
  if (programs < 1 || programs > 32)
    return c->error(where, "kernel_c7",
                    "persistent: found " + Twine(programs) +
                        " programs for each multiprocessor, expected 1 to 32");
  if (rank != 1)
    return c->error(where, "kernel_c7",
                    "persistent: the grid has " + Twine(rank) +
                        " dimensions, expected one; call program() before");
  c->kernel->setAttr(tile::TileDialect::kPersistentAttr,
                     c->builder.getI64IntegerAttr(programs));
}

Handle programCount(int dim, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return {};
  int64_t rank = c->kernel.getGridRank();
  if (dim < 0 || dim >= rank) {
    c->error(where, "grid_dim",
             "programCount: dimension " + Twine(dim) + " of a grid with " +
                 Twine(rank) + "; expected 0" +
                 (rank > 1 ? " to " + std::to_string(rank - 1) : ""));
    return {};
  }
  auto op = c->create<tile::ProgramCountOp>(where, rank);
  return op ? handleOf(*c, op->getResult(dim)) : Handle();
}

//===--- Tunables ---------------------------------------------------------===//

static std::string listText(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

int64_t tunable(std::string_view name, Sizes values,
                std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  // 1 where there is nothing to go on: users divide by tunables.
  if (values.empty()) {
    if (c)
      c->error(where, "tunable_empty",
               "tunable '" + Twine(name) +
                   "' has no values; expected at least one");
    return 1;
  }
  int64_t value = values.front();
  if (!c)
    return value;
  auto given = c->bindings.find(std::string(name));
  // All of this was checked the first time.
  if (c->secondTrace.isRunning())
    return given == c->bindings.end() ? value : given->second;
  if (name.empty())
    c->error(where, "tunable_name",
             "a tunable has no name; expected one to bind it by");
  for (auto v = values.begin(); v != values.end(); ++v)
    if (std::find(values.begin(), v, *v) != v) {
      c->error(where, "tunable_values",
               "tunable '" + Twine(name) + "' has the value " + Twine(*v) +
                   " twice; expected different ones");
      return value;
    }
  for (const Tunable &known : c->tunables)
    if (known.name == name) {
      c->error(where, "tunable_twice",
               "tunable '" + Twine(name) +
                   "' is named a second time; expected once, and its value "
                   "kept in a variable");
      return value;
    }
  c->tunables.push_back({std::string(name), {values.begin(), values.end()}});
  if (given == c->bindings.end())
    return value;
  if (llvm::is_contained(values, given->second))
    return given->second;
  c->error(where, "tunable_value",
           "tunable '" + Twine(name) + "' is bound to " + Twine(given->second) +
               ", expected one of " + listText({values.data(), values.size()}));
  return value;
}

void require(bool holds, std::string_view message, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || holds)
    return;
  std::string bound;
  for (const Tunable &tunable : c->tunables) {
    auto given = c->bindings.find(tunable.name);
    bound += (bound.empty() ? "" : ", ") + tunable.name + " = " +
             std::to_string(given == c->bindings.end() ? tunable.values.front()
                                                       : given->second);
  }
  c->error(where, "requirement",
           "the tunables break a requirement of the kernel: " + Twine(message) +
               (bound.empty() ? "" : " (with " + bound + ")"));
}

//===--- Checks and assumptions -------------------------------------------===//

void check(const Operand &condition, std::string_view message,
           std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return;
  if (Value holds = scalarOf(*c, condition, c->builder.getI1Type(), false))
    c->create<tile::AssertOp>(where, holds, StringRef(message));
}

void print(std::string_view text, const Handles &values,
           std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  SmallVector<Value> printed;
  if (c && !c->hasFailed() && valuesOf(*c, values, where, printed))
    c->create<tile::PrintOp>(where, StringRef(text), printed);
}

static Handle assume(Handle handle, IntegerAttr divisor,
                     DenseI64ArrayAttr range, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, handle, where) : Value();
  auto op = value ? c->create<tile::AssumeOp>(where, value.getType(), value,
                                              divisor, range)
                  : nullptr;
  return op ? handleOf(*c, op.getResult()) : Handle();
}

Handle assumeDivisible(Handle value, int64_t divisor,
                       std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  return c ? assume(value, c->builder.getI64IntegerAttr(divisor), {}, where)
           : Handle();
}

Handle assumeRange(Handle value, int64_t low, int64_t high,
                   std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  return c ? assume(value, {}, c->builder.getDenseI64ArrayAttr({low, high}),
                    where)
           : Handle();
}

Handles inlinePtx(std::string_view ptx, std::string_view constraints,
                  const Handles &operands,
                  const std::vector<ElementType> &results,
                  std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  SmallVector<Value> values;
  if (!c || c->hasFailed() || !valuesOf(*c, operands, where, values))
    return Handles(results.size());
  SmallVector<Type> types;
  for (ElementType result : results)
    types.push_back(
        tile::withElementType(values.front().getType(), typeOf(*c, result)));
  auto op = c->create<tile::InlinePtxOp>(where, types, StringRef(ptx),
                                         StringRef(constraints),
                                         /*isPure=*/true, values);
  return op ? handlesOf(*c, op->getResults()) : Handles(results.size());
}

} // namespace tilewright::authoring::detail

#include "runtime/abi/StepValidation.h"
#include "runtime/abi/ManifestJson.h"
#include "support/Format.h"
#include <algorithm>
#include <map>

namespace tilewright::runtime {

static Status fail(const std::string &where, const std::string &message) {
  return Status::invalidInput(format("{}: {}", {where, message}));
}
static std::string item(std::string_view list, size_t index) {
  return format("{}[{}]", {list, index});
}

Status checkNames(const Expression &expression, const SymbolNames &known,
                  const std::string &where) {
  for (const std::string &name : expression.names())
    if (!known.contains(name))
      return fail(where,
                  format("unknown symbol '{}'; the symbols are {}",
                         {name, joinNames({known.begin(), known.end()})}));
  return {};
}

Status checkNames(const std::vector<Expression> &list, const SymbolNames &known,
                  const std::string &where) {
  for (size_t i = 0; i < list.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(checkNames(list[i], known, item(where, i)));
  return {};
}

//===----------------------------------------------------------------------===//
// Symbols of steps
//===----------------------------------------------------------------------===//

namespace {
class SymbolCollector {
public:
  explicit SymbolCollector(SymbolNames &names) : names(names) {}

  Status list(const std::vector<StepManifest> &steps, const std::string &where,
              size_t depth) {
    if (depth > maximumStepNesting)
      return fail(where, format("expected lists nested at most {} deep",
                                {maximumStepNesting}));
    for (size_t i = 0; i < steps.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(step(steps[i], item(where, i), depth));
    return {};
  }

private:
  Status add(const std::string &name, const std::string &where) {
    if (!isExpressionName(name))
      return fail(where, format("expected a name, found \"{}\"", {name}));
    if (!names.insert(name).second)
      return fail(where, format("'{}' is bound twice", {name}));
    return {};
  }
  Status add(const std::vector<StepSymbol> &symbols, const std::string &where) {
    for (size_t i = 0; i < symbols.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(
          add(symbols[i].name, item(where + ".symbols", i) + ".name"));
    return {};
  }

  Status step(const StepManifest &step, const std::string &where,
              size_t depth) {
    if (step.read)
      return add(step.read->symbol.name, where + ".read.symbol");
    if (step.branch) {
      const std::string at = where + ".branch";
      TILEWRIGHT_RETURN_IF_ERROR(add(step.branch->symbols, at));
      TILEWRIGHT_RETURN_IF_ERROR(
          list(step.branch->first, at + ".then", depth + 1));
      return list(step.branch->second, at + ".else", depth + 1);
    }
    if (!step.loop)
      return {};
    const std::string at = where + ".loop";
    TILEWRIGHT_RETURN_IF_ERROR(add(step.loop->symbols, at));
    return list(step.loop->steps, at + ".steps", depth + 1);
  }

  SymbolNames &names;
};
} // namespace

Status collectStepSymbols(const std::vector<StepManifest> &steps,
                          SymbolNames &names, const std::string &where) {
  return SymbolCollector(names).list(steps, where, 1);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// Checks steps in the order in which they run.
class StepValidator {
public:
  explicit StepValidator(const PackageManifest &package) : package(package) {
    for (const KernelManifest &kernel : package.kernels)
      kernelsByName.emplace(kernel.name, &kernel);
  }

  /// `known`: what is bound before the list; what it binds is added.
  Status list(const std::vector<StepManifest> &steps, SymbolNames &known,
              const std::string &where) {
    for (size_t i = 0; i < steps.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(step(steps[i], known, item(where, i)));
    return {};
  }

  /// What a loop swaps has one place to be in.
  Status swaps();

private:
  Status step(const StepManifest &step, SymbolNames &known,
              const std::string &where);
  Status launch(const StepManifest &step, const SymbolNames &known,
                const std::string &where);
  Status copy(const CopyManifest &copy, const SymbolNames &known,
              const std::string &where);
  Status read(const ReadManifest &read, SymbolNames &known,
              const std::string &where);
  Status branch(const BranchManifest &branch, SymbolNames &known,
                const std::string &where);
  Status loop(const LoopManifest &loop, SymbolNames &known,
              const std::string &where);
  Status limits(const StepSymbol &symbol, const SymbolNames &known,
                const std::string &where);
  Status result(size_t buffer, bool isInPlace,
                const std::vector<StepSymbol> &symbols, std::set<size_t> &roots,
                const std::string &where);

  Status used(size_t index, const SymbolNames &known, const std::string &where);
  Status written(size_t index, const std::string &where);
  Status decides(size_t index, const SymbolNames &known,
                 const std::string &where);
  Status fits(const StepManifest &step, const KernelManifest &kernel,
              const std::string &where);
  Status elementFits(size_t input, const KernelArgument &taken,
                     const std::string &path);
  Status viewFits(const StepArgument &given, const KernelArgument &taken,
                  const std::string &kernel, const std::string &path);
  Status storageFits(size_t index, const std::string &path);

  /// The buffer at the end of its aliases, which end.
  [[nodiscard]] size_t rootOf(size_t index) const {
    while (package.buffers[index].alias)
      index = *package.buffers[index].alias;
    return index;
  }
  [[nodiscard]] const BufferManifest &rootBuffer(size_t index) const {
    return package.buffers[rootOf(index)];
  }

  const PackageManifest &package;
  std::multimap<std::string_view, const KernelManifest *> kernelsByName;
  /// Of buffers that a step has named so far, by root: the loops around each.
  std::map<size_t, std::vector<std::vector<const LoopManifest *>>> uses;
  std::vector<const LoopManifest *> loops;
  /// What changes places with a carried value: a root, its loop, and where the
  /// manifest says so.
  struct Swap {
    size_t buffer;
    const LoopManifest *loop;
    std::string where;
  };
  std::vector<Swap> swapped;
};
} // namespace

/// A buffer that a step uses: its size is known by then.
Status StepValidator::used(size_t index, const SymbolNames &known,
                           const std::string &where) {
  if (index >= package.buffers.size())
    return fail(where, format("no buffer {}", {index}));
  const size_t root = rootOf(index);
  uses[root].push_back(loops);
  for (size_t buffer : {index, root})
    for (const std::string &name : package.buffers[buffer].bytes.names())
      if (!known.contains(name))
        return fail(where, format("the size of buffer {} depends on '{}', "
                                  "which is not known here",
                                  {buffer, name}));
  return {};
}

/// A buffer that a step may write.
Status StepValidator::written(size_t index, const std::string &where) {
  const BufferManifest::Kind kind = rootBuffer(index).kind;
  if (kind == BufferManifest::Kind::weight ||
      kind == BufferManifest::Kind::input)
    return fail(where, format("expected memory that steps write, found {} {}",
                              {bufferKindName(kind), rootOf(index)}));
  return storageFits(index, where);
}

/// A buffer whose first byte decides.
Status StepValidator::decides(size_t index, const SymbolNames &known,
                              const std::string &where) {
  TILEWRIGHT_RETURN_IF_ERROR(used(index, known, where));
  const BufferManifest &buffer = package.buffers[index];
  if (buffer.dtype != DType::Bool || buffer.bytes.constant() != 1)
    return fail(where, format("expected a buffer of one bool, found {} bytes "
                              "of {}",
                              {buffer.bytes.str(), dtypeName(buffer.dtype)}));
  return {};
}

Status StepValidator::step(const StepManifest &step, SymbolNames &known,
                           const std::string &where) {
  const int kinds = step.copy.has_value() + step.check.has_value() +
                    step.read.has_value() + step.branch.has_value() +
                    step.loop.has_value();
  if (kinds > 1 || (kinds && !step.kernel.empty()))
    return fail(where, "expected a step of one kind");
  if (step.copy)
    return copy(*step.copy, known, where + ".copy");
  if (step.check) {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(step.check->that, known, where + ".check.that"));
    return checkNames(step.check->equals, known, where + ".check.equals");
  }
  if (step.read)
    return read(*step.read, known, where + ".read");
  if (step.branch)
    return branch(*step.branch, known, where + ".branch");
  if (step.loop)
    return loop(*step.loop, known, where + ".loop");
  return launch(step, known, where);
}

Status StepValidator::launch(const StepManifest &step, const SymbolNames &known,
                             const std::string &where) {
  auto [first, last] = kernelsByName.equal_range(step.kernel);
  if (first == last)
    return fail(where + ".kernel",
                format("no kernel is called '{}'", {step.kernel}));
  for (; first != last; ++first)
    TILEWRIGHT_RETURN_IF_ERROR(fits(step, *first->second, where));
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const StepArgument &argument = step.arguments[i];
    std::string path = item(where + ".arguments", i);
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(argument.dims, known, path + ".dims"));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(argument.strides, known, path + ".strides"));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(argument.scalar, known, path + ".scalar"));
    if (argument.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(
          used(*argument.buffer, known, path + ".buffer"));
  }
  return {};
}

Status StepValidator::copy(const CopyManifest &copy, const SymbolNames &known,
                           const std::string &where) {
  TILEWRIGHT_RETURN_IF_ERROR(used(copy.from, known, where + ".from"));
  TILEWRIGHT_RETURN_IF_ERROR(used(copy.to, known, where + ".to"));
  const size_t root = rootOf(copy.to);
  if (rootOf(copy.from) == root)
    return fail(where, format("buffer {} would be copied to itself", {root}));
  return written(copy.to, where + ".to");
}

Status StepValidator::limits(const StepSymbol &symbol, const SymbolNames &known,
                             const std::string &where) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkNames(symbol.least, known, where + ".at_least"));
  return symbol.greatest
             ? checkNames(*symbol.greatest, known, where + ".at_most")
             : Status();
}

Status StepValidator::read(const ReadManifest &read, SymbolNames &known,
                           const std::string &where) {
  TILEWRIGHT_RETURN_IF_ERROR(used(read.buffer, known, where + ".buffer"));
  const BufferManifest &buffer = package.buffers[read.buffer];
  const bool isInteger =
      buffer.dtype == DType::I32 || buffer.dtype == DType::I64;
  if (!isInteger ||
      buffer.bytes.constant() != int64_t(dtypeBytes(buffer.dtype)))
    return fail(where + ".buffer",
                format("expected a buffer of one i32 or i64, found {} bytes of "
                       "{}",
                       {buffer.bytes.str(), dtypeName(buffer.dtype)}));
  TILEWRIGHT_RETURN_IF_ERROR(limits(read.symbol, known, where));
  known.insert(read.symbol.name);
  return {};
}

/// The buffer that has a result behind a branch or loop. Where lists write it
/// in place, its size must be known inside.
Status StepValidator::result(size_t buffer, bool isInPlace,
                             const std::vector<StepSymbol> &symbols,
                             std::set<size_t> &roots,
                             const std::string &where) {
  if (buffer >= package.buffers.size())
    return fail(where, format("no buffer {}", {buffer}));
  TILEWRIGHT_RETURN_IF_ERROR(written(buffer, where));
  if (package.buffers[buffer].alias)
    return fail(where, "expected a buffer that is no alias");
  if (!roots.insert(buffer).second)
    return fail(where, format("buffer {} stands twice", {buffer}));
  if (isInPlace)
    for (const StepSymbol &symbol : symbols)
      if (std::ranges::count(package.buffers[buffer].bytes.names(),
                             symbol.name))
        return fail(where,
                    format("the size of buffer {} depends on '{}', which "
                           "is not known where it is written",
                           {buffer, symbol.name}));
  return {};
}

Status StepValidator::branch(const BranchManifest &branch, SymbolNames &known,
                             const std::string &where) {
  TILEWRIGHT_RETURN_IF_ERROR(decides(branch.condition, known, where + ".if"));
  SymbolNames inside[2] = {known, known};
  const std::vector<StepManifest> *lists[] = {&branch.first, &branch.second};
  const char *names[] = {".then", ".else"};
  for (int side : {0, 1})
    TILEWRIGHT_RETURN_IF_ERROR(
        list(*lists[side], inside[side], where + names[side]));
  for (size_t i = 0; i < branch.symbols.size(); ++i) {
    const StepSymbol &symbol = branch.symbols[i];
    const std::string at = item(where + ".symbols", i);
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(symbol.first, inside[0], at + ".then"));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(symbol.second, inside[1], at + ".else"));
    TILEWRIGHT_RETURN_IF_ERROR(limits(symbol, known, at));
  }
  for (const StepSymbol &symbol : branch.symbols)
    known.insert(symbol.name);
  std::set<size_t> roots;
  for (size_t i = 0; i < branch.results.size(); ++i) {
    const BranchManifest::Result &given = branch.results[i];
    const std::string at = item(where + ".results", i);
    TILEWRIGHT_RETURN_IF_ERROR(
        result(given.buffer,
               given.first == given.buffer || given.second == given.buffer,
               branch.symbols, roots, at + ".buffer"));
    TILEWRIGHT_RETURN_IF_ERROR(used(given.buffer, known, at + ".buffer"));
    if (given.first != given.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(used(given.first, inside[0], at + ".then"));
    if (given.second != given.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(used(given.second, inside[1], at + ".else"));
  }
  for (size_t i = 0; i < branch.results.size(); ++i)
    for (size_t from : {branch.results[i].first, branch.results[i].second})
      if (from != branch.results[i].buffer && roots.contains(rootOf(from)))
        return fail(
            item(where + ".results", i),
            format("buffer {} is in the memory of another result", {from}));
  return {};
}

Status StepValidator::loop(const LoopManifest &loop, SymbolNames &known,
                           const std::string &where) {
  if (!loop.count && !loop.condition)
    return fail(where,
                "expected 'count', 'while' or both: the loop never ends");
  if (loop.count)
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(*loop.count, known, where + ".count"));
  for (size_t i = 0; i < loop.symbols.size(); ++i) {
    const std::string at = item(where + ".symbols", i);
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(loop.symbols[i].first, known, at + ".start"));
    TILEWRIGHT_RETURN_IF_ERROR(limits(loop.symbols[i], known, at));
  }
  std::set<size_t> roots;
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const LoopManifest::Carried &carried = loop.carried[i];
    const std::string at = item(where + ".carried", i);
    TILEWRIGHT_RETURN_IF_ERROR(result(carried.buffer,
                                      carried.start == carried.buffer,
                                      loop.symbols, roots, at + ".buffer"));
    if (carried.swaps &&
        rootBuffer(carried.buffer).kind == BufferManifest::Kind::state)
      return fail(at + ".buffer", "a state does not change places");
    if (carried.start != carried.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(used(carried.start, known, at + ".start"));
  }
  for (const StepSymbol &symbol : loop.symbols)
    known.insert(symbol.name);
  for (size_t i = 0; i < loop.carried.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(used(loop.carried[i].buffer, known,
                                    item(where + ".carried", i) + ".buffer"));
  if (loop.condition)
    TILEWRIGHT_RETURN_IF_ERROR(
        decides(*loop.condition, known, where + ".while"));

  loops.push_back(&loop);
  SymbolNames inside = known;
  TILEWRIGHT_RETURN_IF_ERROR(list(loop.steps, inside, where + ".steps"));
  for (size_t i = 0; i < loop.symbols.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(checkNames(
        loop.symbols[i].second, inside, item(where + ".symbols", i) + ".next"));
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const LoopManifest::Carried &carried = loop.carried[i];
    const std::string at = item(where + ".carried", i) + ".next";
    if (carried.next == carried.buffer)
      continue;
    TILEWRIGHT_RETURN_IF_ERROR(used(carried.next, inside, at));
    if (roots.contains(rootOf(carried.next)))
      return fail(at, format("buffer {} is in the memory of a carried value",
                             {carried.next}));
    if (carried.swaps)
      swapped.push_back({carried.next, &loop, at});
  }
  loops.pop_back();
  return {};
}

Status StepValidator::swaps() {
  std::set<size_t> partners;
  for (const Swap &swap : swapped) {
    const BufferManifest &buffer = package.buffers[swap.buffer];
    const bool isOnlyInside = std::ranges::all_of(
        uses[swap.buffer],
        [&](const std::vector<const LoopManifest *> &around) {
          return std::ranges::count(around, swap.loop) > 0;
        });
    if (buffer.kind != BufferManifest::Kind::transient || buffer.alias)
      return fail(swap.where, "expected a transient buffer that is no alias, "
                              "which changes places with the carried value");
    if (!isOnlyInside || !partners.insert(swap.buffer).second)
      return fail(swap.where,
                  format("expected a buffer that only this value needs, found "
                         "that buffer {} is used elsewhere",
                         {swap.buffer}));
  }
  return {};
}

Status StepValidator::fits(const StepManifest &step,
                           const KernelManifest &kernel,
                           const std::string &where) {
  if (step.arguments.size() != kernel.arguments.size())
    return fail(
        where + ".arguments",
        format("kernel '{}' takes {} arguments, found {}",
               {kernel.name, kernel.arguments.size(), step.arguments.size()}));
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const StepArgument &given = step.arguments[i];
    const KernelArgument &taken = kernel.arguments[i];
    std::string path = item(where + ".arguments", i);
    if (given.buffer.has_value() != taken.isView())
      return fail(path,
                  format("expected a {}, as kernel '{}' takes",
                         {taken.isView() ? "buffer" : "scalar", kernel.name}));
    if (!taken.isView()) {
      if (given.input) {
        TILEWRIGHT_RETURN_IF_ERROR(elementFits(*given.input, taken, path));
        continue;
      }
      if (taken.dtype &&
          dtypeInfo(*taken.dtype).kind == DTypeKind::floatingPoint)
        return fail(path, "steps cannot pass scalars of type " +
                              std::string(dtypeName(*taken.dtype)));
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(viewFits(given, taken, kernel.name, path));
  }
  return {};
}

Status StepValidator::elementFits(size_t input, const KernelArgument &taken,
                                  const std::string &path) {
  DType expected = taken.dtype.value_or(DType::I64);
  if (input < package.inputs.size() && package.inputs[input].shape.empty() &&
      package.inputs[input].dtype == expected)
    return {};
  return fail(path + ".input", "expected an input of rank 0 of type " +
                                   std::string(dtypeName(expected)));
}

Status StepValidator::viewFits(const StepArgument &given,
                               const KernelArgument &taken,
                               const std::string &kernel,
                               const std::string &path) {
  if (*given.buffer >= package.buffers.size())
    return fail(path + ".buffer", format("no buffer {}", {*given.buffer}));
  if (given.dims.size() != taken.rank)
    return fail(path + ".dims",
                format("expected {} dimensions, as kernel '{}' takes, found {}",
                       {taken.rank, kernel, given.dims.size()}));
  if (!given.strides.empty() && given.strides.size() != taken.rank)
    return fail(path + ".strides", format("expected {} strides, found {}",
                                          {taken.rank, given.strides.size()}));
  return storageFits(*given.buffer, path);
}

/// Outputs may share the storage of an input, a weight or a state, and are
/// then copied at the end; a step that is given one would write what is not
/// an output's.
Status StepValidator::storageFits(size_t index, const std::string &path) {
  const std::vector<BufferManifest> &buffers = package.buffers;
  if (buffers[index].kind != BufferManifest::Kind::output)
    return {};
  const size_t root = rootOf(index);
  const BufferManifest::Kind kind = buffers[root].kind;
  if (kind != BufferManifest::Kind::weight &&
      kind != BufferManifest::Kind::input &&
      kind != BufferManifest::Kind::state)
    return {};
  return fail(path + ".buffer",
              format("expected memory that steps write, found output {} in "
                     "the memory of {} {}; name buffer {} to read it",
                     {index, bufferKindName(kind), root, root}));
}

Status validateSteps(const PackageManifest &package, SymbolNames &known) {
  StepValidator validator(package);
  TILEWRIGHT_RETURN_IF_ERROR(validator.list(package.steps, known, "steps"));
  return validator.swaps();
}

} // namespace tilewright::runtime

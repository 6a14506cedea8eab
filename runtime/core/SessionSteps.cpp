#include "runtime/core/LaunchFormulas.h"
#include "runtime/core/SessionRun.h"
#include "support/Format.h"
#include <algorithm>
#include <limits>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Memory and launches
//===----------------------------------------------------------------------===//

StatusOr<size_t> Session::Impl::bytesOf(const ExecutionPlan &plan,
                                        size_t buffer,
                                        const Bindings &symbols) const {
  const BufferStorage &storage = plan.storage[buffer];
  if (storage.sizing == Sizing::fixed)
    return storage.bytes;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t bytes, evaluateSize(model.manifest().buffers[buffer].bytes,
                                 symbols, format("buffer {}", {buffer})));
  if (storage.sizing == Sizing::bounded && bytes > storage.bytes)
    return Status::invalidInput(
        format("buffer {} needs {} bytes, which is more than the {} that its "
               "package promised",
               {buffer, bytes, storage.bytes}));
  return bytes;
}

Status Session::Impl::makeRoom(ExecutionPlan &plan, size_t buffer,
                               const Bindings &symbols, bool keeps) {
  const size_t root = plan.storage[buffer].root;
  if (plan.storage[root].sizing != Sizing::open)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes, bytesOf(plan, root, symbols));
  std::shared_ptr<Buffer> &held = memory[root];
  if (held && held->size() >= bytes) {
    plan.places[root].memory = held.get();
    return {};
  }
  // Kernels that are still under way may use it.
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  const std::shared_ptr<Buffer> old = held;
  if (!keeps || !old) {
    // What was too small once may be so again.
    TILEWRIGHT_RETURN_IF_ERROR(grow(held, old ? bytes + bytes / 2 : bytes));
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        held, model.device().allocate(std::max(bytes, 2 * old->size())));
    ++generation;
    TILEWRIGHT_RETURN_IF_ERROR(stream->copy(*held, 0, *old, 0, old->size()));
    TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  }
  plan.places[root].memory = held.get();
  return {};
}

bool Session::Impl::isCurrent(const ExecutionPlan &plan, size_t step,
                              const PreparedLaunch &launch) const {
  const StepManifest &manifest = *model.tree->nodes[step].step;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const StepArgument &given = manifest.arguments[i];
    if (given.buffer
            ? launch.arguments[i].address != address(plan, *given.buffer)
            : given.input && launch.arguments[i].word != words[*given.input])
      return false;
  }
  return true;
}

/// Whether `values` begin with the values that sizes depend on.
static bool sizesAgree(const StepNode &node, const PreparedLaunch &launch,
                       std::span<const int64_t> values) {
  return std::equal(values.begin(), values.begin() + long(node.sizeSymbols),
                    launch.symbols.begin());
}

/// Sets the words of scalars that depend on symbols of steps. Whether no more
/// is to do: grid and guards do not ask for them.
static StatusOr<bool>
changeScalars(std::span<const std::shared_ptr<Kernel>> variants,
              const StepManifest &step, const Bindings &symbols,
              PreparedLaunch &launch) {
  size_t word = 0;
  const KernelManifest &kernel = variants[launch.plan.variant]->manifest();
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const KernelArgument &taken = kernel.arguments[i];
    const StepArgument &given = step.arguments[i];
    if (!taken.isView() && !given.input && !given.scalar.constant()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(int64_t value,
                                  given.scalar.evaluate(symbols));
      launch.arguments[i].word = launch.plan.plan.words[word] = uint64_t(value);
    }
    word += taken.isView() ? 1 + taken.dims.size() + taken.strides.size() : 1;
  }
  return std::ranges::none_of(variants, [](const auto &variant) {
    return variant->formulas().asksScalars();
  });
}

StatusOr<const PreparedLaunch *>
Session::Impl::prepareLaunch(ExecutionPlan &plan, size_t step,
                             const Bindings &symbols) {
  // Enough for what swaps, and for a size that alternates.
  constexpr size_t mostLaunches = 4;
  const StepNode &node = model.tree->nodes[step];
  for (const StepArgument &argument : node.step->arguments)
    if (argument.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(makeRoom(plan, *argument.buffer, symbols));
  std::vector<int64_t> values;
  for (const std::string &symbol : node.symbols)
    values.push_back(symbols.find(symbol)->second);
  std::vector<PreparedLaunch> &known = plan.launches[step];
  PreparedLaunch *similar = nullptr;
  for (PreparedLaunch &launch : known) {
    if (!sizesAgree(node, launch, values))
      continue;
    similar = &launch;
    if (!isCurrent(plan, step, launch))
      continue;
    if (launch.symbols == values)
      return &launch;
    launch.symbols = values;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        bool isDone,
        changeScalars(model.kernels[step], *node.step, symbols, launch));
    if (!isDone)
      TILEWRIGHT_RETURN_IF_ERROR(planStep(plan, step, launch));
    return &launch;
  }
  PreparedLaunch fresh;
  const bool isNew = !similar || similar->symbols != values;
  if (!isNew) {
    fresh = *similar;
  } else {
    fresh.symbols = values;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        fresh.arguments, evaluateArguments(*node.step, plan, symbols, "size"));
  }
  TILEWRIGHT_RETURN_IF_ERROR(changeStep(plan, step, fresh, isNew));
  if (known.size() >= mostLaunches)
    known.pop_back();
  known.insert(known.begin(), std::move(fresh));
  return &known.front();
}

static std::pair<Buffer &, size_t> memoryAt(const Place &place, Buffer &arena) {
  return {place.memory ? *place.memory : arena, place.offset};
}

Status Session::Impl::copyBuffer(const ExecutionPlan &plan, size_t from,
                                 size_t to, size_t bytes) {
  const auto [source, sourceOffset] =
      memoryAt(plan.places[plan.storage[from].root], *arena);
  const auto [target, targetOffset] =
      memoryAt(plan.places[plan.storage[to].root], *arena);
  return stream->copy(target, targetOffset, source, sourceOffset, bytes);
}

Status Session::Impl::readBuffer(const ExecutionPlan &plan, size_t buffer,
                                 void *target, size_t bytes) {
  const auto [source, offset] =
      memoryAt(plan.places[plan.storage[buffer].root], *arena);
  TILEWRIGHT_RETURN_IF_ERROR(stream->copyToHost(target, source, offset, bytes));
  return stream->synchronize();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Status Session::Impl::Run::list(const std::vector<size_t> &steps) {
  const bool hasGraphs =
      tree.hasDecisions && times.empty() && !session.hasNoGraphs;
  for (auto at = steps.begin(); at != steps.end();) {
    const std::optional<size_t> index = tree.nodes[*at].segment;
    if (hasGraphs && index) {
      const StepSegment &next = tree.segments[*index];
      TILEWRIGHT_RETURN_IF_ERROR(segment(next, plan.segments[*index]));
      at += long(next.end - next.begin);
    } else {
      TILEWRIGHT_RETURN_IF_ERROR(step(*at++));
    }
  }
  return {};
}

/// Errors of steps inside have names of their own.
Status Session::Impl::Run::step(size_t number) {
  TILEWRIGHT_RETURN_IF_ERROR(session.checkStop());
  const StepNode &node = tree.nodes[number];
  if (node.step->branch)
    return branch(node);
  if (node.step->loop)
    return loop(node);
  Status done = times.empty() || node.step->check || node.step->read
                    ? work(number)
                    : measure(number);
  return done.ok() || !tree.hasDecisions ? done : done.prefixed(node.name);
}

Status Session::Impl::Run::work(size_t number) {
  const StepManifest &step = *tree.nodes[number].step;
  if (step.copy)
    return move(step.copy->from, step.copy->to);
  if (step.check)
    return runCheck(*step.check, values);
  if (step.read)
    return read(*step.read);
  return launch(number);
}

Status Session::Impl::Run::launch(size_t number) {
  const PreparedLaunch *prepared = nullptr;
  if (tree.hasDecisions) {
    TILEWRIGHT_ASSIGN_OR_RETURN(prepared,
                                session.prepareLaunch(plan, number, values));
  } else {
    prepared = &plan.launches[number].front();
  }
  const VariantPlan &launch = prepared->plan;
  return runtime::launch(*session.stream,
                         *session.model.kernels[number][launch.variant],
                         launch.plan);
}

StatusOr<Session::Impl::Run::Limits>
Session::Impl::Run::limitsOf(const StepSymbol &symbol) {
  Limits limits{0, std::numeric_limits<int64_t>::max()};
  TILEWRIGHT_ASSIGN_OR_RETURN(limits.least, symbol.least.evaluate(values));
  if (symbol.greatest) {
    TILEWRIGHT_ASSIGN_OR_RETURN(limits.greatest,
                                symbol.greatest->evaluate(values));
  }
  return limits;
}

Status Session::Impl::Run::bind(const StepSymbol &symbol, int64_t value,
                                const FixedLimits &fixed) {
  Limits limits{};
  if (fixed) {
    limits = *fixed;
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(limits, limitsOf(symbol));
  }
  const bool isTooSmall = value < limits.least;
  if (isTooSmall || value > limits.greatest)
    return Status::invalidInput(
        format("the size {} is {}, expected at {} {}",
               {symbol.name, value, isTooSmall ? "least" : "most",
                isTooSmall ? limits.least : limits.greatest}));
  values[symbol.name] = value;
  return {};
}

Status Session::Impl::Run::bindAll(const std::vector<StepSymbol> &symbols,
                                   Expression StepSymbol::*which,
                                   const std::vector<FixedLimits> &limits) {
  // Each is of the values from before: they may change places.
  std::vector<int64_t> found;
  for (const StepSymbol &symbol : symbols) {
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t value,
                                (symbol.*which).evaluate(values));
    found.push_back(value);
  }
  for (size_t i = 0; i < symbols.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        bind(symbols[i], found[i], limits.empty() ? FixedLimits() : limits[i]));
  return {};
}

StatusOr<std::vector<Session::Impl::Run::FixedLimits>>
Session::Impl::Run::fixedLimits(const LoopManifest &loop) {
  auto isChanged = [&](const Expression &limit) {
    for (const std::string &name : limit.names())
      for (const StepSymbol &symbol : loop.symbols)
        if (symbol.name == name)
          return true;
    return false;
  };
  std::vector<FixedLimits> limits;
  for (const StepSymbol &symbol : loop.symbols) {
    FixedLimits &known = limits.emplace_back();
    if (isChanged(symbol.least) ||
        (symbol.greatest && isChanged(*symbol.greatest)))
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(known, limitsOf(symbol));
  }
  return limits;
}

Status Session::Impl::Run::read(const ReadManifest &read) {
  int64_t value = 0;
  if (session.model.manifest().buffers[read.buffer].dtype == DType::I32) {
    int32_t narrow = 0;
    TILEWRIGHT_RETURN_IF_ERROR(
        session.readBuffer(plan, read.buffer, &narrow, sizeof(narrow)));
    value = narrow;
  } else {
    TILEWRIGHT_RETURN_IF_ERROR(
        session.readBuffer(plan, read.buffer, &value, sizeof(value)));
  }
  return bind(read.symbol, value);
}

StatusOr<bool> Session::Impl::Run::isTrue(size_t buffer) {
  uint8_t value = 0;
  TILEWRIGHT_RETURN_IF_ERROR(
      session.readBuffer(plan, buffer, &value, sizeof(value)));
  return value != 0;
}

Status Session::Impl::Run::move(size_t from, size_t to, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(session.makeRoom(plan, to, values));
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t expected,
                              session.bytesOf(plan, to, values));
  if (bytes != expected)
    return Status::invalidInput(
        format("copies {} bytes to {} bytes", {bytes, expected}));
  return session.copyBuffer(plan, from, to, bytes);
}

Status Session::Impl::Run::move(size_t from, size_t to) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              session.bytesOf(plan, from, values));
  return move(from, to, bytes);
}

Status Session::Impl::Run::branch(const StepNode &node) {
  const BranchManifest &branch = *node.step->branch;
  StatusOr<bool> condition = isTrue(branch.condition);
  if (!condition.ok())
    return condition.status().prefixed(node.name);
  TILEWRIGHT_RETURN_IF_ERROR(list(*condition ? node.first : node.second));
  Status left = bindAll(branch.symbols,
                        *condition ? &StepSymbol::first : &StepSymbol::second);
  for (const BranchManifest::Result &result : branch.results) {
    const size_t from = *condition ? result.first : result.second;
    if (left.ok() && from != result.buffer)
      left = move(from, result.buffer);
  }
  return left.ok() ? left : left.prefixed(node.name);
}

void Session::Impl::Run::swap(size_t a, size_t b) {
  std::swap(plan.places[a], plan.places[b]);
  if (plan.storage[a].sizing == Sizing::open)
    std::swap(session.memory[a], session.memory[b]);
}

/// The symbols and the carried values of the first iteration.
Status Session::Impl::Run::begin(const LoopManifest &loop) {
  TILEWRIGHT_RETURN_IF_ERROR(bindAll(loop.symbols, &StepSymbol::first));
  for (const LoopManifest::Carried &carried : loop.carried) {
    if (carried.start != carried.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(move(carried.start, carried.buffer));
    TILEWRIGHT_RETURN_IF_ERROR(
        session.makeRoom(plan, carried.buffer, values, /*keeps=*/true));
  }
  return {};
}

/// Those of the iteration that follows.
Status Session::Impl::Run::next(const LoopManifest &loop,
                                const std::vector<FixedLimits> &limits) {
  // What an iteration left has the sizes of before.
  std::vector<size_t> left(loop.carried.size());
  for (size_t i = 0; i < left.size(); ++i) {
    const LoopManifest::Carried &carried = loop.carried[i];
    if (!carried.swaps && carried.next != carried.buffer) {
      TILEWRIGHT_ASSIGN_OR_RETURN(left[i],
                                  session.bytesOf(plan, carried.next, values));
    }
  }
  TILEWRIGHT_RETURN_IF_ERROR(
      bindAll(loop.symbols, &StepSymbol::second, limits));
  for (size_t i = 0; i < left.size(); ++i) {
    const LoopManifest::Carried &carried = loop.carried[i];
    if (carried.swaps)
      swap(carried.buffer, carried.next);
    else if (carried.next == carried.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(
          session.makeRoom(plan, carried.buffer, values, /*keeps=*/true));
    else
      TILEWRIGHT_RETURN_IF_ERROR(move(carried.next, carried.buffer, left[i]));
  }
  return {};
}

/// What is planned for behind a loop has the places of before.
Status Session::Impl::Run::swapBack(const LoopManifest &loop) {
  for (const LoopManifest::Carried &carried : loop.carried) {
    if (!carried.swaps)
      continue;
    swap(carried.buffer, carried.next);
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                                session.bytesOf(plan, carried.buffer, values));
    TILEWRIGHT_RETURN_IF_ERROR(move(carried.next, carried.buffer, bytes));
  }
  return {};
}

Status Session::Impl::Run::loop(const StepNode &node) {
  const LoopManifest &loop = *node.step->loop;
  auto named = [&](Status status) {
    return status.ok() ? status : status.prefixed(node.name);
  };
  int64_t count = INT64_MAX;
  if (loop.count) {
    StatusOr<int64_t> found = loop.count->evaluate(values);
    if (!found.ok())
      return named(found.status());
    count = *found;
  }
  TILEWRIGHT_RETURN_IF_ERROR(named(begin(loop)));
  StatusOr<std::vector<FixedLimits>> limits = fixedLimits(loop);
  if (!limits.ok())
    return named(limits.status());
  int64_t iteration = 0;
  for (; iteration < count; ++iteration) {
    TILEWRIGHT_RETURN_IF_ERROR(named(session.checkStop()));
    if (loop.condition) {
      StatusOr<bool> isOn = isTrue(*loop.condition);
      if (!isOn.ok())
        return named(isOn.status());
      if (!*isOn)
        break;
    }
    TILEWRIGHT_RETURN_IF_ERROR(list(node.first));
    TILEWRIGHT_RETURN_IF_ERROR(named(next(loop, *limits)));
  }
  return iteration % 2 == 0 ? Status() : named(swapBack(loop));
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

Status Session::Impl::Run::measure(size_t number) {
  using Clock = std::chrono::steady_clock;
  Device &device = session.model.device();
  TILEWRIGHT_ASSIGN_OR_RETURN(auto start, device.createEvent());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto end, device.createEvent());
  Clock::time_point before = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(session.stream->record(*start));
  TILEWRIGHT_RETURN_IF_ERROR(work(number));
  TILEWRIGHT_RETURN_IF_ERROR(session.stream->record(*end));
  TILEWRIGHT_RETURN_IF_ERROR(session.stream->synchronize());
  std::chrono::nanoseconds time = Clock::now() - before;
  auto measured = end->since(*start);
  if (measured.ok())
    time = *measured; // Without the way to the device and back.
  else if (measured.status().code() != StatusCode::unsupported)
    return measured.status();
  const StepManifest &step = *tree.nodes[number].step;
  std::optional<StepTime> &sum = times[number];
  if (!sum)
    sum = StepTime{step.copy ? "copy" : step.kernel, step.label, {}, 0};
  sum->time += time;
  ++sum->runs;
  return {};
}

std::vector<StepTime> Session::Impl::Run::takeTimes() {
  std::vector<StepTime> result;
  for (std::optional<StepTime> &time : times)
    if (time)
      result.push_back(*std::move(time));
  return result;
}

} // namespace tilewright::runtime

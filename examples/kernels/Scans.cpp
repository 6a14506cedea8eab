// Reductions and scans of all elements of a tensor.
#include "Check.h"

namespace known {

// kernel: reduction
/// Adds to `total`, which must be 0 before.
static void reduction(View<F32, 1> x, View<F32, 1> total) {
  int64_t block = tunable("block", {512, 1024});
  auto [i] = program(ceilDiv(x.dim(0), block));
  total.reduce(Atomic::add, 0, full<F32>({1}, sum(x.load(i, block))));
}
// end

// kernel: histogram
/// Adds to `counts`, which must be zero before.
static void counted(View<I32, 1> x, View<I32, 1> counts) {
  int64_t block = tunable("block", {512, 1024}), bins = tunable("bins", {32});
  auto [i] = program(ceilDiv(x.dim(0), block));
  auto here = x.inside(i, block);
  counts.reduce(Atomic::add, 0, histogram(x.load(i, block), bins, here));
}
// end

// kernel: scan with decoupled look-back
/// A single pass: instead of a separate launch, a program waits for the sum of
/// all blocks before its own. It publishes the sum of its block (state 1), adds
/// those of the blocks before it, back to one with its whole prefix (state 2),
/// and publishes its own prefix. `states` and `ticket` must be zero before.
static void scanOfAll(View<F32, 1> x, View<F32, 1> y, Pointer<I32> ticket,
                      Pointer<I32> states, Pointer<F32> sums,
                      Pointer<F32> prefixes) {
  int64_t block = tunable("block", {128, 1024});
  (void)program(ceilDiv(x.dim(0), block));
  // Blocks are taken in the order in which programs start: the blocks that one
  // waits for belong to programs that run.
  Index tile = cast<Index>(atomic(Atomic::add, ticket, 1));
  auto t = x.load(tile, block);
  auto own = sum(t);
  Ordering publish = {Order::release, Scope::device};
  store(sums + tile, own);
  store(states + tile, 1, publish);
  auto [before, end] = loopWhile(
      std::tuple(Scalar<F32>(0), tile - 1),
      [](Scalar<F32>, Index at) { return at >= 0; },
      [&](Scalar<F32> before, Index at) {
        auto state = loopWhile(
            Scalar<I32>(0), [](Scalar<I32> s) { return s == 0; },
            [&](Scalar<I32>) { return load(states + at, {Order::acquire}); });
        auto part = when(
            state == 2, [&] { return load(prefixes + at); },
            [&] { return load(sums + at); });
        return std::tuple(part + before, where(state == 2, -1, at - 1));
      });
  store(prefixes + tile, before + own);
  store(states + tile, 2, publish);
  y.store(tile, cumulativeSum(t, axis(0)) + before);
}
// end

static void checkOne(Checker &check, int64_t n) {
  std::string text = std::to_string(n);
  auto x = Checker::noise(n, 60);
  Doubles prefixes, bins(32), numbers;
  double total = 0;
  for (double number : x) {
    prefixes.push_back(total += number);
    int bin = int(number * 64 + 128) % 40; // Some are in no bin.
    numbers.push_back(bin);
    if (bin < 32)
      ++bins[size_t(bin)];
  }
  DeviceTensor X = check.tensor<float>({n}, x);
  check.shape("reduction", text);
  DeviceTensor sum = check.zeros<float>({1});
  check.run(kernel("reduction", reduction), {}, X, sum);
  check.expect<float>(sum, {total}, 1e-5);
  check.shape("histogram", text);
  DeviceTensor counts = check.zeros<int32_t>({32});
  check.run(kernel("counted", counted), {}, check.tensor<int32_t>({n}, numbers),
            counts);
  check.expect<int32_t>(counts, bins);
  check.shape("scan with decoupled look-back", text);
  int64_t blocks = (n + 127) / 128;
  DeviceTensor Y = check.zeros<float>({n});
  auto to = [](const DeviceTensor &x) { return Argument::pointerTo(x); };
  DeviceTensor ticket = check.zeros<int32_t>({1}),
               states = check.zeros<int32_t>({blocks}),
               sums = check.zeros<float>({blocks}),
               known = check.zeros<float>({blocks});
  check.run(kernel("scan", scanOfAll), {{"block", 128}}, X, Y, to(ticket),
            to(states), to(sums), to(known));
  check.expect<float>(Y, prefixes, 1e-5);
}

void checkScans(Checker &check) {
  for (int64_t n : {0, 1, 128, 1000, 2049})
    checkOne(check, n);
}

} // namespace known

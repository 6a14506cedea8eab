// A histogram by programs that take blocks from a queue until it is empty: a
// persistent kernel, with atomic operations and a workspace.
#include "tutorial.h"

using namespace tutorial;

static void countBytes(View<U8, 1> text, View<I32, 1> counts,
                       Pointer<I32> queue) {
  int64_t width = tunable("width", {1024, 256});
  Index blocks = ceilDiv(text.dim(0), width);
  program(blocks);
  persistent(2);
  queue.workspace(1, Zeroed::launch);
  auto take = [&] { return cast<IndexElement>(atomic(Atomic::add, queue, 1)); };
  auto isLeft = [&](Index block) { return block < blocks; };
  loopWhile(take(), isLeft, [&](Index block) {
    // Beyond the end of the text: a number that is no byte.
    auto inside = iota<I32>(width) < cast<I32>(text.dim(0) - block * width);
    auto bytes = where(inside, cast<I32>(text.load(block, width)), -1);
    counts.reduce(Atomic::add, 0, histogram(bytes, 256));
    return take();
  });
}

static Status countText(const DeviceSetup &setup) {
  std::vector<uint8_t> text;
  while (text.size() < 10000)
    for (char c : std::string("the tiles are in the queue, "))
      text.push_back(uint8_t(c));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor bytes,
                              setup.tensor({int64_t(text.size())}, text));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      DeviceTensor counts, setup.tensor({256}, std::vector<int32_t>(256, 0)));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      Executable run, load(kernel("count_bytes", countBytes), *setup.device));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*setup.stream, bytes, counts));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int32_t> found,
                              counts.read<int32_t>(*setup.stream));
  std::printf("of %zu bytes %d are 'e' and %d are 'q'\n", text.size(),
              found['e'], found['q']);
  return {};
}

int main(int argc, char **argv) { return run(argc, argv, countText); }

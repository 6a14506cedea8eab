// Steps between two decisions, as graphs of the device.
#include "runtime/core/SessionRun.h"
#include <algorithm>

namespace tilewright::runtime {

std::vector<uint64_t>
Session::Impl::Run::keyOf(const StepSegment &segment) const {
  std::vector<uint64_t> key;
  for (const std::string &symbol : segment.symbols)
    key.push_back(uint64_t(values.find(symbol)->second));
  for (size_t buffer : segment.buffers)
    key.push_back(session.address(plan, buffer));
  for (size_t input : segment.inputs)
    key.push_back(session.words[input]);
  return key;
}

Status Session::Impl::Run::stepByStep(const StepSegment &segment) {
  for (size_t number = segment.begin; number < segment.end; ++number)
    TILEWRIGHT_RETURN_IF_ERROR(step(number));
  return {};
}

/// Leaves `graph` null if the device has none. Its steps have run: their
/// kernels have workspaces, and nothing allocates.
Status Session::Impl::Run::capture(const StepSegment &segment,
                                   std::shared_ptr<Graph> &graph) {
  Status begun = session.stream->beginCapture();
  if (begun.code() == StatusCode::unsupported) {
    session.hasNoGraphs = true;
    return {};
  }
  TILEWRIGHT_RETURN_IF_ERROR(begun);
  Status enqueued = stepByStep(segment);
  StatusOr<std::shared_ptr<Graph>> made = session.stream->endCapture();
  TILEWRIGHT_RETURN_IF_ERROR(enqueued);
  TILEWRIGHT_ASSIGN_OR_RETURN(graph, std::move(made));
  return {};
}

Status Session::Impl::Run::segment(const StepSegment &segment,
                                   std::vector<SegmentGraph> &known) {
  // Enough for what swaps, and for a size that alternates.
  constexpr size_t mostGraphs = 4;
  const std::string &first = tree.nodes[segment.begin].name;
  for (size_t buffer : segment.buffers) {
    Status room = session.makeRoom(plan, buffer, values);
    if (!room.ok())
      return room.prefixed(first);
  }
  std::vector<uint64_t> key = keyOf(segment);
  auto found = std::ranges::find(known, key, &SegmentGraph::key);
  if (found == known.end()) {
    // Another set may never come again: it is no graph before its second run.
    TILEWRIGHT_RETURN_IF_ERROR(stepByStep(segment));
    if (known.size() >= mostGraphs)
      known.pop_back();
    known.insert(known.begin(), {std::move(key), nullptr});
    return {};
  }
  if (!found->graph) {
    TILEWRIGHT_RETURN_IF_ERROR(capture(segment, found->graph));
    if (!found->graph)
      return stepByStep(segment);
  } else {
    TILEWRIGHT_RETURN_IF_ERROR(session.checkStop());
    for (size_t number = segment.begin; number < segment.end; ++number)
      if (tree.nodes[number].step->check)
        TILEWRIGHT_RETURN_IF_ERROR(step(number));
  }
  Status launched = session.stream->launch(*found->graph);
  return launched.ok() ? launched : launched.prefixed(first);
}

} // namespace tilewright::runtime

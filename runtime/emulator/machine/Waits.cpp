#include "runtime/emulator/machine/Waits.h"
#include "support/Format.h"
#include <cstring>

namespace tilewright::emulator {

template <typename F>
static void eachWarp(const Residents &clusters, F function) {
  for (const std::unique_ptr<Cluster> &cluster : clusters)
    for (const std::unique_ptr<Block> &block : cluster->blocks)
      for (const std::unique_ptr<Warp> &warp : block->warps)
        if (warp)
          function(*warp);
}

void forgetLooks(const Residents &clusters) {
  eachWarp(clusters, [](Warp &warp) { warp.look = nullptr; });
}

/// " (argument 0, 'flag', + 4 bytes)": the pointer among the arguments into the
/// same allocation. Empty: there is none.
static std::string argumentOf(const Launch &launch, uint64_t address) {
  const Allocation *memory = launch.memory->find(address);
  const std::vector<Parameter> &parameters =
      launch.program->kernel().parameters;
  for (size_t i = 0; memory && i < parameters.size(); ++i) {
    uint64_t pointer = 0;
    if (parameters[i].bytes != sizeof(pointer))
      continue;
    std::memcpy(&pointer, launch.parameters.data() + parameters[i].offset,
                sizeof(pointer));
    if (!memory->contains(pointer, 1) || pointer > address)
      continue;
    std::string offset;
    if (pointer != address)
      offset = format(", + {} bytes", {address - pointer});
    return format(" (argument {}, '{}'{})", {i, parameters[i].name, offset});
  }
  return "";
}

/// "warp 1 at line 20", for each group of lanes; with its block, if `named`.
static void addPositions(const Warp &warp, bool named,
                         std::vector<std::string> &texts) {
  const Dim3 &block = warp.block->location.blockIndex;
  std::string who = format("warp {}", {warp.index});
  if (named)
    who = format("block {},{},{} {}", {block[0], block[1], block[2], who});
  if (warp.look) {
    texts.push_back(format("{} looks at {:#x}{} at line {}",
                           {who, warp.lookedAt,
                            argumentOf(*warp.block->launch, warp.lookedAt),
                            warp.look->at.line}));
    return;
  }
  auto add = [&](const LaneGroup &group) {
    texts.push_back(
        format("{} at line {}",
               {who, group.frame->function->code[group.index].at.line}));
  };
  for (const LaneGroup &group : warp.others)
    add(group);
  if (warp.group.lanes)
    add(warp.group);
}

void reportWaits(const Residents &clusters, FaultCode code, std::string why,
                 const std::string &behind) {
  constexpr size_t most = 8;
  const bool named = clusters.size() > 1 || clusters.front()->blocks.size() > 1;
  std::vector<std::string> texts;
  Warp *first = nullptr;
  eachWarp(clusters, [&](Warp &warp) {
    addPositions(warp, named, texts);
    if (!first || (!first->look && warp.look))
      first = &warp;
  });
  if (!first)
    return;
  for (size_t i = 0; i < std::min(texts.size(), most); ++i)
    why += (i ? "; " : " ") + texts[i];
  if (texts.size() > most)
    why += format("; and {} more", {texts.size() - most});
  why += behind;
  if (!first->others.empty())
    first->group = first->others.front();
  const LaneGroup &group = first->group;
  const Instruction &stands = group.frame->function->code[group.index];
  fail(*first, first->look ? *first->look : stands, code, std::move(why), 0,
       first->look ? first->lookedAt : 0);
}

} // namespace tilewright::emulator

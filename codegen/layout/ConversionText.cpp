//===- ConversionText.cpp - Conversion plans for a reader -----------------===//
#include "codegen/layout/Conversion.h"
#include "support/Format.h"

namespace tilewright::layout {

static std::string roundText(const ConversionPlan &plan, const Round &round) {
  std::string text = format("  register {}", {round.receive.constant});
  bool varies = round.receive.linear.rank() != 0;
  text += varies ? " + f(thread)" : "";
  text += format(" from register {}", {round.send.constant});
  text += round.send.linear.rank() ? " + g(thread)" : "";
  if (!round.crossesLanes)
    text += " of the same thread";
  else if (round.isXor)
    text += format(" of lane ^ {}", {round.xorMask});
  else
    text += " of a lane by index";
  if (round.reject.linear.rank() || round.reject.constant)
    text += ", kept by some lanes";
  if (plan.pairs.size() > 1)
    text +=
        ", with " + counted(int64_t(plan.pairs.size()) - 1, "more register");
  return text + "\n";
}

static std::string accessText(const char *what, const LinearAccess &access,
                              int64_t wavefronts) {
  return format("  {}: {} of {}, {} each, {} a warp\n",
                {what,
                 counted(int64_t(access.xorOffsets.size()), "instruction"),
                 counted(access.elements, "element"),
                 counted(access.wavefrontsEach, "wavefront"), wavefronts});
}

std::string print(const ConversionPlan &plan) {
  std::string text(conversionKindName(plan.kind));
  if (!plan.reason.empty())
    text += ": " + plan.reason;
  text += "\n";
  if (plan.frame.repeatCount() > 1)
    text += format("  for each of {}:\n",
                   {counted(plan.frame.repeatCount(), "repeat")});
  if (plan.shuffles)
    text +=
        format("  {} a thread in all\n", {counted(plan.shuffles, "shuffle")});
  for (const Round &round : plan.rounds)
    text += roundText(plan, round);
  if (plan.kind == ConversionKind::shared) {
    const SharedExchange &shared = plan.shared;
    if (plan.isByElement)
      return text + format("  {} of shared memory, element by element\n",
                           {counted(shared.bytes, "byte")});
    int64_t passes = (plan.frame.repeatCount() - 1) / shared.repeatsPerPass + 1;
    text += format("  {} of shared memory, {} {}\n",
                   {counted(shared.bytes, "byte"), passes,
                    passes == 1 ? "pass" : "passes"});
    text += accessText("store", shared.store, shared.storeWavefronts);
    text += accessText("load", shared.load, shared.loadWavefronts);
  }
  return text;
}

} // namespace tilewright::layout

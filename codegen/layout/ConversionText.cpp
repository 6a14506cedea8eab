//===- ConversionText.cpp - Conversion plans for a reader -----------------===//
#include "codegen/layout/Conversion.h"

namespace tilewright::layout {

static std::string count(int64_t number, const std::string &word) {
  return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

static std::string roundText(const ConversionPlan &plan, const Round &round) {
  std::string text = "  register " + std::to_string(round.receive.constant);
  bool varies = round.receive.linear.rank() != 0;
  text += varies ? " + f(thread)" : "";
  text += " from register " + std::to_string(round.send.constant);
  text += round.send.linear.rank() ? " + g(thread)" : "";
  if (!round.crossesLanes)
    text += " of the same thread";
  else if (round.isXor)
    text += " of lane ^ " + std::to_string(round.xorMask);
  else
    text += " of a lane by index";
  if (round.reject.linear.rank() || round.reject.constant)
    text += ", kept by some lanes";
  if (plan.pairs.size() > 1)
    text += ", with " + count(int64_t(plan.pairs.size()) - 1, "more register");
  return text + "\n";
}

static std::string accessText(const char *what, const LinearAccess &access,
                              int64_t wavefronts) {
  return std::string("  ") + what + ": " +
         count(int64_t(access.xorOffsets.size()), "instruction") + " of " +
         count(access.elements, "element") + ", " +
         count(access.wavefrontsEach, "wavefront") + " each, " +
         std::to_string(wavefronts) + " a warp\n";
}

std::string print(const ConversionPlan &plan) {
  std::string text(conversionKindName(plan.kind));
  if (!plan.reason.empty())
    text += ": " + plan.reason;
  text += "\n";
  if (plan.frame.repeatCount() > 1)
    text +=
        "  for each of " + count(plan.frame.repeatCount(), "repeat") + ":\n";
  if (plan.shuffles)
    text += "  " + count(plan.shuffles, "shuffle") + " a thread in all\n";
  for (const Round &round : plan.rounds)
    text += roundText(plan, round);
  if (plan.kind == ConversionKind::shared) {
    const SharedExchange &shared = plan.shared;
    int64_t passes = (plan.frame.repeatCount() - 1) / shared.repeatsPerPass + 1;
    text += "  " + count(shared.bytes, "byte") + " of shared memory, " +
            std::to_string(passes) + (passes == 1 ? " pass\n" : " passes\n");
    text += accessText("store", shared.store, shared.storeWavefronts);
    text += accessText("load", shared.load, shared.loadWavefronts);
  }
  return text;
}

} // namespace tilewright::layout

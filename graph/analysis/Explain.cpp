//===- Explain.cpp - The fusion plan, for people and for tools ------------===//
#include "graph/analysis/Explain.h"

#include "graph/analysis/Blocks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::graph {

static std::string rootName(const Group &group) {
  return describeOp(group.root ? group.root : group.last);
}

/// The ops whose values the kernel stores.
static std::vector<std::string> storedNames(const Group &group) {
  std::vector<std::string> names;
  for (Value result : group.results())
    if (std::string name = describeOp(result.getDefiningOp());
        !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return names;
}

std::string explainText(ArrayRef<Group> groups, int64_t nodeCount) {
  size_t kernels = 0;
  for (const Group &group : groups)
    kernels += group.kernelCount();
  std::string text =
      llvm::formatv("{0} nodes -> {1} kernels\n", nodeCount, kernels);
  for (auto [number, group] : llvm::enumerate(groups)) {
    text += llvm::formatv("{0,4}  root {1}\n", number, rootName(group));
    if (group.kernelCount() > 1)
      text += llvm::formatv("        {0} kernels{1}\n", group.kernelCount(),
                            group.isConcat ? ", for its inputs" : "");
    if (std::vector<std::string> stored = storedNames(group); stored.size() > 1)
      text += "        stores  " + llvm::join(stored, ", ") + "\n";
    for (const FusionDecision &decision : group.decisions)
      text += llvm::formatv("        {0}  {1,-32} {2}\n",
                            decision.taken ? "took" : "left", decision.op,
                            decision.reason);
  }
  return text;
}

llvm::json::Value explainJson(ArrayRef<Group> groups, int64_t nodeCount) {
  llvm::json::Array kernels;
  for (auto [number, group] : llvm::enumerate(groups)) {
    llvm::json::Array ops, stored, decisions;
    for (const std::string &name : nodesOf(group))
      ops.push_back(name);
    for (const std::string &name : storedNames(group))
      stored.push_back(name);
    for (const FusionDecision &decision : group.decisions)
      decisions.push_back(llvm::json::Object{{"op", decision.op},
                                             {"taken", decision.taken},
                                             {"reason", decision.reason}});
    kernels.push_back(
        llvm::json::Object{{"number", static_cast<int64_t>(number)},
                           {"root", rootName(group)},
                           {"count", static_cast<int64_t>(group.kernelCount())},
                           {"ops", std::move(ops)},
                           {"stores", std::move(stored)},
                           {"decisions", std::move(decisions)}});
  }
  return llvm::json::Object{{"nodes", nodeCount},
                            {"kernels", std::move(kernels)}};
}

std::vector<LoopDecision> loopsOf(func::FuncOp func) {
  std::vector<LoopDecision> loops;
  for (auto loop : graphOps<scf::ForOp>(func)) {
    auto reason = loop->getAttrOfType<StringAttr>(kNoKernelAttr);
    loops.push_back({describeOp(loop), reason ? reason.str() : ""});
  }
  return loops;
}

std::string explainText(ArrayRef<LoopDecision> loops) {
  std::string text;
  for (const LoopDecision &loop : loops)
    text += "loop " + loop.node + ": " +
            (loop.reason.empty() ? "one kernel"
                                 : "a launch of each kernel in each "
                                   "iteration: " +
                                       loop.reason) +
            "\n";
  return text;
}

llvm::json::Value explainJson(ArrayRef<LoopDecision> loops) {
  llvm::json::Array all;
  for (const LoopDecision &loop : loops)
    all.push_back(llvm::json::Object{{"node", loop.node},
                                     {"kernel", loop.reason.empty()},
                                     {"reason", loop.reason}});
  return all;
}

} // namespace tilewright::graph

//===- EvidenceReport.cpp - Evidence as tables ----------------------------===//
#include "support/Format.h"
#include "tools/tilewright/Evidence.h"
#include "tools/tilewright/Report.h"

#include <algorithm>
#include <set>

namespace tilewright::tool {

/// "12.5 %".
static std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share > 0 && share < 0.001 ? "%.2g" : "%.3g",
                share * 100);
  return std::string(text) + " %";
}

/// Each reason once, with how many passes of how many kernels have it.
static void printUnchecked(const std::vector<KernelRecord> &kernels) {
  std::map<std::string, std::pair<size_t, size_t>> reasons;
  for (const KernelRecord &kernel : kernels) {
    std::set<std::string> own;
    for (const PassRecord &pass : kernel.passes)
      if (pass.evidence == "unchecked") {
        ++reasons[pass.reason].first;
        own.insert(pass.reason);
      }
    for (const std::string &reason : own)
      ++reasons[reason].second;
  }
  for (const auto &[reason, count] : reasons)
    std::printf("  unchecked: %zu passes of %zu kernels: %s\n", count.first,
                count.second, printable(reason).c_str());
}

static void printKernel(const KernelRecord &kernel, int width) {
  const std::string name = printable(kernel.kernel);
  if (!kernel.sameAs.empty())
    std::printf("  %-*s  as %s\n", width, name.c_str(),
                printable(kernel.sameAs).c_str());
  else
    std::printf("  %-*s  %6lld %9lld %9lld %4lld %s%s\n", width, name.c_str(),
                static_cast<long long>(kernel.tested),
                static_cast<long long>(kernel.unchanged),
                static_cast<long long>(kernel.unchecked),
                static_cast<long long>(kernel.cases),
                percent(kernel.share).c_str(),
                kernel.verdict == "different" ? "  different" : "");
  if (!kernel.reason.empty())
    std::printf("    %s\n", printable(kernel.reason).c_str());
}

void print(const std::vector<KernelRecord> &kernels, const std::string &title) {
  const auto judged =
      std::ranges::count_if(kernels, [](const KernelRecord &kernel) {
        return kernel.verdict != "unchecked";
      });
  std::printf("%s, %lld of %zu kernels tested\n", title.c_str(),
              static_cast<long long>(judged), kernels.size());
  size_t width = 6;
  for (const KernelRecord &kernel : kernels)
    width = std::max(width, printable(kernel.kernel).size());
  std::printf("  %-*s  tested unchanged unchecked runs share\n", int(width),
              "kernel");
  for (const KernelRecord &kernel : kernels)
    printKernel(kernel, int(width));
  printUnchecked(kernels);
}

void print(const ImportRecord &import) {
  const PassRecord &record = import.record;
  std::printf(
      "import: %s%s%s\n", printable(import.verdict).c_str(),
      record.evidence == "tested"
          ? format(", {}, {} runs of {}",
                   {record.relation, record.cases, printable(import.oracle)})
                .c_str()
          : "",
      record.reason.empty() ? "" : (": " + printable(record.reason)).c_str());
}

/// Files that are not what was verified: changed, gone or new.
static std::vector<std::string>
changedFiles(const std::map<std::string, std::string> &verified,
             const std::map<std::string, std::string> &now) {
  std::vector<std::string> changed;
  for (const auto &[path, hash] : verified)
    if (auto found = now.find(path);
        found == now.end() || found->second != hash)
      changed.push_back(path);
  for (const auto &[path, hash] : now)
    if (!verified.count(path))
      changed.push_back(path);
  return changed;
}

static void print(const Evidence &evidence,
                  const std::vector<std::string> &changed,
                  const std::set<std::string> &unverified) {
  std::printf(
      "verified %s by %s\n  model %s, %s\n", printable(evidence.date).c_str(),
      printable(evidence.producer).c_str(), printable(evidence.model).c_str(),
      printable(evidence.modelHash).c_str());
  for (const std::string &path : changed)
    std::printf("stale: %s is not what was verified\n",
                printable(path).c_str());
  if (evidence.import)
    print(*evidence.import);
  for (const TargetRecord &target : evidence.targets) {
    print(target.kernels, printable(target.target + ": " + target.verdict));
    if (!target.guilty.empty())
      std::printf("  guilty: %s\n", printable(target.guilty).c_str());
    for (const std::string &each : target.unchecked)
      std::printf("  unchecked: %s\n", printable(each).c_str());
  }
  for (const std::string &target : unverified)
    std::printf("%s: not verified\n", printable(target).c_str());
}

int inspectEvidence(const std::filesystem::path &package, bool json) {
  const StatusOr<Evidence> evidence = readEvidence(package);
  if (!evidence.ok())
    return fail(evidence.status());
  const auto now = hashFiles(package);
  if (!now.ok())
    return fail(now.status());
  const std::vector<std::string> changed = changedFiles(evidence->files, *now);
  StatusOr<std::set<std::string>> unverified = packageTargets(package);
  if (!unverified.ok())
    return fail(unverified.status());
  for (const TargetRecord &target : evidence->targets)
    unverified->erase(target.target);
  if (json)
    printObject({{"stale", !changed.empty()},
                 {"changed", changed},
                 {"not_verified", *unverified},
                 {"evidence", toJson(*evidence)}});
  else
    print(*evidence, changed, *unverified);
  return changed.empty() ? exitGood : exitFinding;
}

} // namespace tilewright::tool

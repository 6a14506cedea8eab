//===- VerifyKernels.cpp - Evidence of passes and kernels -----------------===//
#include "tools/tilewright/VerifyKernels.h"

#include "support/Format.h"
#include "tools/tilewright/Report.h"

#include <algorithm>

namespace tilewright::tool {

using verify::KernelEvidence;
using verify::PassEvidence;
using Json = nlohmann::ordered_json;
using Kind = PassEvidence::Kind;

//===--- Passes -----------------------------------------------------------===//

static std::string_view kindText(Kind kind) {
  static constexpr std::string_view names[] = {"unchanged", "tested",
                                               "unchecked"};
  return names[size_t(kind)];
}

Json toJson(const std::vector<PassEvidence> &passes) {
  Json list = Json::array();
  for (const PassEvidence &evidence : passes) {
    Json &object =
        list.emplace_back(Json{{"pass", evidence.pass},
                               {"relation", evidence.relation.text()},
                               {"evidence", kindText(evidence.kind)}});
    if (evidence.kind == Kind::tested)
      object["cases"] = evidence.cases;
    if (evidence.kind == Kind::tested && evidence.share < 1)
      object["share"] = evidence.share;
    if (!evidence.reason.empty())
      object["reason"] = evidence.reason;
  }
  return list;
}

void print(const std::vector<PassEvidence> &passes, const std::string &title) {
  const auto tested =
      std::ranges::count(passes, Kind::tested, &PassEvidence::kind);
  std::printf("%s, %lld of %zu passes tested\n", title.c_str(),
              static_cast<long long>(tested), passes.size());
  for (const PassEvidence &evidence : passes)
    if (evidence.kind != Kind::unchanged)
      std::printf("  %-28s %-14s %s\n", evidence.pass.c_str(),
                  evidence.relation.text().c_str(),
                  evidence.kind == Kind::tested
                      ? format("{} runs", {evidence.cases}).c_str()
                      : ("unchecked: " + printable(evidence.reason)).c_str());
}

//===--- Kernels ----------------------------------------------------------===//

Json toJson(const std::vector<KernelEvidence> &kernels) {
  Json list = Json::array();
  for (const KernelEvidence &kernel : kernels) {
    Json &object = list.emplace_back(Json{{"kernel", kernel.kernel}});
    if (!kernel.reason.empty())
      object["reason"] = kernel.reason;
    if (!kernel.sameAs.empty()) {
      object["same_as"] = kernel.sameAs;
      continue;
    }
    for (const Kind kind : {Kind::tested, Kind::unchanged, Kind::unchecked})
      object[std::string(kindText(kind))] = kernel.count(kind);
    object["cases"] = kernel.cases();
    object["share"] = kernel.share();
    object["passes"] = toJson(kernel.passes);
  }
  return list;
}

/// "12.5 %".
static std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share > 0 && share < 0.001 ? "%.2g" : "%.3g",
                share * 100);
  return std::string(text) + " %";
}

/// Each reason once, with how many passes of how many kernels have it.
static void printUnchecked(const std::vector<KernelEvidence> &kernels) {
  std::map<std::string, std::pair<size_t, size_t>> reasons;
  for (const KernelEvidence &kernel : kernels) {
    std::set<std::string> own;
    for (const PassEvidence &evidence : kernel.passes)
      if (evidence.kind == Kind::unchecked) {
        ++reasons[evidence.reason].first;
        own.insert(evidence.reason);
      }
    for (const std::string &reason : own)
      ++reasons[reason].second;
  }
  for (const auto &[reason, count] : reasons)
    std::printf("  unchecked: %zu passes of %zu kernels: %s\n", count.first,
                count.second, printable(reason).c_str());
}

void print(const std::vector<KernelEvidence> &kernels,
           const std::string &title) {
  const auto judged = std::ranges::count_if(kernels, [](const auto &kernel) {
    return kernel.cases() > 0 || !kernel.sameAs.empty();
  });
  std::printf("%s, %lld of %zu kernels tested\n", title.c_str(),
              static_cast<long long>(judged), kernels.size());
  size_t width = 6;
  for (const KernelEvidence &kernel : kernels)
    width = std::max(width, printable(kernel.kernel).size());
  std::printf("  %-*s  tested unchanged unchecked runs share\n", int(width),
              "kernel");
  for (const KernelEvidence &kernel : kernels) {
    const std::string name = printable(kernel.kernel);
    if (!kernel.sameAs.empty())
      std::printf("  %-*s  as %s\n", int(width), name.c_str(),
                  printable(kernel.sameAs).c_str());
    else
      std::printf("  %-*s  %6lld %9lld %9lld %4lld %s\n", int(width),
                  name.c_str(),
                  static_cast<long long>(kernel.count(Kind::tested)),
                  static_cast<long long>(kernel.count(Kind::unchanged)),
                  static_cast<long long>(kernel.count(Kind::unchecked)),
                  static_cast<long long>(kernel.cases()),
                  percent(kernel.share()).c_str());
    if (!kernel.reason.empty())
      std::printf("    %s\n", printable(kernel.reason).c_str());
  }
  printUnchecked(kernels);
}

} // namespace tilewright::tool

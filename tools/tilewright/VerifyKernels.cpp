//===- VerifyKernels.cpp - Evidence of passes and kernels -----------------===//
#include "tools/tilewright/VerifyKernels.h"

#include "support/Format.h"
#include "tools/tilewright/Report.h"

#include <algorithm>
#include <set>

namespace tilewright::tool {

using verify::KernelEvidence;
using verify::PassEvidence;
using Kind = PassEvidence::Kind;

//===--- Passes -----------------------------------------------------------===//

static std::string kindText(Kind kind) {
  static constexpr std::string_view names[] = {"unchanged", "tested",
                                               "unchecked"};
  return std::string(names[size_t(kind)]);
}

std::vector<PassRecord> recordsOf(const std::vector<PassEvidence> &passes) {
  std::vector<PassRecord> records;
  for (const PassEvidence &pass : passes)
    records.push_back({pass.pass, pass.relation.text(), kindText(pass.kind),
                       pass.isDeclared, pass.cases, pass.share, pass.reason});
  return records;
}

void print(const std::vector<PassEvidence> &passes, const std::string &title) {
  const auto tested =
      std::ranges::count(passes, Kind::tested, &PassEvidence::kind);
  std::printf("%s, %lld of %zu passes tested\n", title.c_str(),
              static_cast<long long>(tested), passes.size());
  for (const PassEvidence &evidence : passes)
    if (evidence.kind != Kind::unchanged)
      std::printf("  %-28s %-14s %s%s\n", evidence.pass.c_str(),
                  evidence.relation.text().c_str(),
                  evidence.kind == Kind::tested
                      ? format("{} runs", {evidence.cases}).c_str()
                      : ("unchecked: " + printable(evidence.reason)).c_str(),
                  evidence.isDeclared ? "" : "; declares no relation");
}

//===--- Kernels ----------------------------------------------------------===//

static KernelRecord recordOf(const KernelEvidence &kernel) {
  KernelRecord record;
  record.kernel = kernel.kernel;
  record.verdict = kernel.cases() > 0 ? "equivalent" : "unchecked";
  record.sameAs = kernel.sameAs;
  record.reason = kernel.reason;
  record.tested = kernel.count(Kind::tested);
  record.unchanged = kernel.count(Kind::unchanged);
  record.unchecked = kernel.count(Kind::unchecked);
  record.cases = kernel.cases();
  record.share = kernel.share();
  record.passes = recordsOf(kernel.passes);
  return record;
}

std::vector<KernelRecord> recordsOf(const verify::ModelVerdict &verdict) {
  std::vector<KernelRecord> records;
  std::map<std::string, std::string> verdicts;
  for (size_t i = 0; i < verdict.kernels.size(); ++i) {
    KernelRecord &record = records.emplace_back(recordOf(verdict.kernels[i]));
    if (verdict.guiltyKernel == i)
      record.verdict = "different";
    if (!record.sameAs.empty())
      record.verdict = verdicts[record.sameAs];
    verdicts[record.kernel] = record.verdict;
  }
  return records;
}

StatusOr<std::vector<KernelRecord>>
kernelsOfWhole(const std::string &package, const std::string &target,
               const verify::LevelsVerdict &levels) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto loaded, runtime::Package::load(package));
  KernelEvidence model;
  model.passes = levels.passes;
  KernelRecord record = recordOf(model);
  if (levels.guilty)
    record.verdict = "different";
  std::vector<KernelRecord> records;
  std::set<std::string> known;
  for (const runtime::KernelManifest &kernel : loaded->manifest().kernels)
    if (kernel.target == target && known.insert(kernel.name).second) {
      record.kernel = kernel.name;
      records.push_back(record);
    }
  return records;
}

} // namespace tilewright::tool

//===- Evidence.cpp - What was verified of a package ----------------------===//
#include "tools/tilewright/Evidence.h"

#include "runtime/abi/Json.h"
#include "runtime/core/Hash.h"
#include "support/Format.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/MappedFile.h"

namespace tilewright::tool {

using runtime::Json;
using runtime::JsonCursor;

static constexpr const char *evidenceName = "evidence.json";
static constexpr const char *manifestName = "manifest.json";
/// Versions of the format, and the largest file that is read.
static constexpr int64_t formatVersion = 1;
static constexpr size_t mostBytes = size_t(64) << 20;

//===--- Hashes -----------------------------------------------------------===//

StatusOr<std::string> hashFile(const std::filesystem::path &file) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto mapped, runtime::MappedFile::open(file));
  return runtime::hashText(mapped->bytes());
}

static StatusOr<runtime::PackageManifest>
readManifest(const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(const std::string text,
                              runtime::readFile(package / manifestName));
  StatusOr<runtime::PackageManifest> manifest =
      runtime::parsePackageManifest(text);
  if (!manifest.ok())
    return manifest.status().prefixed((package / manifestName).string());
  return manifest;
}

StatusOr<std::set<std::string>>
packageTargets(const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto manifest, readManifest(package));
  std::set<std::string> targets;
  for (const runtime::KernelManifest &kernel : manifest.kernels)
    targets.insert(kernel.target);
  return targets;
}

StatusOr<std::map<std::string, std::string>>
hashFiles(const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto manifest, readManifest(package));
  std::map<std::string, std::string> hashes;
  TILEWRIGHT_ASSIGN_OR_RETURN(hashes[manifestName],
                              hashFile(package / manifestName));
  for (const runtime::KernelManifest &kernel : manifest.kernels) {
    StatusOr<std::string> hash = hashFile(package / kernel.image);
    if (hash.ok())
      hashes[kernel.image] = *std::move(hash);
    else if (hash.status().code() != StatusCode::notFound)
      return hash.status();
  }
  return hashes;
}

//===--- Writing ----------------------------------------------------------===//

Json toJson(const std::vector<PassRecord> &passes) {
  Json list = Json::array();
  for (const PassRecord &pass : passes) {
    Json &object = list.emplace_back(Json{{"pass", pass.pass},
                                          {"relation", pass.relation},
                                          {"evidence", pass.evidence}});
    if (!pass.isDeclared)
      object["declared"] = false;
    if (pass.evidence == "tested")
      object["cases"] = pass.cases;
    if (pass.evidence == "tested" && pass.share < 1)
      object["share"] = pass.share;
    if (!pass.reason.empty())
      object["reason"] = pass.reason;
  }
  return list;
}

Json toJson(const ImportRecord &import) {
  Json object = {{"oracle", import.oracle}, {"verdict", import.verdict}};
  object.update(toJson(std::vector<PassRecord>{import.record})[0]);
  object.erase("pass");
  return object;
}

Json toJson(const std::vector<KernelRecord> &kernels) {
  Json list = Json::array();
  for (const KernelRecord &kernel : kernels) {
    Json &object = list.emplace_back(
        Json{{"kernel", kernel.kernel}, {"verdict", kernel.verdict}});
    if (!kernel.reason.empty())
      object["reason"] = kernel.reason;
    if (!kernel.sameAs.empty()) {
      object["same_as"] = kernel.sameAs;
      continue;
    }
    // No more is claimed.
    object["strength"] = "tested";
    object["tested"] = kernel.tested;
    object["unchanged"] = kernel.unchanged;
    object["unchecked"] = kernel.unchecked;
    object["cases"] = kernel.cases;
    object["share"] = kernel.share;
    object["passes"] = toJson(kernel.passes);
  }
  return list;
}

Json toJson(const Evidence &evidence) {
  Json targets = Json::array();
  for (const TargetRecord &target : evidence.targets) {
    Json &object = targets.emplace_back(
        Json{{"target", target.target}, {"verdict", target.verdict}});
    if (!target.guilty.empty())
      object["guilty"] = target.guilty;
    object["kernels"] = toJson(target.kernels);
    object["unchecked"] = target.unchecked;
  }
  Json object = {
      {"tilewright_evidence", formatVersion},
      {"producer", evidence.producer},
      {"date", evidence.date},
      {"model", {{"file", evidence.model}, {"hash", evidence.modelHash}}},
      {"files", evidence.files}};
  if (evidence.import)
    object["import"] = toJson(*evidence.import);
  object["targets"] = std::move(targets);
  return object;
}

Status writeEvidence(const Evidence &evidence,
                     const std::filesystem::path &package) {
  return runtime::writeFile(package / evidenceName,
                            runtime::printJson(toJson(evidence)));
}

//===--- Reading ----------------------------------------------------------===//

/// One of some words.
static std::string wordOf(const JsonCursor &cursor,
                          std::initializer_list<std::string_view> words) {
  std::string word = cursor.string(), all;
  for (std::string_view each : words) {
    if (word == each)
      return word;
    all += (all.empty() ? "'" : ", '") + std::string(each) + "'";
  }
  cursor.expected("one of " + all);
  return word;
}

static double shareOf(const JsonCursor &cursor) {
  const double share = cursor.real();
  if (!(share >= 0 && share <= 1))
    cursor.expected("a number from 0 to 1");
  return share;
}

/// What is known of a pass, but for its name.
static PassRecord readRecord(const JsonCursor &cursor) {
  PassRecord pass;
  pass.relation = cursor.at("relation").string();
  pass.evidence =
      wordOf(cursor.at("evidence"), {"unchanged", "tested", "unchecked"});
  if (cursor.has("declared"))
    pass.isDeclared = cursor.at("declared").boolean();
  if (cursor.has("cases"))
    pass.cases = cursor.at("cases").integer(0);
  if (cursor.has("share"))
    pass.share = shareOf(cursor.at("share"));
  if (cursor.has("reason"))
    pass.reason = cursor.at("reason").string();
  return pass;
}

static PassRecord readPass(const JsonCursor &cursor) {
  cursor.allowOnly(
      {"pass", "relation", "evidence", "declared", "cases", "share", "reason"});
  PassRecord pass = readRecord(cursor);
  pass.pass = cursor.at("pass").string();
  return pass;
}

static constexpr std::initializer_list<std::string_view> verdicts = {
    "equivalent", "different", "unchecked"};

static ImportRecord readImport(const JsonCursor &cursor) {
  cursor.allowOnly({"oracle", "verdict", "relation", "evidence", "cases",
                    "share", "reason"});
  return {cursor.at("oracle").string(), wordOf(cursor.at("verdict"), verdicts),
          readRecord(cursor)};
}

static KernelRecord readKernel(const JsonCursor &cursor) {
  cursor.allowOnly({"kernel", "verdict", "reason", "same_as", "strength",
                    "tested", "unchanged", "unchecked", "cases", "share",
                    "passes"});
  KernelRecord kernel;
  kernel.kernel = cursor.at("kernel").string();
  kernel.verdict = wordOf(cursor.at("verdict"), verdicts);
  if (cursor.has("reason"))
    kernel.reason = cursor.at("reason").string();
  if (cursor.has("same_as")) {
    kernel.sameAs = cursor.at("same_as").string();
    return kernel;
  }
  wordOf(cursor.at("strength"), {"tested"});
  kernel.tested = cursor.at("tested").integer(0);
  kernel.unchanged = cursor.at("unchanged").integer(0);
  kernel.unchecked = cursor.at("unchecked").integer(0);
  kernel.cases = cursor.at("cases").integer(0);
  kernel.share = shareOf(cursor.at("share"));
  for (const JsonCursor &pass : cursor.at("passes").elements())
    kernel.passes.push_back(readPass(pass));
  return kernel;
}

static TargetRecord readTarget(const JsonCursor &cursor) {
  cursor.allowOnly({"target", "verdict", "guilty", "kernels", "unchecked"});
  TargetRecord target;
  target.target = cursor.at("target").string();
  target.verdict = wordOf(cursor.at("verdict"), verdicts);
  if (cursor.has("guilty"))
    target.guilty = cursor.at("guilty").string();
  for (const JsonCursor &kernel : cursor.at("kernels").elements())
    target.kernels.push_back(readKernel(kernel));
  for (const JsonCursor &each : cursor.at("unchecked").elements())
    target.unchecked.push_back(each.string());
  return target;
}

static Evidence readAll(const JsonCursor &cursor) {
  Evidence evidence;
  if (cursor.at("tilewright_evidence").integer() != formatVersion)
    cursor.at("tilewright_evidence")
        .expected(format("version {} of the format", {formatVersion}));
  cursor.allowOnly({"tilewright_evidence", "producer", "date", "model", "files",
                    "import", "targets"});
  evidence.producer = cursor.at("producer").string();
  evidence.date = cursor.at("date").string();
  evidence.model = cursor.at("model").at("file").string();
  evidence.modelHash = cursor.at("model").at("hash").string();
  for (const auto &[path, hash] : cursor.at("files").members())
    evidence.files[path] = hash.string();
  if (cursor.has("import"))
    evidence.import = readImport(cursor.at("import"));
  for (const JsonCursor &target : cursor.at("targets").elements())
    evidence.targets.push_back(readTarget(target));
  return evidence;
}

StatusOr<Evidence> readEvidence(const std::filesystem::path &package) {
  const std::filesystem::path path = package / evidenceName;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return Status::notFound(
        format("{}: has no {}; tilewright verify MODEL --evidence {} writes it",
               {package.string(), evidenceName, package.string()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto mapped, runtime::MappedFile::open(path));
  const std::span<const std::byte> bytes = mapped->bytes();
  if (bytes.size() > mostBytes)
    return Status::invalidInput(
        format("{}: has {} bytes, expected at most {}",
               {path.string(), bytes.size(), mostBytes}));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      const Json json,
      runtime::parseJson(
          {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
          path.string()));
  Status failure;
  Evidence evidence = readAll(JsonCursor(json, "", failure));
  if (!failure.ok())
    return failure.prefixed(path.string());
  return evidence;
}

} // namespace tilewright::tool

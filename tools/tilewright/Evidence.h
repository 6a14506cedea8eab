//===- Evidence.h - What was verified of a package --------------*- C++ -*-===//
//
// The file evidence.json in a package (docs/package-format.md#evidence).
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_EVIDENCE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_EVIDENCE_H

#include "tilewright/support/Status.h"
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewright::tool {

/// What is known of one pass.
struct PassRecord {
  /// "unchanged", "tested" or "unchecked".
  std::string pass, relation, evidence;
  /// Whether the pass declares the relation. One of a plug-in may not.
  bool isDeclared = true;
  int64_t cases = 0;
  double share = 1;
  std::string reason;
};

/// What is known of one kernel for one target.
struct KernelRecord {
  std::string kernel;
  /// "equivalent", "different" or "unchecked".
  std::string verdict;
  /// An equal kernel, with which it was judged.
  std::string sameAs;
  /// Why a part of it was not judged.
  std::string reason;
  /// Passes of each kind, and the fewest runs and the least share of one that
  /// is tested.
  int64_t tested = 0, unchanged = 0, unchecked = 0, cases = 0;
  double share = 0;
  std::vector<PassRecord> passes;
};

struct TargetRecord {
  std::string target, verdict;
  /// The pass at fault; empty: none.
  std::string guilty;
  std::vector<KernelRecord> kernels;
  /// What nobody judged.
  std::vector<std::string> unchecked;
};

/// What is known of the import of a model.
struct ImportRecord {
  /// Who judged it: "onnxruntime 1.31.1".
  std::string oracle;
  /// "equivalent", "different" or "unchecked".
  std::string verdict;
  PassRecord record;
};

struct Evidence {
  std::string producer;
  /// In UTC: "2026-02-28T12:30:00Z".
  std::string date;
  /// The name of its file, and the hash.
  std::string model, modelHash;
  /// Hashes of the files that were verified, by their paths in the package.
  std::map<std::string, std::string> files;
  std::optional<ImportRecord> import;
  std::vector<TargetRecord> targets;
};

/// The hashes of a package's files as they are now: the manifest's, and those
/// of the code of its kernels, without those that are missing. Errors: one
/// cannot be read.
StatusOr<std::map<std::string, std::string>>
hashFiles(const std::filesystem::path &package);

/// The targets of a package's kernels. Errors: the manifest cannot be read.
StatusOr<std::set<std::string>>
packageTargets(const std::filesystem::path &package);

/// "xxh64:" and the hash of a file. Errors: it cannot be read.
StatusOr<std::string> hashFile(const std::filesystem::path &file);

Status writeEvidence(const Evidence &evidence,
                     const std::filesystem::path &package);
/// Errors: there is none; it is malformed, or too large.
StatusOr<Evidence> readEvidence(const std::filesystem::path &package);

[[nodiscard]] nlohmann::ordered_json toJson(const Evidence &evidence);
[[nodiscard]] nlohmann::ordered_json
toJson(const std::vector<KernelRecord> &kernels);
[[nodiscard]] nlohmann::ordered_json
toJson(const std::vector<PassRecord> &passes);

[[nodiscard]] nlohmann::ordered_json toJson(const ImportRecord &import);

/// One line.
void print(const ImportRecord &import);
/// A summary behind `title`, a line for each kernel, and why passes are
/// unchecked.
void print(const std::vector<KernelRecord> &kernels, const std::string &title);

/// tilewright inspect PACKAGE --evidence; returns the exit code: exitFinding
/// where the evidence is of other files.
int inspectEvidence(const std::filesystem::path &package, bool json);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_EVIDENCE_H

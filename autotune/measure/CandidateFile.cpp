#include "autotune/measure/CandidateFile.h"

#include "runtime/abi/Json.h"
#include "tilewright/runtime/MappedFile.h"
#include <fstream>

namespace tilewright::autotune {

// The first line is JSON, the rest is the code.

Status writeCandidate(const std::filesystem::path &path,
                      const Candidate &candidate) {
  runtime::Json arguments = runtime::Json::array();
  for (const TaskArgument &argument : candidate.arguments)
    if (argument.tensor)
      arguments.push_back({{"tensor", *argument.tensor}});
    else
      arguments.push_back({{"scalar", argument.scalar}});
  runtime::Json head = {
      {"manifest", runtime::printKernelManifest(candidate.image.manifest)},
      {"arguments", std::move(arguments)}};
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << head.dump() << '\n' << candidate.image.code;
  file.close();
  if (!file)
    return Status::ioError("cannot write " + path.string());
  return Status();
}

StatusOr<Candidate> readCandidate(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string bytes, runtime::readFile(path));
  size_t end = std::min(bytes.find('\n'), bytes.size());
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::Json head,
      runtime::parseJson(std::string_view(bytes).substr(0, end)));
  Candidate candidate;
  Status error;
  runtime::JsonCursor root(head, "candidate", error);
  std::string manifest = root.at("manifest").string();
  for (const runtime::JsonCursor &argument : root.at("arguments").elements())
    if (argument.has("tensor"))
      candidate.arguments.push_back(
          {size_t(argument.at("tensor").integer(0)), 0});
    else
      candidate.arguments.push_back(
          {std::nullopt, argument.at("scalar").integer()});
  TILEWRIGHT_RETURN_IF_ERROR(error.prefixed(path.string()));
  TILEWRIGHT_ASSIGN_OR_RETURN(candidate.image.manifest,
                              runtime::parseKernelManifest(manifest));
  candidate.image.code = bytes.substr(std::min(end + 1, bytes.size()));
  return candidate;
}

} // namespace tilewright::autotune

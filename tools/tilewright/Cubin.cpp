//===- Cubin.cpp - PTX to cubins, by ptxas --------------------------------===//
#include "tools/tilewright/Cubin.h"

#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright::tool {

static StatusOr<std::string> findPtxas(const std::string &given) {
  llvm::ErrorOr<std::string> found =
      llvm::sys::findProgramByName(given.empty() ? "ptxas" : given);
  if (!found && given.empty())
    found = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (found && llvm::sys::fs::can_execute(*found))
    return *found;
  if (!given.empty())
    return Status::invalidInput(format("--ptxas {}: no such program", {given}));
  return Status::unsupported(
      "a cubin needs ptxas, which is in neither PATH nor /usr/local/cuda/bin\n"
      "  install the CUDA toolkit or name ptxas by --ptxas, or take --emit "
      "ptx: "
      "the driver assembles it");
}

static StatusOr<llvm::SmallString<128>> temporary(const char *suffix) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tilewright", suffix, path))
    return Status::ioError("no temporary file: " + error.message());
  return path;
}

/// The part of ptxas's report on spilled bytes; empty if none are.
static std::string spillsIn(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef> numbers;
  llvm::Regex line("[0-9]+ bytes stack frame, ([0-9]+) bytes spill stores, "
                   "([0-9]+) bytes spill loads");
  if (!line.match(log, &numbers) || (numbers[1] == "0" && numbers[2] == "0"))
    return "";
  return (numbers[1] + " bytes spill stores, " + numbers[2] +
          " bytes spill loads")
      .str();
}

/// Returns what ptxas reported.
static StatusOr<std::string> assemble(const std::string &ptxas,
                                      const KernelPtx &kernel,
                                      const std::string &output,
                                      bool lineInfo) {
  TILEWRIGHT_ASSIGN_OR_RETURN(llvm::SmallString<128> source, temporary("ptx"));
  llvm::FileRemover removeSource(source);
  TILEWRIGHT_ASSIGN_OR_RETURN(llvm::SmallString<128> log, temporary("log"));
  llvm::FileRemover removeLog(log);
  std::error_code error;
  llvm::raw_fd_ostream stream(source, error);
  stream << kernel.text;
  stream.close();
  if (error || stream.has_error())
    return Status::ioError("cannot write " + std::string(source.str()));
  std::vector<llvm::StringRef> arguments = {
      ptxas, "-v", "-arch", kernel.target, source, "-o", output};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  std::string why;
  int code = llvm::sys::ExecuteAndWait(
      ptxas, arguments, std::nullopt, {llvm::StringRef(), log.str(), log.str()},
      0, 0, &why);
  std::string report;
  if (auto text = llvm::MemoryBuffer::getFile(log))
    report = (*text)->getBuffer().rtrim().str();
  if (code == 0)
    return report;
  if (why.empty())
    why = report;
  return Status::internal(format("ptxas rejects kernel '{}' for {}: {}",
                                 {kernel.kernel, kernel.target, why}));
}

StatusOr<std::vector<Diagnostic>>
writeCubins(const std::vector<KernelPtx> &kernels,
            const std::filesystem::path &directory,
            const CubinOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string ptxas, findPtxas(options.ptxas));
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Status::ioError(
        format("cannot make {}: {}", {directory.string(), error.message()}));
  std::vector<Diagnostic> warnings;
  for (const KernelPtx &kernel : kernels) {
    std::filesystem::path output =
        directory /
        format("{}.{}.cubin", {fileName(kernel.kernel), kernel.target});
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::string report,
        assemble(ptxas, kernel, output.string(), options.lineInfo));
    if (std::string spills = spillsIn(report); !spills.empty()) {
      Diagnostic &warning = warnings.emplace_back();
      warning.severity = Severity::warning;
      warning.code = "spills";
      warning.message =
          format("kernel '{}' for {}: registers do not suffice: {} a thread; "
                 "smaller tiles or more warps may be faster",
                 {kernel.kernel, kernel.target, spills});
    }
  }
  return warnings;
}

} // namespace tilewright::tool

//===- Cubin.cpp - PTX to cubins, by ptxas --------------------------------===//
#include "tools/tilewright/Cubin.h"

#include "tools/tilewright/Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
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
    return Status::invalidInput("--ptxas " + given + ": no such program");
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

static Status assemble(const std::string &ptxas, const KernelPtx &kernel,
                       const std::string &output, bool lineInfo) {
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
  std::vector<llvm::StringRef> arguments = {ptxas,  "-arch", kernel.target,
                                            source, "-o",    output};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  std::string why;
  int code = llvm::sys::ExecuteAndWait(
      ptxas, arguments, std::nullopt, {llvm::StringRef(), log.str(), log.str()},
      0, 0, &why);
  if (code == 0)
    return Status();
  if (auto text = llvm::MemoryBuffer::getFile(log); text && why.empty())
    why = (*text)->getBuffer().rtrim().str();
  return Status::internal("ptxas refuses kernel '" + kernel.kernel + "' for " +
                          kernel.target + ": " + why);
}

Status writeCubins(const std::vector<KernelPtx> &kernels,
                   const std::filesystem::path &directory,
                   const CubinOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string ptxas, findPtxas(options.ptxas));
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Status::ioError("cannot make " + directory.string() + ": " +
                           error.message());
  for (const KernelPtx &kernel : kernels) {
    std::filesystem::path output =
        directory / (fileName(kernel.kernel) + "." + kernel.target + ".cubin");
    TILEWRIGHT_RETURN_IF_ERROR(
        assemble(ptxas, kernel, output.string(), options.lineInfo));
  }
  return Status();
}

} // namespace tilewright::tool

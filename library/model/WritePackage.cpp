//===- WritePackage.cpp - The last stage of a compilation -----------------===//
#include "library/model/WritePackage.h"

using namespace mlir;

namespace tilewright {

runtime::PackageManifest startManifest(const ModelInfo &info) {
  runtime::PackageManifest manifest;
  manifest.producer = "tilewright " TILEWRIGHT_VERSION;
  manifest.name = info.name;
  manifest.metadata = info.metadata;
  return manifest;
}

/// Whether the package is a function of the model's file and the options.
static bool isCacheable(const ModelProgram &program) {
  if (program.imported.hasExternalData)
    return false;
  bool hasValues = false;
  for (auto func : program.module().getOps<func::FuncOp>())
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      hasValues |= bool(func.getArgAttr(i, "graph.fixed"));
  return !hasValues;
}

Status writePackage(ModelSession &session, const ModelProgram &program,
                    PackageParts &parts, const PackageCache *packages,
                    const PackageOutput &output, CompileModelReport &report) {
  TimingScope step = session.times.nest("Package");
  session.beginPhase("package");
  TILEWRIGHT_RETURN_IF_ERROR(session.goOn());
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::PackageWriter writer,
      output.files
          ? StatusOr<runtime::PackageWriter>(runtime::PackageWriter::inMemory())
          : runtime::PackageWriter::create(output.folder));
  for (const KernelImage &image : parts.images) {
    parts.manifest.kernels.push_back(image.manifest);
    TILEWRIGHT_RETURN_IF_ERROR(
        writer.addFile(image.manifest.image, std::string_view(image.code)));
  }
  if (parts.builder)
    TILEWRIGHT_RETURN_IF_ERROR(parts.builder->addWeights(writer));
  TILEWRIGHT_RETURN_IF_ERROR(writer.seal(std::move(parts.manifest)));
  if (packages && isCacheable(program))
    if (Status kept = packages->keep(writer.directory(), report); !kept.ok()) {
      Diagnostic &warning = report.warnings.emplace_back();
      warning.severity = Severity::warning;
      warning.code = "cache";
      warning.message = "the package is not kept: " + kept.message();
    }
  if (output.files)
    *output.files = writer.takeFiles();
  return writer.commit();
}

} // namespace tilewright

#include "Kernels.h"

#include "mlir/Parser/Parser.h"
#include "test/ptxas/Ptxas.h"
#include <catch2/catch.hpp>

using namespace mlir;

namespace tilewright::ptxtest {

namespace {
struct Session {
  Session() { prepareContext(context); }
  MLIRContext context;
};
} // namespace

StatusOr<KernelImage> compileText(const std::string &text,
                                  const target::GpuTarget &target,
                                  const CompileOptions &options) {
  static Session session;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &session.context);
  REQUIRE(module);
  return compile(*module->getOps<tile::KernelOp>().begin(), target, options);
}

KernelImage checkAllTargets(const std::string &text, std::string_view wanted) {
  KernelImage result;
  CompileOptions options;
  options.wantText = true;
  for (const target::GpuTarget &target : target::gpuTargets()) {
    CAPTURE(target.name);
    StatusOr<KernelImage> image = compileText(text, target, options);
    if (!image.ok())
      FAIL(image.status().message());
    CHECK(test::errorOfOneIn(3, image->code, target.name) == "");
    if (target.name == wanted)
      result = std::move(*image);
  }
  return result;
}

int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace tilewright::ptxtest

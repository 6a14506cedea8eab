//===- Engine.cpp - What one thread compiles with -------------------------===//
#include "library/compiler/Engine.h"

#include "codegen/llvm/ControlContext.h"
#include "library/compiler/Diagnostics.h"
#include "library/compiler/ReadKernel.h"

using namespace mlir;

namespace tilewright {

/// A context keeps each type and attribute that it ever created. After this
/// many kernels it is replaced, which costs less than one kernel.
static constexpr unsigned compilationsOfContext = 256;

Engine::Engine(std::shared_ptr<Cache> cache,
               std::shared_ptr<const Plugins> plugins)
    : backend(std::move(cache), std::move(plugins), cpu::hostTarget()) {}
Engine::~Engine() = default;

void Engine::renew() {
  if (context && ++compilations < compilationsOfContext)
    return;
  compilations = 0;
  context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  // A note with the op as text may be pages long.
  context->printOpOnDiagnostic(false);
  prepareContext(*context);
}

StatusOr<KernelImage> Engine::compile(const CompileRequest &request,
                                      CompilationControl &control,
                                      CompileReport &report,
                                      std::string &kernel) {
  TILEWRIGHT_RETURN_IF_ERROR(backend.checkTarget(request, report.diagnostics));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      BoundKernel bound,
      readKernel(request, *context, control, report.diagnostics));
  kernel = bound.kernel.getSymName().str();
  return backend.compile(request, std::move(bound), nullptr, control, report);
}

CompileResult Engine::run(const CompileRequest &request,
                          std::stop_token token) {
  CompileReport report;
  std::stop_source either;
  auto stop = [&either] { either.request_stop(); };
  std::stop_callback first(token, stop), second(request.stop, stop);
  std::string kernel = request.kernel;
  renew();
  CompilationControl control(request.budget, either.get_token());
  ControlContext controlled(*context, control);
  StatusOr<KernelImage> image = compile(request, control, report, kernel);
  control.finish();
  report.phases = control.phases();
  if (control.stopped())
    image = concludeStop(control.stop(), kernel, request.module,
                         report.diagnostics);
  else if (!image.ok())
    image = conclude(image.status(), codeOf(image.status().code()),
                     request.module, report.diagnostics);
  return {std::move(image), std::move(report)};
}

} // namespace tilewright

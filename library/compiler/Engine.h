//===- Engine.h - What one thread compiles with -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_ENGINE_H
#define TILEWRIGHT_LIBRARY_COMPILER_ENGINE_H

#include "library/compiler/KernelBackend.h"

namespace tilewright {

/// A prepared context. Belongs to one thread.
class Engine {
public:
  /// Both may be null.
  Engine(std::shared_ptr<Cache> cache, std::shared_ptr<const Plugins> plugins);
  ~Engine();

  /// `token` is checked as well as the request's own.
  CompileResult run(const CompileRequest &request, std::stop_token token);

private:
  StatusOr<KernelImage> compile(const CompileRequest &request,
                                CompilationControl &control,
                                CompileReport &report, std::string &kernel);
  void renew();

  KernelBackend backend;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned compilations = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_ENGINE_H

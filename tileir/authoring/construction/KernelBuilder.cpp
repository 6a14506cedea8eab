#include "tileir/authoring/construction/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "tileir/diagnostics/DiagnosticData.h"

#include <atomic>

using namespace mlir;

namespace tilewright::authoring {

static thread_local KernelBuilder *currentKernelBuilder = nullptr;

static uint64_t nextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

KernelBuilder *KernelBuilder::current() { return currentKernelBuilder; }

KernelBuilder::KernelBuilder(const Bindings &bindings,
                             const BuildOptions &options)
    : context(MLIRContext::Threading::DISABLED), builder(&context, &fastMath),
      bindings(bindings), options(options), id(nextId()),
      outer(currentKernelBuilder),
      handler(&context, [this](mlir::Diagnostic &d) {
        if (d.getSeverity() == DiagnosticSeverity::Error && !hasFailed())
          diagnostics.push_back(toDiagnostic(d));
        return success();
      }) {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect>();
  currentKernelBuilder = this;
}

KernelBuilder::~KernelBuilder() { currentKernelBuilder = outer; }

void KernelBuilder::error(const std::source_location &where, StringRef code,
                          const Twine &message) {
  if (hasFailed())
    return;
  tilewright::Diagnostic &diagnostic = diagnostics.emplace_back();
  diagnostic.code = code;
  diagnostic.message = message.str();
  diagnostic.where = {where.file_name(), where.line(), where.column()};
}

Location KernelBuilder::locationOf(const std::source_location &where) {
  if (!where.line())
    return builder.getUnknownLoc();
  return FileLineColLoc::get(&context, where.file_name(), where.line(),
                             where.column());
}

bool KernelBuilder::checked(Operation *op) {
  return succeeded(verify(op, /*verifyRecursively=*/false)) && !hasFailed();
}

} // namespace tilewright::authoring

//===- Diagnostics.cpp - What LLVM has to say of a module -----------------===//
#include "codegen/llvm/Diagnostics.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

namespace {
/// Most remarks of LLVM speak of calls and loops that a kernel's author did not
/// write; that registers do not suffice, of a whole function, is one of use.
constexpr const char *spillPass = "regalloc", *spillName = "SpillReloadCopies";

struct Handler : llvm::DiagnosticHandler {
  Handler(std::string &errors, std::vector<Remark> *remarks)
      : errors(errors), remarks(remarks) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      stream << '\n';
    }
    const auto *remark = dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (remarks && remark && remark->getPassName() == spillPass &&
        remark->getRemarkName() == spillName)
      addSpills(*remark);
    return true;
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override {
    return false;
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override {
    return remarks && pass == spillPass;
  }
  bool isAnyRemarkEnabled() const override { return remarks; }

  void addSpills(const llvm::DiagnosticInfoOptimizationBase &info) {
    std::string spills = "0", reloads = "0";
    for (const auto &argument : info.getArgs())
      if (argument.Key == "NumSpills")
        spills = argument.Val;
      else if (argument.Key == "NumReloads")
        reloads = argument.Val;
    if (spills == "0" && reloads == "0")
      return;
    Remark remark;
    remark.kind = Remark::Kind::missed;
    remark.pass = spillPass;
    remark.kernel = info.getFunction().getName();
    remark.code = "spills";
    std::string all = std::to_string(info.getFunction().getInstructionCount());
    remark.message = "registers do not suffice: among " + all +
                     " instructions " + spills +
                     " values go to the stack, and " + reloads + " come back";
    remark.arguments = {
        {"spills", spills}, {"reloads", reloads}, {"instructions", all}};
    // Code that is wanted as text, too, is generated twice.
    if (!llvm::is_contained(*remarks, remark))
      remarks->push_back(std::move(remark));
  }

  std::string &errors;
  std::vector<Remark> *remarks;
};
} // namespace

void collectDiagnostics(llvm::LLVMContext &context, std::string &errors,
                        std::vector<Remark> *remarks) {
  context.setDiagnosticHandler(std::make_unique<Handler>(errors, remarks),
                               /*RespectFilters=*/true);
}

} // namespace tilewright

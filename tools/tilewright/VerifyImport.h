//===- VerifyImport.h - The import of a model, judged -----------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYIMPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYIMPORT_H

#include "tools/tilewright/Evidence.h"
#include "tools/tilewright/Verify.h"
#include "verify/validate/ImportCheck.h"
#include <stop_token>

namespace tilewright::tool {

/// What came of an import.
struct JudgedImport {
  std::string oracle;
  verify::ImportVerdict verdict;

  [[nodiscard]] bool isDifferent() const {
    return verdict.counterexample.has_value();
  }
  [[nodiscard]] bool isTested() const {
    return verdict.evidence.kind == verify::PassEvidence::Kind::tested;
  }
};

/// Judges the import of the model by the oracle that the arguments name.
/// Errors: no ONNX model; those of openOnnxRuntime() and checkImport().
StatusOr<JudgedImport>
judgeImport(const VerifyArguments &arguments,
            const std::shared_ptr<const Plugins> &plugins,
            const verify::GivenInputs &inputs, const std::stop_token &stop);

/// Of a model that was run compiled, and whose compilation turned out to be
/// wrong: nothing is known of its import.
void withdraw(JudgedImport &import);

[[nodiscard]] ImportRecord recordOf(const JudgedImport &import);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYIMPORT_H

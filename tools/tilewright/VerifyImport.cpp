//===- VerifyImport.cpp - The import of a model, judged -------------------===//
#include "tools/tilewright/VerifyImport.h"

#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/OnnxRuntime.h"
#include "tools/tilewright/VerifyKernels.h"

namespace tilewright::tool {

StatusOr<JudgedImport>
judgeImport(const VerifyArguments &arguments,
            const std::shared_ptr<const Plugins> &plugins,
            const verify::GivenInputs &inputs, const std::stop_token &stop) {
  if (std::filesystem::path(arguments.before).extension() != ".onnx")
    return Status::invalidInput(arguments.before +
                                ": --oracle onnxruntime judges the import of "
                                "an ONNX model, X.onnx");
  CompileModelOptions compile;
  compile.plugins = plugins;
  compile.precision = arguments.precision;
  compile.threads = 1;
  // A model that is too large for the reference runs on this machine.
  readTargets({"cpu"}, compile);
  verify::ModelCheckOptions options;
  options.seed = arguments.seed;
  options.inputs = inputs;
  if (arguments.timeLimit > 0)
    options.time = std::chrono::duration<double>(arguments.timeLimit);
  options.isStopped = [&] { return stop.stop_requested(); };
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source,
                              ModelSource::file(arguments.before));
  JudgedImport import{"onnxruntime", {}};
  auto open = [&](const verify::Signature &signature)
      -> StatusOr<std::unique_ptr<verify::Program>> {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto program,
        openOnnxRuntime(arguments.oraclePython, arguments.before, signature));
    import.oracle = program->name();
    return program;
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(
      import.verdict,
      verify::checkImport(source, std::move(compile), open, options));
  return import;
}

void withdraw(JudgedImport &import) {
  verify::PassEvidence &evidence = import.verdict.evidence;
  evidence.kind = verify::PassEvidence::Kind::unchecked;
  evidence.cases = 0;
  evidence.reason = "what the model compiles to ran in its place, and is wrong";
  import.verdict.counterexample.reset();
}

ImportRecord recordOf(const JudgedImport &import) {
  const PassRecord record = recordsOf({import.verdict.evidence}).front();
  return {import.oracle,
          import.isDifferent() ? "different"
          : import.isTested()  ? "equivalent"
                               : "unchecked",
          record};
}

} // namespace tilewright::tool

//===- Reproducer.cpp - The program before a pass that fails --------------===//
#include "library/model/Reproducer.h"

#include "library/model/ModelCompiler.h"

namespace tilewright {

/// The same compilation, seen by nobody.
static CompileModelOptions silent(CompileModelOptions options) {
  options.diagnostics = nullptr;
  options.progress = nullptr;
  options.printPasses = {};
  options.times = CompileModelOptions::TimeFormat::none;
  // An import that is to be stopped runs no passes.
  options.stopAfter = "none";
  return options;
}

static bool stopsAfter(const std::string &pass, const ModelSource &model,
                       const std::filesystem::path &output,
                       CompileModelOptions options) {
  options.stopAfter = pass;
  return ModelCompiler(model, options, nullptr).run(output).ok();
}

Status withReproducer(Status failure, const ModelSource &model,
                      const CompileModelOptions &given) {
  if (failure.code() == StatusCode::cancelled ||
      failure.code() == StatusCode::resourceExhausted)
    return failure;
  const CompileModelOptions options = silent(given);
  auto passes = ModelCompiler(model, options, nullptr).listPasses();
  if (!passes.ok() || passes->empty())
    return failure;
  auto noted = [&](const std::string &note) {
    return Status(failure.code(), failure.message() + "\n  note: " + note);
  };
  // The passes before `good` work; that at `bad` does not, or is none.
  size_t good = 0, bad = passes->size();
  while (good < bad) {
    const size_t middle = (good + bad) / 2;
    if (stopsAfter((*passes)[middle], model, "", options))
      good = middle + 1;
    else
      bad = middle;
  }
  if (good == 0)
    return noted("the first pass, '" + passes->front() +
                 "', fails: the model itself reproduces it");
  const std::string file = options.reproducer.string();
  if (!stopsAfter((*passes)[good - 1], model, options.reproducer, options))
    return noted("'" + file + "' cannot be written");
  return noted(file + " is the program " +
               (good < passes->size()
                    ? "before the pass '" + (*passes)[good] + "'"
                    : "after all passes") +
               "; compile it with --resume to repeat the error");
}

} // namespace tilewright

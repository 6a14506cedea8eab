// Models.
#include "library/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/compiler/Plugins.h"

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

tw_status *twc_stop_create(twc_stop **stop) {
  if (stop)
    *stop = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"stop", stop}}));
    *stop = new twc_stop;
    return {};
  });
}

tw_status *twc_stop_request(twc_stop *stop) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"stop", stop}}));
    stop->source.request_stop();
    return {};
  });
}

void twc_stop_free(twc_stop *stop) { delete stop; }

//===--- Options ----------------------------------------------------------===//

namespace {
/// Shapes by name, as fields of the options whose names begin so.
struct GivenShapes {
  const char *field;
  const char *const *names;
  const size_t *ranks;
  const int64_t *const *shapes;
  size_t count;
};
} // namespace

static Status readShapes(const GivenShapes &given,
                         std::map<std::string, std::vector<int64_t>> &shapes) {
  auto field = [&](const char *end) { return std::string(given.field) + end; };
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto names,
      readTexts(field("_names").c_str(), given.names, given.count, "name"));
  if (names.empty())
    return {};
  const std::string ranks = "options->" + field("_ranks"),
                    sizes = "options->" + field("_shapes");
  TILEWRIGHT_RETURN_IF_ERROR(checkArguments(
      {{ranks.c_str(), given.ranks}, {sizes.c_str(), given.shapes}}));
  for (size_t i = 0; i < names.size(); ++i) {
    const int64_t *shape = given.shapes[i];
    if (!shape && given.ranks[i])
      return Status::invalidInput(
          format("{}[{}] is NULL, expected {} sizes",
                 {field("_shapes"), i, given.ranks[i]}));
    shapes[names[i]].assign(shape, shape + given.ranks[i]);
  }
  return {};
}

static Status readReplacements(const twc_model_options &given,
                               CompileModelOptions &options) {
  const size_t count = given.replacement_count;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto patterns,
      readTexts("replaced_patterns", given.replaced_patterns, count, "text"));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto modules, readTexts("replacement_modules",
                                                      given.replacement_modules,
                                                      count, "text"));
  for (size_t i = 0; i < count; ++i) {
    KernelReplacement &replacement = options.replacements.emplace_back();
    replacement.pattern = std::move(patterns[i]);
    replacement.kernels.code = std::move(modules[i]);
    if (given.replacement_kernels && given.replacement_kernels[i])
      replacement.kernel = given.replacement_kernels[i];
  }
  return {};
}

static Status readLimits(const twc_model_options &given,
                         CompileModelOptions &options) {
  for (auto [name, limit] : {std::pair("threads", int64_t(given.threads)),
                             std::pair("time_limit", given.time_limit),
                             std::pair("memory_limit", given.memory_limit),
                             std::pair("llvm_ir_limit", given.llvm_ir_limit)})
    TILEWRIGHT_RETURN_IF_ERROR(checkNotNegative(name, limit));
  options.threads = unsigned(given.threads);
  if (given.time_limit)
    options.timeLimit = clampTime(given.time_limit);
  if (given.memory_limit)
    options.budget.memory = given.memory_limit;
  if (given.llvm_ir_limit)
    options.budget.llvmIr = given.llvm_ir_limit;
  if (given.stop)
    options.stop = given.stop->source.get_token();
  return {};
}

static StatusOr<CompileModelOptions>
readOptions(const twc_model_options *options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto given,
                              readStruct("twc_model_options", options));
  CompileModelOptions wanted;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto plugins, readPaths("plugins", given.plugins, given.plugin_count));
  if (!plugins.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(wanted.plugins, Plugins::load(plugins));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto targets,
      readTexts("targets", given.targets, given.target_count, "target"));
  if (!targets.empty())
    TILEWRIGHT_RETURN_IF_ERROR(setTargets(targets, wanted));
  if (given.precision) {
    TILEWRIGHT_ASSIGN_OR_RETURN(wanted.precision,
                                runtime::parseF32Precision(given.precision));
  }
  if (given.cache)
    wanted.cache = given.cache->cache;
  TILEWRIGHT_RETURN_IF_ERROR(
      readShapes({"input", given.input_names, given.input_ranks,
                  given.input_shapes, given.input_count},
                 wanted.inputShapes));
  TILEWRIGHT_RETURN_IF_ERROR(
      readShapes({"max", given.max_names, given.max_ranks, given.max_shapes,
                  given.max_count},
                 wanted.maxShapes));
  TILEWRIGHT_RETURN_IF_ERROR(readReplacements(given, wanted));
  TILEWRIGHT_RETURN_IF_ERROR(readLimits(given, wanted));
  return wanted;
}

//===--- Compilation ------------------------------------------------------===//

/// Copies the report fields that models and kernels share.
static void takeOver(const CompileModelReport &made, CompileReport &report) {
  report.diagnostics = made.warnings;
  report.fromCache = made.fromCache;
  for (auto [name, seconds] : {std::pair("import", made.importSeconds),
                               std::pair("lower", made.lowerSeconds),
                               std::pair("code", made.codeSeconds)})
    report.phases.push_back({name, seconds * 1e3});
}

tw_status *twc_compile_model(const void *model, size_t bytes, const char *name,
                             const char *output,
                             const twc_model_options *options,
                             twc_result **result) {
  if (result)
    *result = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"name", name},
                                               {"output", output},
                                               {"options", options},
                                               {"result", result}}));
    if (bytes)
      TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"model", model}}));
    if (!*output)
      return Status::invalidInput("output is \"\", expected the package's "
                                  "folder");
    TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelOptions wanted,
                                readOptions(options));
    CompileReport report;
    wanted.diagnostics = &report.diagnostics;
    const std::string_view given(static_cast<const char *>(model), bytes);
    StatusOr<CompileModelReport> made =
        model ? compileModel(ModelSource::memory(name, given), output, wanted)
              : compileModel(std::filesystem::path(name), output, wanted);
    if (made.ok())
      takeOver(*made, report);
    return giveResult(made, std::move(report), result);
  });
}

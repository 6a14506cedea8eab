// What came of a compilation.
#include "library/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/compiler/RemarkText.h"
#include <array>

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

static constexpr size_t partCount = TWC_PART_CACHE_KEY + 1;

struct twc_result {
  /// `image` is null where there is none.
  twc_result(std::shared_ptr<const CompileReport> report,
             std::shared_ptr<const KernelImage> image);

  std::shared_ptr<const CompileReport> report;
  std::shared_ptr<const KernelImage> image;
  /// Of a model that was compiled.
  std::optional<CompileModelReport> model;
  /// Parts that the result has as data and the interface returns as text.
  std::string manifest, schedule, remarks, diagnostics;
  /// By twc_part; null where there is no such part.
  std::array<const std::string *, partCount> parts = {};
};

/// Done at once, so that threads that share a result only read it.
twc_result::twc_result(std::shared_ptr<const CompileReport> given,
                       std::shared_ptr<const KernelImage> code)
    : report(std::move(given)), image(std::move(code)) {
  if (image) {
    manifest = runtime::printKernelManifest(image->manifest);
    schedule = image->schedule.schedule.text();
    parts[TWC_PART_CODE] = &image->code;
    parts[TWC_PART_MANIFEST] = &manifest;
    parts[TWC_PART_SCHEDULED] = &image->scheduled;
    parts[TWC_PART_LOOPS] = &image->loops;
    parts[TWC_PART_LLVM_IR] = &image->llvmIr;
    parts[TWC_PART_ASSEMBLY] = &image->assembly;
    parts[TWC_PART_SCHEDULE] = &schedule;
    parts[TWC_PART_SCHEDULE_REASON] = &image->schedule.reason;
    parts[TWC_PART_EXPLANATION] = &image->explanation;
  }
  remarks = remarksAsJson(report->remarks);
  for (const Diagnostic &diagnostic : report->diagnostics)
    diagnostics += printDiagnostic(diagnostic) + "\n";
  parts[TWC_PART_REMARKS] = &remarks;
  parts[TWC_PART_DIAGNOSTICS] = &diagnostics;
  parts[TWC_PART_CACHE_KEY] = &report->key;
}

Status capi::giveResult(std::shared_ptr<const CompileResult> made,
                        twc_result **result) {
  // Both keep all of what was made.
  std::shared_ptr<const CompileReport> report(made, &made->report);
  std::shared_ptr<const KernelImage> image;
  if (made->image.ok())
    image = {made, &*made->image};
  *result = new twc_result(std::move(report), std::move(image));
  return made->image.status();
}

Status capi::giveResult(const StatusOr<CompileModelReport> &made,
                        CompileReport report, twc_result **result) {
  auto given = std::make_unique<twc_result>(
      std::make_shared<const CompileReport>(std::move(report)), nullptr);
  if (made.ok())
    given->model = *made;
  *result = given.release();
  return made.status();
}

tw_status *twc_result_part(const twc_result *result, twc_part part,
                           const char **data, size_t *bytes) {
  if (data)
    *data = nullptr;
  if (bytes)
    *bytes = 0;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"result", result}, {"data", data}}));
    if (part >= partCount)
      return Status::invalidInput(
          format("this library has no part {}, expected 0 to {}",
                 {part, partCount - 1}));
    const std::string *text = result->parts[part];
    if (!text)
      return Status::notFound(
          format("part {}{}",
                 {part, result->model ? ": a model's images are in its package"
                                      : ": there is no image, compilation "
                                        "failed"}));
    *data = text->c_str();
    if (bytes)
      *bytes = text->size();
    return {};
  });
}

int twc_result_from_cache(const twc_result *result) {
  return result && result->report->fromCache;
}

tw_status *twc_result_model_report(const twc_result *result,
                                   twc_model_report *report) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"result", result}, {"report", report}}));
    if (!result->model)
      return Status::notFound("expected the result of a model that was "
                              "compiled");
    const CompileModelReport &model = *result->model;
    twc_model_report value = TWC_MODEL_REPORT_INIT;
    value.node_count = model.nodes;
    value.step_count = int64_t(model.steps);
    value.kernel_count = int64_t(model.kernels);
    value.cached_image_count = int64_t(model.cachedImages);
    return writeStruct("twc_model_report", value, report);
  });
}

static Status checkIndex(const char *name, size_t index, size_t count) {
  if (index < count)
    return {};
  return Status::invalidInput(
      format("{} is {}, there are {}", {name, index, count}));
}

static Status fill(const Diagnostic &from, twc_diagnostic *to) {
  static_assert(int(Severity::error) == TWC_ERROR &&
                    int(Severity::warning) == TWC_WARNING &&
                    int(Severity::remark) == TWC_REMARK &&
                    int(Severity::note) == TWC_NOTE,
                "the severities of the two interfaces agree");
  twc_diagnostic value = TWC_DIAGNOSTIC_INIT;
  value.severity = static_cast<uint32_t>(from.severity);
  value.line = from.where.line;
  value.column = from.where.column;
  value.end_line = from.where.endLine;
  value.end_column = from.where.endColumn;
  value.note_count = static_cast<uint32_t>(from.notes.size());
  value.code = from.code.c_str();
  value.file = from.where.file.c_str();
  value.message = from.message.c_str();
  return writeStruct("twc_diagnostic", value, to);
}

size_t twc_result_diagnostic_count(const twc_result *result) {
  return result ? result->report->diagnostics.size() : 0;
}

tw_status *twc_result_diagnostic(const twc_result *result, size_t index,
                                 twc_diagnostic *diagnostic) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"result", result}, {"diagnostic", diagnostic}}));
    const auto &all = result->report->diagnostics;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    return fill(all[index], diagnostic);
  });
}

tw_status *twc_result_note(const twc_result *result, size_t index, size_t note,
                           twc_diagnostic *diagnostic) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"result", result}, {"diagnostic", diagnostic}}));
    const auto &all = result->report->diagnostics;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkIndex("note", note, all[index].notes.size()));
    return fill(all[index].notes[note], diagnostic);
  });
}

size_t twc_result_phase_count(const twc_result *result) {
  return result ? result->report->phases.size() : 0;
}

tw_status *twc_result_phase(const twc_result *result, size_t index,
                            twc_phase *phase) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"result", result}, {"phase", phase}}));
    const auto &all = result->report->phases;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    twc_phase value = {sizeof(twc_phase), all[index].name.c_str(),
                       all[index].milliseconds};
    return writeStruct("twc_phase", value, phase);
  });
}

void twc_result_free(twc_result *result) { delete result; }

// What came of a compilation.
#include "library/capi/Handles.h"
#include "library/compiler/RemarkText.h"
#include <array>

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

static constexpr size_t partCount = TWC_PART_CACHE_KEY + 1;

struct twc_outcome {
  explicit twc_outcome(std::shared_ptr<const CompileOutcome> made);

  std::shared_ptr<const CompileOutcome> made;
  /// What the outcome has as data and the interface gives as text.
  std::string manifest, schedule, remarks, diagnostics;
  /// By twc_part; null where there is no such part.
  std::array<const std::string *, partCount> parts = {};
};

/// Done at once, so that threads that share an outcome only read it.
twc_outcome::twc_outcome(std::shared_ptr<const CompileOutcome> outcome)
    : made(std::move(outcome)) {
  if (made->image.ok()) {
    const KernelImage &image = *made->image;
    manifest = runtime::printKernelManifest(image.manifest);
    schedule = image.schedule.schedule.text();
    parts[TWC_PART_CODE] = &image.code;
    parts[TWC_PART_MANIFEST] = &manifest;
    parts[TWC_PART_SCHEDULED] = &image.scheduled;
    parts[TWC_PART_LOOPS] = &image.loops;
    parts[TWC_PART_LLVM_IR] = &image.llvmIr;
    parts[TWC_PART_ASSEMBLY] = &image.assembly;
    parts[TWC_PART_SCHEDULE] = &schedule;
    parts[TWC_PART_SCHEDULE_REASON] = &image.schedule.reason;
    parts[TWC_PART_EXPLANATION] = &image.explanation;
  }
  remarks = remarksAsJson(made->report.remarks);
  for (const Diagnostic &diagnostic : made->report.diagnostics)
    diagnostics += printDiagnostic(diagnostic) + "\n";
  parts[TWC_PART_REMARKS] = &remarks;
  parts[TWC_PART_DIAGNOSTICS] = &diagnostics;
  parts[TWC_PART_CACHE_KEY] = &made->report.key;
}

Status capi::giveOutcome(std::shared_ptr<const CompileOutcome> made,
                         twc_outcome **outcome) {
  *outcome = new twc_outcome(std::move(made));
  return (*outcome)->made->image.status();
}

tw_status *twc_outcome_part(const twc_outcome *outcome, twc_part part,
                            const char **data, size_t *bytes) {
  if (data)
    *data = nullptr;
  if (bytes)
    *bytes = 0;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"outcome", outcome}, {"data", data}}));
    if (part >= partCount)
      return Status::invalidInput("this library has no part " +
                                  std::to_string(part) + ", expected 0 to " +
                                  std::to_string(partCount - 1));
    const std::string *text = outcome->parts[part];
    if (!text)
      return Status::notFound("part " + std::to_string(part) +
                              ": there is no image, compilation failed");
    *data = text->c_str();
    if (bytes)
      *bytes = text->size();
    return {};
  });
}

int twc_outcome_from_cache(const twc_outcome *outcome) {
  return outcome && outcome->made->report.fromCache;
}

static Status checkIndex(const char *name, size_t index, size_t count) {
  if (index < count)
    return {};
  return Status::invalidInput(std::string(name) + " is " +
                              std::to_string(index) + ", there are " +
                              std::to_string(count));
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

size_t twc_outcome_diagnostic_count(const twc_outcome *outcome) {
  return outcome ? outcome->made->report.diagnostics.size() : 0;
}

tw_status *twc_outcome_diagnostic(const twc_outcome *outcome, size_t index,
                                  twc_diagnostic *diagnostic) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"outcome", outcome}, {"diagnostic", diagnostic}}));
    const auto &all = outcome->made->report.diagnostics;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    return fill(all[index], diagnostic);
  });
}

tw_status *twc_outcome_note(const twc_outcome *outcome, size_t index,
                            size_t note, twc_diagnostic *diagnostic) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"outcome", outcome}, {"diagnostic", diagnostic}}));
    const auto &all = outcome->made->report.diagnostics;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkIndex("note", note, all[index].notes.size()));
    return fill(all[index].notes[note], diagnostic);
  });
}

size_t twc_outcome_phase_count(const twc_outcome *outcome) {
  return outcome ? outcome->made->report.phases.size() : 0;
}

tw_status *twc_outcome_phase(const twc_outcome *outcome, size_t index,
                             twc_phase *phase) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"outcome", outcome}, {"phase", phase}}));
    const auto &all = outcome->made->report.phases;
    TILEWRIGHT_RETURN_IF_ERROR(checkIndex("index", index, all.size()));
    twc_phase value = {sizeof(twc_phase), all[index].name.c_str(),
                       all[index].milliseconds};
    return writeStruct("twc_phase", value, phase);
  });
}

void twc_outcome_free(twc_outcome *outcome) { delete outcome; }

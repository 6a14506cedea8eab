// Functions under their names of version 1.1.
#include "tilewright/c/tilewright-compiler.h"

tw_status *twc_job_outcome(const twc_job *job, twc_result **outcome) {
  return twc_job_result(job, outcome);
}

tw_status *twc_outcome_model_report(const twc_result *outcome,
                                    twc_model_report *report) {
  return twc_result_model_report(outcome, report);
}

tw_status *twc_outcome_part(const twc_result *outcome, twc_part part,
                            const char **data, size_t *bytes) {
  return twc_result_part(outcome, part, data, bytes);
}

int twc_outcome_from_cache(const twc_result *outcome) {
  return twc_result_from_cache(outcome);
}

size_t twc_outcome_diagnostic_count(const twc_result *outcome) {
  return twc_result_diagnostic_count(outcome);
}

tw_status *twc_outcome_diagnostic(const twc_result *outcome, size_t index,
                                  twc_diagnostic *diagnostic) {
  return twc_result_diagnostic(outcome, index, diagnostic);
}

tw_status *twc_outcome_note(const twc_result *outcome, size_t index,
                            size_t note, twc_diagnostic *diagnostic) {
  return twc_result_note(outcome, index, note, diagnostic);
}

size_t twc_outcome_phase_count(const twc_result *outcome) {
  return twc_result_phase_count(outcome);
}

tw_status *twc_outcome_phase(const twc_result *outcome, size_t index,
                             twc_phase *phase) {
  return twc_result_phase(outcome, index, phase);
}

void twc_outcome_free(twc_result *outcome) { twc_result_free(outcome); }

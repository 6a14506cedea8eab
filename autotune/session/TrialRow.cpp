#include "autotune/session/TrialRow.h"

#include <nlohmann/json.hpp>

namespace tilewright::autotune {

std::string termsOf(const Estimate &estimate,
                    const std::vector<runtime::Counter> &counted) {
  nlohmann::ordered_json terms = nlohmann::ordered_json::object();
  for (const CostTerm &term : estimate.terms)
    terms[term.name] = term.nanoseconds;
  const Roofline &roofline = estimate.roofline;
  terms["flops"] = roofline.operations;
  terms["bytes"] = roofline.bytes;
  terms["peak_flops"] = roofline.peakOperations;
  terms["peak_bytes"] = roofline.peakBytes;
  for (const runtime::Counter &counter : counted)
    if (counter.value > 0)
      terms["counted." + counter.name] = counter.value;
  return terms.dump();
}

TrialRecord startTrial(const RunContext &run, const Task &task,
                       const Proposal &proposal, const std::string &schedule) {
  TrialRecord trial;
  trial.task = task.record().task;
  trial.run = run.run.run;
  trial.sequence = run.trials;
  trial.schedule = schedule;
  trial.origin = run.options.revalidates ? "revalidation" : proposal.origin;
  trial.device = run.options.device;
  trial.hardware = run.hardware;
  trial.driver = run.driver;
  trial.compiler = run.run.compiler;
  trial.metric = run.metric;
  trial.modelled = proposal.estimate.nanoseconds;
  trial.terms = termsOf(proposal.estimate);
  trial.started = timeStamp();
  return trial;
}

void takeOver(const Measured &measured, TrialRecord &trial) {
  trial.samples = int64_t(measured.time.samples);
  trial.median = measured.time.interval.median;
  trial.low = measured.time.interval.low;
  trial.high = measured.time.interval.high;
  trial.least = measured.time.least;
  trial.deviation = measured.time.deviation;
  trial.ratio = measured.ratio.median;
  trial.ratioLow = measured.ratio.low;
  trial.ratioHigh = measured.ratio.high;
  trial.measuring = measured.seconds;
}

} // namespace tilewright::autotune

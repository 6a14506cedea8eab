#include "autotune/session/Measurer.h"

#include "support/Format.h"

namespace tilewright::autotune {

static std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(int64_t(seconds * 1000));
}

Measurer::Measurer(const RunContext &run, const TaskRecord &task, size_t number)
    : run(run), task(task), number(number),
      oracle(run.folder / format("task{}.oracle", {number})) {}

void Measurer::rest() { worker.reset(); }

WorkerProcess &Measurer::process() {
  if (!worker) {
    worker = run.makeWorker(format("measure{}", {number}));
    worker->setTask(task);
  }
  return *worker;
}

WorkerFailure Measurer::runOracle() {
  return process()
      .runOracle(
          run.oracleSeconds, oracle,
          milliseconds(run.oracleSeconds + 3 * run.options.timeoutSeconds))
      .failure;
}

WorkerAnswer<Measured> Measurer::measure(const Request &request) {
  const MeasuredSchedule *first = request.defaultSchedule;
  WorkerProcess::Measurement what;
  what.schedule = request.schedule;
  what.candidate = request.candidate;
  what.defaultSchedule = first ? first->file : request.candidate;
  what.oracle = oracle;
  if (request.against)
    what.against = request.against->file;
  // Some launches of a slow default take their time.
  double slow = first ? first->cost * 1e-9 * 40 : 0;
  return process().measure(what,
                           milliseconds(run.options.timeoutSeconds +
                                        run.options.measureSeconds + slow));
}

} // namespace tilewright::autotune

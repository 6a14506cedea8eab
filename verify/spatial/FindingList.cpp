#include "verify/spatial/FindingList.h"

namespace tilewright::verify {

using namespace spatial;

void FindingList::insert(const Key &key, Finding finding) {
  found.try_emplace(key, std::move(finding));
  if (found.size() > most)
    found.erase(std::prev(found.end()));
}

void FindingList::add(FindingCode code, int64_t cycle, uint32_t line, int part,
                      std::string message) {
  const TimedLine &timed = timetable.lines[line];
  const TimedQueue &queue = timetable.queues[timed.queue];
  const std::vector<std::string> &files = timetable.schedule.files;
  insert({rankOf(cycle), timed.chip, queue.text, part, line},
         {code, cycle, timed.chip, queue.text,
          timed.chip < files.size() ? files[timed.chip] : std::string(),
          timed.instruction->line, std::move(message)});
}

void FindingList::addToManifest(FindingCode code, int64_t chip,
                                std::string queue, std::string message) {
  Finding finding{
      code, -1, chip, queue, "manifest.json", 0, std::move(message)};
  insert({rankOf(-1), chip, std::move(queue), FindingPart::lacks,
          manifestFindings++},
         std::move(finding));
}

std::vector<Finding> FindingList::take() {
  std::vector<Finding> findings;
  for (auto &[key, finding] : found)
    findings.push_back(std::move(finding));
  found.clear();
  return findings;
}

} // namespace tilewright::verify

#include "verify/spatial/FindingList.h"

namespace tilewright::verify {

using namespace spatial;

void FindingList::insert(const Key &key, Finding finding) {
  // The entry of the same part, of whatever stream.
  Key part = key;
  std::get<5>(part) = 0;
  auto same = found.lower_bound(part);
  if (same != found.end()) {
    std::get<5>(part) = std::get<5>(same->first);
    if (same->first == part) {
      if (same->first <= key)
        return;
      found.erase(same);
    }
  }
  found.try_emplace(key, std::move(finding));
  if (found.size() > most)
    found.erase(std::prev(found.end()));
}

void FindingList::add(FindingCode code, int64_t cycle, uint32_t line, int part,
                      std::string message, int stream) {
  const TimedLine &timed = timetable.lines[line];
  const TimedQueue &queue = timetable.queues[timed.queue];
  const std::vector<std::string> &files = timetable.schedule.files;
  insert({rankOf(cycle), timed.chip, queue.text, part, line, stream},
         {code, cycle, timed.chip, queue.text,
          timed.chip < files.size() ? files[timed.chip] : std::string(),
          timed.instruction->line, std::move(message)});
}

void FindingList::addToManifest(FindingCode code, int64_t chip,
                                std::string queue, std::string message) {
  Finding finding{
      code, -1, chip, queue, "manifest.json", 0, std::move(message)};
  insert({rankOf(-1), chip, std::move(queue), FindingPart::lacks,
          manifestFindings++, 0},
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

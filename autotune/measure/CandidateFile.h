// Candidates on their way from one process to another.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_CANDIDATEFILE_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_CANDIDATEFILE_H

#include "autotune/task/Task.h"
#include <filesystem>

namespace tilewright::autotune {

/// Writes the candidate's manifest, code and arguments as one file.
Status writeCandidate(const std::filesystem::path &path,
                      const Candidate &candidate);
/// Reads what writeCandidate wrote.
StatusOr<Candidate> readCandidate(const std::filesystem::path &path);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_CANDIDATEFILE_H

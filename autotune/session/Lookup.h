// Schedules for a compilation, from a database.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_LOOKUP_H
#define TILEWRIGHT_AUTOTUNE_SESSION_LOOKUP_H

#include "autotune/database/Database.h"
#include "tilewright/support/Export.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::autotune {

/// A schedule that was found.
struct Found {
  std::string schedule;
  /// For the record: the task's key, the schedule, the device and its cost,
  /// and how near the shape is.
  std::string origin;
};

/// The known trials of a kernel with dynamic sizes, at some sizes.
struct FoundShape {
  /// As TaskRecord's: the sizes that it was tuned for.
  std::string arguments;
  std::vector<int64_t> shape;
  Found best;
};

/// Looks for the best known schedule of a kernel:
/// - of trials of this very kernel, on this machine's hardware if there are any
///   (Database::best);
/// - else of the nearest shape of its family, if all its sizes together are
///   within a factor of `nearest` and the schedule is legal for the kernel;
/// - else, for a kernel with dynamic sizes, of the shape nearest to all shapes
///   that it was tuned for.
/// For a GPU, trials on cuda count before those on the emulator. Used from one
/// thread.
class TILEWRIGHT_PRIVATE_API Lookup {
public:
  /// log2 of the factor: Database::nearest's distance.
  static constexpr double nearestDistance = 3;

  /// `plugins` are those of the compilation; may be null. Errors: as
  /// Database::open.
  static StatusOr<Lookup>
  open(const std::filesystem::path &path,
       std::shared_ptr<const Plugins> plugins = nullptr);

  /// `code` is a group as an outlined function, or a tile-level module. None if
  /// nothing fits. Errors: the database cannot be read.
  StatusOr<std::optional<Found>> find(const std::string &code,
                                      const std::string &target);

  /// The shapes that a tile kernel of this very code, with dynamic sizes, was
  /// tuned for, in the order of their arguments' text. Errors: as find().
  StatusOr<std::vector<FoundShape>> shapesOf(const std::string &code,
                                             const std::string &target);

private:
  Lookup(Database database, std::shared_ptr<const Plugins> plugins)
      : database(std::move(database)), plugins(std::move(plugins)) {}
  StatusOr<std::optional<TrialRecord>> bestOf(const std::string &task,
                                              const std::string &device);
  StatusOr<std::optional<Found>> findNear(TaskRecord record,
                                          const std::string &device);

  Database database;
  std::shared_ptr<const Plugins> plugins;
  /// This machine's, by kind of device; found out once.
  std::string cpuHardware;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_LOOKUP_H

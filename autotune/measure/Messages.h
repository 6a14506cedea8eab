// What workers and their parent say to each other. For sources only.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_MESSAGES_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_MESSAGES_H

#include "autotune/measure/Measurement.h"
#include "tilewright/support/Export.h"
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilewright::autotune {

using Json = nlohmann::json;

[[nodiscard]] Json toJson(const TaskRecord &task);
/// Members that are missing are empty.
[[nodiscard]] TaskRecord taskFromJson(const Json &json);
[[nodiscard]] Json toJson(const Measured &measured);
[[nodiscard]] Measured measuredFromJson(const Json &json);

/// Lines of text over one end of a socket pair, which it owns.
class TILEWRIGHT_PRIVATE_API LineSocket {
public:
  explicit LineSocket(int descriptor) : descriptor(descriptor) {}
  ~LineSocket();
  LineSocket(const LineSocket &) = delete;
  LineSocket &operator=(const LineSocket &) = delete;

  /// The next line without its end; none when the other end is closed or after
  /// `timeout` (see timedOut()).
  std::optional<std::string>
  readLine(std::optional<std::chrono::milliseconds> timeout = std::nullopt);
  [[nodiscard]] bool timedOut() const { return isLate; }
  /// False when the other end is closed.
  bool writeLine(const std::string &line);

private:
  int descriptor;
  std::string pending;
  bool isLate = false;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_MESSAGES_H

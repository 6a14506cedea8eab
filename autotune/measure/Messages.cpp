#include "autotune/measure/Messages.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tilewright::autotune {

Json toJson(const TaskRecord &task) {
  return {{"label", task.label},
          {"target", task.target},
          {"code", task.code},
          {"arguments", task.arguments}};
}

TaskRecord taskFromJson(const Json &json) {
  TaskRecord task;
  task.label = json.value("label", "");
  task.target = json.value("target", "");
  task.code = json.value("code", "");
  task.arguments = json.value("arguments", "");
  return task;
}

static Json toJson(const Interval &interval) {
  return {interval.median, interval.low, interval.high};
}

static Interval intervalFromJson(const Json &json) {
  return {json.at(0), json.at(1), json.at(2)};
}

Json toJson(const Measured &measured) {
  Json counted = Json::array();
  for (const runtime::Counter &counter : measured.counted)
    counted.push_back({counter.name, counter.value});
  return {{"samples", measured.time.samples},
          {"time", toJson(measured.time.interval)},
          {"least", measured.time.least},
          {"deviation", measured.time.deviation},
          {"ratio", toJson(measured.ratio)},
          {"standing", int(measured.standing)},
          {"seconds", measured.seconds},
          {"counted", std::move(counted)}};
}

Measured measuredFromJson(const Json &json) {
  Measured measured;
  measured.time.samples = json.at("samples");
  measured.time.interval = intervalFromJson(json.at("time"));
  measured.time.least = json.at("least");
  measured.time.deviation = json.at("deviation");
  measured.ratio = intervalFromJson(json.at("ratio"));
  measured.standing = Standing(json.at("standing").get<int>());
  measured.seconds = json.at("seconds");
  for (const Json &counter : json.at("counted"))
    measured.counted.push_back({counter.at(0), counter.at(1)});
  return measured;
}

LineSocket::~LineSocket() { ::close(descriptor); }

std::optional<std::string>
LineSocket::readLine(std::optional<std::chrono::milliseconds> timeout) {
  using Clock = std::chrono::steady_clock;
  isLate = false;
  Clock::time_point end =
      Clock::now() + timeout.value_or(std::chrono::milliseconds(0));
  while (true) {
    if (size_t at = pending.find('\n'); at != std::string::npos) {
      std::string line = pending.substr(0, at);
      pending.erase(0, at + 1);
      return line;
    }
    int wait = -1;
    if (timeout) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - Clock::now());
      wait = int(std::max<int64_t>(left.count(), 0));
    }
    pollfd events = {descriptor, POLLIN, 0};
    int ready = ::poll(&events, 1, wait);
    if (ready < 0 && errno == EINTR)
      continue;
    isLate = ready == 0;
    if (ready <= 0)
      return std::nullopt;
    char buffer[4096];
    ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    pending.append(buffer, size_t(count));
  }
}

bool LineSocket::writeLine(const std::string &line) {
  std::string bytes = line + "\n";
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count = ::send(descriptor, bytes.data() + sent, bytes.size() - sent,
                           MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    sent += size_t(count);
  }
  return true;
}

} // namespace tilewright::autotune

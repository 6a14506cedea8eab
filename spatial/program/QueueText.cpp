#include "spatial/program/InstructionText.h"
#include <charconv>

namespace tilewright::spatial {

/// Takes `prefix` and digits.
static bool takeNumber(std::string_view &text, std::string_view prefix,
                       int32_t &number) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  if (text.empty() || text[0] < '0' || text[0] > '9')
    return false;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc())
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

std::optional<Queue> parseQueue(std::string_view text) {
  Queue queue;
  if (!takeNumber(text, "u", queue.position))
    return std::nullopt;
  if (takeNumber(text, ".p", queue.index)) {
    queue.kind = text == ".w" ? QueueKind::weights : QueueKind::activations;
    return text == ".w" || text == ".a" ? std::optional(queue) : std::nullopt;
  }
  static constexpr std::pair<std::string_view, QueueKind> kinds[] = {
      {".b", QueueKind::bank},
      {".a", QueueKind::alu},
      {".s", QueueKind::port},
      {".t", QueueKind::send},
      {".r", QueueKind::receive}};
  for (auto [prefix, kind] : kinds)
    if (text.starts_with(prefix)) {
      queue.kind = kind;
      if (takeNumber(text, prefix, queue.index) && text.empty())
        return queue;
    }
  return std::nullopt;
}

void appendQueue(const Queue &queue, std::string &out) {
  out += 'u';
  out += std::to_string(queue.position);
  out += '.';
  switch (queue.kind) {
  case QueueKind::bank:
    out += 'b';
    break;
  case QueueKind::weights:
  case QueueKind::activations:
    out += 'p';
    break;
  case QueueKind::alu:
    out += 'a';
    break;
  case QueueKind::port:
    out += 's';
    break;
  case QueueKind::send:
    out += 't';
    break;
  case QueueKind::receive:
    out += 'r';
    break;
  }
  out += std::to_string(queue.index);
  if (queue.kind == QueueKind::weights)
    out += ".w";
  if (queue.kind == QueueKind::activations)
    out += ".a";
}

std::string printQueue(const Queue &queue) {
  std::string text;
  appendQueue(queue, text);
  return text;
}

} // namespace tilewright::spatial

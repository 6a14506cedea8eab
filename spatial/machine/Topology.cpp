#include "spatial/machine/MachineJson.h"
#include "support/Format.h"

namespace tilewright::spatial {

using runtime::JsonCursor;

/// Ends of links that a machine may have.
static constexpr int64_t mostEnds = 1 << 20;

static int64_t linksOfChip(const Machine &machine) {
  int64_t links = 0;
  for (const Unit &unit : machine.units)
    links += unit.links;
  return links;
}

static void connect(Machine &machine, LinkEnd a, LinkEnd b) {
  machine.links[a] = b;
  machine.links[b] = a;
}

/// Whether a chip has the links that a topology needs. If not, an error.
static bool hasLinks(const JsonCursor &json, const Machine &machine,
                     int64_t needed) {
  int64_t found = linksOfChip(machine);
  if (needed > found)
    json.fail(format("expected {} links of each of {} chips, found {} in the "
                     "units",
                     {needed, machine.chips, found}));
  else if (needed * machine.chips > mostEnds)
    json.fail(format("expected at most {} ends of links, found {} on each of "
                     "{} chips",
                     {mostEnds, needed, machine.chips}));
  else
    return true;
  return false;
}

/// Links k x width .. of a chip lead to the k-th of the others.
static void connectAll(const JsonCursor &json, Machine &machine,
                       int64_t width) {
  const int64_t chips = machine.chips;
  if (!hasLinks(json, machine, (chips - 1) * width))
    return;
  for (int64_t a = 0; a < chips; ++a)
    for (int64_t b = a + 1; b < chips; ++b)
      for (int64_t i = 0; i < width; ++i)
        connect(machine, {a, (b - 1) * width + i}, {b, a * width + i});
}

/// Link 0 of a chip leads to link 1 of the next.
static void connectRing(const JsonCursor &json, Machine &machine) {
  if (machine.chips == 1 || !hasLinks(json, machine, 2))
    return;
  for (int64_t a = 0; a < machine.chips; ++a)
    connect(machine, {a, 0}, {(a + 1) % machine.chips, 1});
}

/// One of the entries [chipA, linkA, chipB, linkB].
static void connectListed(const JsonCursor &entry, Machine &machine) {
  std::vector<JsonCursor> ends = entry.elements();
  if (entry.failed())
    return;
  if (ends.size() != 4)
    return entry.expected("a list [chip, link, chip, link]");
  const int64_t links = linksOfChip(machine);
  if (links == 0)
    return entry.fail("the units of a chip have no links");
  LinkEnd a{NumberReader::unnoted(ends[0], machine.chips - 1),
            NumberReader::unnoted(ends[1], links - 1)};
  LinkEnd b{NumberReader::unnoted(ends[2], machine.chips - 1),
            NumberReader::unnoted(ends[3], links - 1)};
  if (entry.failed())
    return;
  if (a.chip == b.chip)
    return entry.expected("a link between two chips");
  for (LinkEnd end : {a, b})
    if (machine.links.contains(end))
      return entry.fail(format("link {} of chip {} already leads to link {} of "
                               "chip {}",
                               {end.link, end.chip, machine.links[end].link,
                                machine.links[end].chip}));
  connect(machine, a, b);
}

void readTopology(const JsonCursor &json, Machine &machine,
                  NumberReader &numbers) {
  std::string kind = json.at("kind").string();
  if (kind == "all") {
    json.allowOnly({"kind", "width"});
    int64_t width = json.has("width")
                        ? numbers.member(json, "topology", "width", 1, mostEnds)
                        : 1;
    if (!json.failed())
      connectAll(json, machine, width);
  } else if (kind == "ring") {
    json.allowOnly({"kind"});
    if (!json.failed())
      connectRing(json, machine);
  } else if (kind == "list") {
    json.allowOnly({"kind", "links"});
    for (const JsonCursor &entry : json.at("links").elements())
      connectListed(entry, machine);
  } else {
    json.at("kind").expected("all, ring or list");
  }
}

} // namespace tilewright::spatial

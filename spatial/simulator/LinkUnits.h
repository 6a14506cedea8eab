// Links between chips (M8).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_LINKUNITS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_LINKUNITS_H

#include "spatial/simulator/Core.h"
#include <map>

namespace tilewright::spatial {

class LinkUnits {
public:
  explicit LinkUnits(Core &core) : core(core) {}

  void send(const Issue &issue);
  void receive(const Issue &issue);

  /// The first cycle in which a packet arrives.
  [[nodiscard]] int64_t nextArrival() const { return packets.next(); }
  /// What arrives now can be received in this cycle.
  void arriveDue();
  /// Finds what arrived in this cycle and was not received.
  void endCycle();

private:
  struct Packet {
    Issue issue;
    NamedPlane plane;
    LinkEnd to;
    bool isReceived = false;
  };

  Core &core;
  Calendar<Packet> packets;
  /// Those of this cycle.
  std::vector<Packet> arrived;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_LINKUNITS_H

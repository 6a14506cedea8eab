//===- ShufflePlan.cpp - Conversions within a warp ------------------------===//
//
// The element of register r of lane l comes from register R(r, l) and lane
// L(r, l) of its warp, both linear. A round delivers one register to each lane.
// If all lanes received the same register, several could need one lane at once.
// So the register that lane l receives in round k is k + A l, with A chosen to
// maximize the number of lanes that are read, M l + L k with M = L_lane + L_reg
// A. Where M is injective, each lane is read by one other and offers the
// register that one needs. Where it is not, lanes that read the same lane may
// need different registers of it: the round is repeated for each difference D,
// and lanes reject values meant for others.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/ConversionPlanning.h"

namespace tilewright::layout {

namespace {
/// Converts sources into rounds.
class RoundPlanner {
public:
  RoundPlanner(const ConversionPlan &plan, const WarpSource &source,
               unsigned laneBits, unsigned elementBits)
      : plan(plan), itemBits(plan.to.itemBits), laneBits(laneBits),
        threadBits(plan.to.map.inBits() - itemBits), reg(source.reg),
        lane(source.laneChange) {
    for (unsigned i = 0; i < laneBits; ++i) // The lane, no longer the change.
      lane.setColumn(itemBits + i, lane.column(itemBits + i) ^ Bits(1) << i);
    groupRegisters(elementBits);
    chooseSkew();
    invertReads();
  }

  std::vector<RoundPair> pairs;
  std::vector<Round> rounds() const;

private:
  void groupRegisters(unsigned elementBits);
  void chooseSkew();
  void invertReads();
  Round round(Bits first, Bits difference) const;

  const ConversionPlan &plan;
  unsigned itemBits, laneBits, threadBits;
  LinearMap reg, lane;  // R and L, of (register, lane, warp, block) bits.
  Bits free = 0;        // Register bits that rounds count through.
  LinearMap skew;       // A: lane -> register of `to`.
  LinearMap reads;      // M: lane -> lane that it reads.
  LinearMap readBack;   // A right inverse of M, on all lanes.
  LinearMap offered;    // lane -> register that it needs, A included.
  LinearMap difference; // D: lane -> what readBack gets wrong of `offered`.
};
} // namespace

/// Copies get the register that they copy; registers that travel together share
/// a 32-bit register.
void RoundPlanner::groupRegisters(unsigned elementBits) {
  LinearMap items = plan.to.itemMap();
  Bits copies = items.dependentBits();
  pairs = {{0, 0}};
  auto doublePairs = [&](Bits send, Bits receive) {
    for (size_t i = 0, size = pairs.size(); i < size; ++i)
      pairs.push_back({pairs[i].send ^ send, pairs[i].receive ^ receive});
  };
  for (unsigned bit = 0; bit < itemBits; ++bit) {
    if (copies >> bit & 1)
      continue;
    bool together = !lane.column(bit) && pairs.size() * elementBits < 32;
    if (together)
      doublePairs(reg.column(bit), Bits(1) << bit);
    else
      free |= Bits(1) << bit;
  }
  items.kernel().forEach([&](Bits mask) { doublePairs(0, mask); });
}

void RoundPlanner::chooseSkew() {
  skew = LinearMap(laneBits, itemBits);
  reads = lane.restrict(itemBits, laneBits);
  Subspace read;
  Bits dependent = reads.dependentBits();
  for (unsigned i = 0; i < laneBits; ++i)
    if (!(dependent >> i & 1))
      read.insert(reads.column(i));
  Subspace copies =
      plan.from.map.restrict(0, plan.from.itemBits + laneBits).kernel();
  for (unsigned i = 0; i < laneBits; ++i) {
    if (!(dependent >> i & 1))
      continue;
    bool found = false;
    for (unsigned bit = 0; bit < itemBits && !found; ++bit)
      if (free >> bit & 1 && read.insert(lane.column(bit))) {
        skew.setColumn(i, Bits(1) << bit);
        reads.setColumn(i, reads.column(i) ^ lane.column(bit));
        found = true;
      }
    // Lanes that hold copies may be read instead.
    copies.forEach([&](Bits mask) {
      Bits change = mask >> plan.from.itemBits;
      if (found || !read.insert(change))
        return;
      reads.setColumn(i, reads.column(i) ^ change);
      reg.setColumn(itemBits + i, reg.column(itemBits + i) ^
                                      (mask & lowBits(plan.from.itemBits)));
      found = true;
    });
  }
}

void RoundPlanner::invertReads() {
  // Lanes that nobody reads have an arbitrary inverse: here, zero.
  LinearMap complete = reads;
  for (unsigned i = 0; i < laneBits; ++i)
    complete.append(Bits(1) << i);
  Solver solver(complete);
  readBack = LinearMap(laneBits, laneBits);
  for (unsigned i = 0; i < laneBits; ++i)
    readBack.setColumn(i, *solver.solve(Bits(1) << i) & lowBits(laneBits));
  LinearMap ofRegisters = reg.restrict(0, itemBits).compose(skew);
  offered = LinearMap(laneBits, plan.from.itemBits);
  difference = offered;
  for (unsigned i = 0; i < laneBits; ++i)
    offered.setColumn(i, reg.column(itemBits + i) ^ ofRegisters.column(i));
  for (unsigned i = 0; i < laneBits; ++i)
    difference.setColumn(i, offered.column(i) ^
                                offered.apply(readBack.apply(reads.column(i))));
}

Round RoundPlanner::round(Bits first, Bits wanted) const {
  LinearMap offers = offered.compose(readBack);
  Round result;
  result.send.linear = LinearMap(threadBits, plan.from.itemBits);
  result.sourceLane.linear = LinearMap(threadBits, laneBits);
  result.receive.linear = LinearMap(threadBits, itemBits);
  result.reject.linear = LinearMap(threadBits, plan.from.itemBits);
  for (unsigned i = 0; i < threadBits; ++i) {
    if (i < laneBits) {
      result.send.linear.setColumn(i, offers.column(i));
      result.sourceLane.linear.setColumn(i, reads.column(i));
      result.receive.linear.setColumn(i, skew.column(i));
      result.reject.linear.setColumn(i, difference.column(i));
      continue;
    }
    Bits from = lane.column(itemBits + i);
    result.sourceLane.linear.setColumn(i, from);
    result.send.linear.setColumn(i,
                                 reg.column(itemBits + i) ^ offers.apply(from));
  }
  result.sourceLane.constant = lane.apply(first);
  result.send.constant =
      reg.apply(first) ^ offers.apply(lane.apply(first)) ^ wanted;
  result.receive.constant = first;
  result.reject.constant = wanted;
  LinearMap own = LinearMap::identity(laneBits);
  for (unsigned i = laneBits; i < threadBits; ++i)
    own.append(0);
  result.isXor = result.sourceLane.linear == own;
  result.xorMask = result.isXor ? result.sourceLane.constant : 0;
  result.crossesLanes = !result.isXor || result.xorMask;
  return result;
}

std::vector<Round> RoundPlanner::rounds() const {
  std::vector<Bits> differences = {0};
  difference.image().forEach([&](Bits each) {
    for (size_t i = 0, size = differences.size(); i < size; ++i)
      differences.push_back(differences[i] ^ each);
  });
  std::vector<Round> result;
  Bits first = 0;
  do { // Subsets of `free` in increasing order.
    for (Bits each : differences)
      result.push_back(round(first, each));
    first = (first - free) & free;
  } while (first);
  return result;
}

void planRounds(ConversionPlan &plan, const WarpSource &source,
                unsigned laneBits, unsigned elementBits) {
  RoundPlanner planner(plan, source, laneBits, elementBits);
  plan.rounds = planner.rounds();
  plan.pairs = planner.pairs;
  int64_t crossing = 0;
  for (const Round &round : plan.rounds)
    crossing += round.crossesLanes;
  plan.shuffles = crossing * plan.frame.repeatCount() *
                  (elementBits > 32 ? elementBits / 32 : 1);
}

} // namespace tilewright::layout

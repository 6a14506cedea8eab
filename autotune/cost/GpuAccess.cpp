//===- GpuAccess.cpp - Accesses of warps to views -------------------------===//
#include "autotune/cost/GpuAccess.h"

#include "codegen/transforms/ElementOrder.h"
#include <map>

using namespace mlir;

namespace tilewright::autotune {

namespace {
constexpr int64_t sectorBytes = 32;

/// A tile's position relative to its view; tiles with equal ones have equal
/// costs.
struct Location {
  /// Elements of the tile from `from` to `to` along each dimension are in the
  /// view.
  std::vector<int64_t> from, to;
  /// Bytes from the last boundary of a sector to the tile's element 0.
  int64_t misalignment = 0;
  auto operator<=>(const Location &) const = default;
};

struct Counted {
  double requests = 0, sectors = 0;
};

/// One access of all threads of a block.
class BlockAccess {
public:
  BlockAccess(const layout::Layout &layout, layout::VectorAccess groups,
              std::vector<int64_t> byteStrides, const layout::Dims &tile,
              int64_t bytes, bool isStore, bool isCopy)
      : layout(layout), groups(std::move(groups)),
        byteStrides(std::move(byteStrides)), tile(tile), bytes(bytes),
        isStore(isStore), readsOutside(!isStore && !isCopy) {}

  [[nodiscard]] Counted count(const Location &location) const;

private:
  [[nodiscard]] bool takesPart(const layout::HardwareIndex &index,
                               const layout::Dims &at,
                               const Location &location) const;

  const layout::Layout &layout;
  layout::VectorAccess groups;
  std::vector<int64_t> byteStrides;
  const layout::Dims &tile;
  int64_t bytes;
  bool isStore;
  /// Whether threads whose element is outside read the view's first one.
  bool readsOutside;
};
} // namespace

/// Whether a thread's access moves something that is in the view.
bool BlockAccess::takesPart(const layout::HardwareIndex &index,
                            const layout::Dims &at,
                            const Location &location) const {
  for (unsigned dim = 0; dim < at.rank(); ++dim)
    if (at[dim] >= tile[dim] || at[dim] < location.from[dim] ||
        at[dim] >= location.to[dim])
      return false;
  return !isStore || layout.isOwner(index);
}

Counted BlockAccess::count(const Location &location) const {
  Counted result;
  int64_t lanes = layout.size(layout::HardwareDim::lane);
  int64_t warps = layout.size(layout::HardwareDim::warp);
  std::vector<int64_t> touched;
  for (int64_t warp = 0; warp < warps; ++warp)
    for (size_t i = 0; i < groups.registers.size(); i += groups.elements) {
      touched.clear();
      bool isOutside = false;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        auto index = layout::inRegister(groups.registers[i], lane, warp);
        layout::Dims at = layout.apply(index);
        if (!takesPart(index, at, location)) {
          isOutside = true;
          continue;
        }
        int64_t address = location.misalignment;
        for (unsigned dim = 0; dim < at.rank(); ++dim)
          address += at[dim] * byteStrides[dim];
        int64_t last = address + bytes * groups.elements - 1;
        for (int64_t sector = address / sectorBytes;
             sector <= last / sectorBytes; ++sector)
          touched.push_back(sector);
      }
      if (isStore && touched.empty())
        continue;
      llvm::sort(touched);
      auto distinct = std::unique(touched.begin(), touched.end());
      result.sectors += double(distinct - touched.begin()) +
                        (readsOutside && isOutside ? 1 : 0);
      ++result.requests;
    }
  return result;
}

/// The tile's location for one point of the variables.
static std::optional<Location>
tileAt(const LoopNest &nest, ValueRange offsets, ArrayRef<int64_t> dims,
       ArrayRef<int64_t> steps, ArrayRef<int64_t> tile,
       ArrayRef<int64_t> byteStrides, bool byElement,
       std::span<const int64_t> point) {
  Location location;
  int64_t address = 0;
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    std::optional<int64_t> offset = nest.valueAt(offsets[dim], point);
    if (!offset)
      return std::nullopt;
    int64_t first = *offset * (byElement ? 1 : tile[dim]), step = steps[dim];
    int64_t from = first < 0 ? (-first + step - 1) / step : 0;
    int64_t to = tile[dim];
    if (dims[dim] >= 0)
      to = first >= dims[dim]
               ? 0
               : std::min(to, (dims[dim] - 1 - first) / step + 1);
    location.from.push_back(from);
    location.to.push_back(to);
    address += first * (byteStrides[dim] / step);
  }
  location.misalignment = ((address % sectorBytes) + sectorBytes) % sectorBytes;
  return location;
}

ViewTraffic viewTraffic(tile::ViewAccessOpInterface op, const LoopNest &nest,
                        Value live) {
  RankedTensorType type = op.getTile().getType();
  const layout::Layout &layout = tilegpu::layoutOf(type);
  int64_t bytes = tilegpu::elementBits(type.getElementType()) / 8;
  tilegpu::ElementOrder memory = tilegpu::elementOrder(op);
  layout::VectorAccess groups =
      layout::vectorAccess(layout, memory.order, unsigned(bytes * 8),
                           unsigned(bytes * memory.contiguous));
  std::vector<int64_t> steps(size_t(type.getRank()), 1);
  if (!op.getSteps().empty())
    steps.assign(op.getSteps().begin(), op.getSteps().end());
  std::vector<int64_t> strides = nest.stridesOf(op.getView());
  // Strides that are not known are taken to be far.
  for (size_t dim = 0; dim < strides.size(); ++dim)
    strides[dim] =
        (strides[dim] < 0 ? 4096 : strides[dim]) * bytes * steps[dim];
  std::vector<int64_t> dims = nest.dimsOf(op.getView());
  ViewTraffic traffic;
  traffic.elements = groups.elements;
  traffic.groups = double(groups.registers.size()) / groups.elements;
  layout::Dims shape = tilegpu::toDims(type.getShape());
  BlockAccess access(layout, groups, strides, shape, bytes,
                     op.getWrittenTile() != nullptr,
                     isa<tilegpu::CopyOp>(op->getParentOp()));
  std::map<Location, Counted> known;
  std::set<int> needed;
  SmallVector<Value> deciding(op.getOffsets());
  if (live)
    deciding.push_back(live);
  for (Value value : deciding)
    for (int variable : nest.linear(value, 1).variables)
      needed.insert(variable);
  std::vector<int> variables(needed.begin(), needed.end());
  auto isLive = [&](std::span<const int64_t> point) {
    return !live || nest.valueAt(live, point).value_or(1) != 0;
  };
  traffic.liveShare = *nest.mean(variables, [&](auto point) {
    return std::optional(isLive(point) ? 1.0 : 0.0);
  });
  if (traffic.liveShare == 0)
    return traffic;
  auto meanOf = [&](auto part) {
    const std::optional<double> ofAll = nest.mean(
        variables,
        [&](std::span<const int64_t> point) -> std::optional<double> {
          if (!isLive(point))
            return 0;
          std::optional<Location> location =
              tileAt(nest, op.getOffsets(), dims, steps, type.getShape(),
                     strides, op.getByElement(), point);
          if (!location)
            location = Location{std::vector<int64_t>(dims.size(), 0),
                                std::vector<int64_t>(type.getShape()), 0};
          auto [found, isNew] = known.try_emplace(*location);
          if (isNew)
            found->second = access.count(*location);
          return part(*location, found->second);
        });
    return *ofAll / traffic.liveShare;
  };
  using Part = const Counted &;
  traffic.requests =
      meanOf([](const Location &, Part counted) { return counted.requests; });
  traffic.sectors =
      meanOf([](const Location &, Part counted) { return counted.sectors; });
  traffic.wholeShare = meanOf([&](const Location &location, Part) {
    for (size_t dim = 0; dim < location.from.size(); ++dim)
      if (location.from[dim] != 0 || location.to[dim] != type.getDimSize(dim))
        return 0.0;
    return 1.0;
  });
  return traffic;
}

} // namespace tilewright::autotune

// Planes of matrix units (M5).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_MATRIXUNITS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_MATRIXUNITS_H

#include "spatial/simulator/Core.h"
#include <optional>

namespace tilewright::spatial {

class MatrixUnits {
public:
  explicit MatrixUnits(Core &core) : core(core), units(core.units()) {}

  void load(const Issue &issue);
  /// Of one cycle, a plane's mul is begun before its load.
  void mul(const Issue &issue);

  /// The first cycle in which a product is ready.
  [[nodiscard]] int64_t nextProduct() const { return products.next(); }
  /// Takes accumulators and puts the products that are ready now.
  void finishDue();

private:
  struct Buffer {
    /// By row; empty before the first load.
    std::vector<std::optional<NameId>> names;
    std::vector<VectorRef> rows;
    std::vector<const Lane *> lanes;
  };
  struct Accumulator {
    NameId name = 0;
    VectorRef lanes;
  };
  struct Plane {
    std::vector<Buffer> buffers;
    std::unordered_map<int64_t, Accumulator> accumulators;
    /// The last cycle of the mul in progress, and its buffer.
    int64_t busyUntil = -1, busyBuffer = -1;
  };
  struct Product {
    Issue issue;
    VectorRef lanes;
  };

  Plane &plane(const Issue &issue);
  Buffer &buffer(Plane &plane, int64_t index);
  bool checkBuffer(const Issue &issue, const Buffer &buffer);
  void finish(Product &product);
  void accumulate(const Issue &issue, const Port &port, VectorRef &lanes);

  Core &core;
  /// [unit][plane].
  std::vector<std::vector<Plane>> units;
  Calendar<Product> products;
  std::vector<Product> due;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_MATRIXUNITS_H

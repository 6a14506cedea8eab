#include "CoveredOps.h"

namespace tilewright::kerneltest {

namespace {
/// Whether some bit of a part of the hardware index moves along the axis.
bool moves(const layout::Layout &layout, layout::HardwareDim part,
           size_t axis) {
  for (layout::Bits column : layout.columns(part))
    if (layout.cellCoordinates(column)[axis])
      return true;
  return false;
}

const Situation allSituations[] = {
    {"registers",
     "each thread has whole fibers in its registers",
     {96, 2},
     1,
     1,
     [](const layout::Layout &l, const Situation &s) {
       return !moves(l, layout::HardwareDim::lane, s.axis) &&
              !moves(l, layout::HardwareDim::warp, s.axis);
     }},
    {"lanes",
     "lanes of one warp share a fiber",
     {4, 64},
     1,
     1,
     [](const layout::Layout &l, const Situation &s) {
       return moves(l, layout::HardwareDim::lane, s.axis) &&
              !moves(l, layout::HardwareDim::warp, s.axis);
     }},
    {"warps",
     "several warps share a fiber",
     {2, 512},
     1,
     4,
     [](const layout::Layout &l, const Situation &s) {
       return moves(l, layout::HardwareDim::warp, s.axis);
     }},
    {"outer axis",
     "fibers run across the rows of memory",
     {32, 16},
     0,
     2,
     [](const layout::Layout &l, const Situation &s) {
       return moves(l, layout::HardwareDim::lane, s.axis) ||
              moves(l, layout::HardwareDim::warp, s.axis);
     }},
    {"padding",
     "no size is a power of two",
     {5, 7},
     1,
     2,
     [](const layout::Layout &l, const Situation &s) {
       return l.shape().product() > s.shape[0] * s.shape[1];
     }},
    {"copies",
     "more threads than elements",
     {1, 3},
     1,
     4,
     [](const layout::Layout &l, const Situation &) { return l.copies() > 1; }},
};

const std::vector<std::string> reals = {
    "f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
const std::vector<std::string> integers = {"i1",  "i4",  "i8",   "i16",
                                           "i32", "i64", "index"};

std::vector<std::string> both(std::vector<std::string> a,
                              const std::vector<std::string> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const std::vector<std::string> all = both(reals, integers);

std::string at(size_t axis) { return " axis " + std::to_string(axis); }

/// A region that combines two elements whatever their order.
std::string combiner(const std::string &element) {
  std::string op = isFloat(element) ? "arith.maximumf" : "arith.xori";
  return " {\n^bb0(%a: " + element + ", %b: " + element + "):\n%z = " + op +
         " %a, %b : " + element + "\ntile.yield %z : " + element + "\n} : ";
}

/// A tile of pointers to the elements of a separate array.
Value pointers(KernelText &k, const TileType &type) {
  Input memory;
  memory.dims = {type.count()};
  Value base = k.argument("!tile.ptr<" + type.element + ">", memory);
  Value count = k.op("tile.iota : %r", {}, tile("i32", {type.count()}));
  Value offsets = k.op("tile.reshape $0 : %0 -> %r", {count}, type.of("i32"));
  return k.op("tile.offset $0, $1 : %0, %1", {base, offsets},
              type.of("!tile.ptr<" + type.element + ">"));
}

const CoveredOp allOps[] = {
    {"tile.load, tile.store", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       k.store(k.load(tile(e, s.shape)));
     }},
    {"tile.load_ptr, tile.store_ptr",
     both(reals, {"i1", "i8", "i16", "i32", "i64"}),
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value mask = k.load(type.of("i1"));
       Value x = k.op("tile.load_ptr $0 : %0", {pointers(k, type)}, type);
       k.effect("tile.store_ptr $0, $1 mask $2 : %1",
                {x, pointers(k, type), mask});
     }},
    {"tile.splat", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       Value one =
           k.op("tile.extract $0[%c0] : %0", {k.load(tile(e, {1}))}, scalar(e));
       k.store(k.op("tile.splat $0 : %0 -> %r", {one}, tile(e, s.shape)));
     }},
    {"tile.broadcast", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.load(type));
       k.store(k.op("tile.broadcast $0 : %0 -> %r",
                    {k.load(type.withSize(s.axis, 1))}, type));
     }},
    {"tile.reshape", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.op("tile.reshape $0 : %0 -> %r", {k.load(type)},
                    tile(e, {s.shape[1], s.shape[0]})));
     }},
    {"tile.transpose", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       k.store(k.op("tile.transpose $0 [1, 0] : %0 -> %r",
                    {k.load(tile(e, s.shape))},
                    tile(e, {s.shape[1], s.shape[0]})));
     }},
    {"tile.join, tile.split", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value x = k.load(type);
       Value joined = k.op("tile.join $0, $1 : %0, %1 -> %r", {x, k.load(type)},
                           tile(e, {s.shape[0], s.shape[1], 2}));
       for (const Value &part :
            k.ops("tile.split $0 : %0 -> " + type.str() + ", " + type.str(),
                  {joined}, {type, type}))
         k.store(part);
     }},
    {"tile.concat", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.op("tile.concat $0, $1" + at(s.axis) + " : %0, %1 -> %r",
                    {k.load(type), k.load(type.withSize(s.axis, 1))},
                    type.withSize(s.axis, s.size() + 1)));
     }},
    {"tile.slice", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       std::string offsets = s.axis ? "[0, 1]" : "[1, 0]";
       k.store(k.op("tile.slice $0 " + offsets + " : %0 -> %r", {k.load(type)},
                    type.withSize(s.axis, s.size() - 1)));
     }},
    {"tile.extract", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       k.store(k.op(s.axis ? "tile.extract $0[%c0, %c1] : %0"
                           : "tile.extract $0[%c1, %c0] : %0",
                    {k.load(tile(e, s.shape))}, scalar(e)));
     }},
    {"tile.gather", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value from =
           k.load(type.of("i32"), {.low = 0, .high = double(s.size() - 1)});
       k.store(k.op("tile.gather $0, $1" + at(s.axis) + " : %0, %1 -> %r",
                    {k.load(type), from}, type));
     }},
    {"tile.reduce", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.op("tile.reduce $0" + at(s.axis) + combiner(e) + "%0 -> %r",
                    {k.load(type)}, tile(e, {s.shape[1 - s.axis]})));
     }},
    {"tile.scan", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.op("tile.scan $0" + at(s.axis) + combiner(e) + "%0 -> %r",
                    {k.load(type)}, type));
     }},
    {"tile.sort", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(
           k.op("tile.sort $0" + at(s.axis) + " : %0", {k.load(type)}, type));
     }},
    {"tile.top_k", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       TileType some = type.withSize(s.axis, (s.size() + 1) / 2);
       for (const Value &result :
            k.ops("tile.top_k $0" + at(s.axis) + " : %0 -> " + some.str() +
                      ", " + some.of("i32").str(),
                  {k.load(type)}, {some, some.of("i32")}))
         k.store(result);
     }},
    {"tile.histogram", integers,
     [](KernelText &k, const Situation &s, const std::string &e) {
       k.store(k.op("tile.histogram $0 : %0 -> %r",
                    {k.load(tile(e, s.shape), {.low = -1, .high = 9})},
                    tile("i32", {8})));
     }},
    {"tile.dot",
     {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "i4", "i8",
      "i16", "i32", "i64"},
     [](KernelText &k, const Situation &s, const std::string &e) {
       std::string sum = e == "f64" || e == "i64" ? e
                         : isFloat(e)             ? "f32"
                                                  : "i32";
       TileType lhs = tile(e, s.shape);
       TileType rhs = tile(e, {s.shape[1], s.shape[0]});
       TileType acc = tile(sum, {s.shape[0], s.shape[0]});
       k.store(k.op("tile.dot $0, $1, $2 : %0, %1 -> %r",
                    {k.load(lhs), k.load(rhs), k.load(acc)}, acc));
     }},
    {"tile.atomic_rmw",
     {"f64", "f32", "f16", "bf16", "i32", "i64"},
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value p = pointers(k, type);
       k.store(k.op("tile.atomic_rmw add relaxed device $0, $1 : %1",
                    {k.load(type), p}, type));
     }},
    {"tile.atomic_reduce",
     {"f64", "f32", "f16", "bf16", "i32", "i64"},
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value view = k.argument("!tile.view<" + type.body() + ">");
       k.effect("tile.atomic_reduce max relaxed device $0, $1[%c0, %c0] : %0, "
                "%1",
                {k.load(type), view});
     }},
    {"tile.convert", both(reals, {"i4", "i8", "i16", "i32", "i64", "index"}),
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       Value x = k.load(type);
       k.store(k.op("tile.convert $0 : %0 -> %r", {x},
                    type.of(e == "f32" ? "f16" : "f32")));
     }},
    {"arith.select", all,
     [](KernelText &k, const Situation &s, const std::string &e) {
       TileType type = tile(e, s.shape);
       k.store(k.op("arith.select $0, $1, $2 : %0, %r",
                    {k.load(type.of("i1")), k.load(type), k.load(type)}, type));
     }},
};
} // namespace

const std::vector<std::string> &allElements() { return all; }
llvm::ArrayRef<Situation> situations() { return allSituations; }
llvm::ArrayRef<CoveredOp> coveredOps() { return allOps; }

} // namespace tilewright::kerneltest

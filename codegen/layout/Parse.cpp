//===- Parse.cpp - Text to layouts ----------------------------------------===//
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "codegen/layout/TextArguments.h"
#include "codegen/layout/Transforms.h"
#include "support/Format.h"

namespace tilewright::layout {

static constexpr size_t maximumLength = 4096;

unsigned elementTypeBits(std::string_view name) {
  struct Type {
    std::string_view name;
    unsigned bits;
  };
  static constexpr Type types[] = {
      {"i1", 1},     {"i4", 4},        {"i8", 8},       {"i16", 16},
      {"i32", 32},   {"i64", 64},      {"f16", 16},     {"bf16", 16},
      {"tf32", 32},  {"f32", 32},      {"f64", 64},     {"f8E4M3FN", 8},
      {"f8E5M2", 8}, {"f8E8M0FNU", 8}, {"f4E2M1FN", 4},
  };
  for (const Type &type : types)
    if (type.name == name)
      return type.bits;
  return 0;
}

/// A family's result, or why there is none, with the text in front.
static Layout orFail(TextArguments &arguments, StatusOr<Layout> layout) {
  if (layout)
    return *layout;
  arguments.failWith(layout.status().message());
  return {};
}

/// repeat-order=1,0 dealt=4, of `counts` repeats.
static Repeats parseRepeats(TextArguments &arguments, const Dims &counts) {
  Dims dims, digitCounts;
  std::vector<TextArguments::Digit> order = arguments.digits("repeat-order");
  for (TextArguments::Digit digit : order) {
    bool isDim = digit.dim < int64_t(counts.rank());
    dims.append(digit.dim);
    digitCounts.append(digit.dim >= 0 && isDim ? counts[digit.dim]
                                               : digit.count);
  }
  int64_t parts = arguments.integerOr("dealt", 1);
  if (arguments.failed())
    return {};
  StatusOr<Repeats> repeats =
      order.empty() ? Repeats(counts)
                    : Repeats::ofDigits(counts.rank(), dims, digitCounts);
  if (!repeats)
    arguments.failWith(repeats.status().message());
  else if (!(repeats->counts() == counts))
    arguments.failWith(format("expected an order of all dimensions with "
                              "repeats, of {}",
                              {counts.text()}));
  else
    return repeats->dealtTo(parts);
  return {};
}

static Layout parseColumns(TextArguments &arguments, Kind kind) {
  Dims cell = arguments.shape("cell");
  Dims repeats = arguments.shapeOr("repeats", Dims(cell.rank(), 1));
  Dims cellBits = cell;
  unsigned total = 0;
  for (unsigned dim = 0; dim < cell.rank(); ++dim) {
    if (isPowerOfTwo(cell[dim]))
      total += cellBits[dim] = log2Floor(cell[dim]);
    else
      total = 64;
  }
  if (total > 40)
    arguments.failWith("expected a cell of powers of two and at most 2^40 "
                       "elements, found cell=" +
                       cell.text());
  if (arguments.failed())
    return {};
  LayoutBuilder builder(kind, cellBits, parseRepeats(arguments, repeats));
  for (HardwareDim hardwareDim : allHardwareDims)
    for (const Dims &column :
         arguments.columns(hardwareDimName(hardwareDim), cell.rank())) {
      for (unsigned dim = 0; dim < column.rank() && !arguments.failed(); ++dim)
        if (column[dim] >= cell[dim])
          arguments.failWith(format(
              "the {} moves by {} in dimension {} of the cell {}",
              {hardwareDimName(hardwareDim), column[dim], dim, cell.text()}));
      if (!arguments.failed())
        builder.addColumn(hardwareDim, cellIndexOf(column, cellBits));
    }
  return arguments.failed() ? Layout() : orFail(arguments, builder.tryBuild());
}

static Layout parseBlocked(TextArguments &arguments) {
  BlockedParameters p;
  p.shape = arguments.shape("shape");
  Dims ones(p.shape.rank(), 1);
  p.perThread = arguments.shapeOr("per-thread", ones);
  p.lanes = arguments.shape("lanes");
  p.warps = arguments.shapeOr("warps", ones);
  p.blocks = arguments.shapeOr("blocks", ones);
  p.order = arguments.listOr("order", rowMajorOrder(p.shape.rank()));
  return arguments.failed() ? Layout() : orFail(arguments, blocked(p));
}

static Layout parseCoalesced(TextArguments &arguments) {
  CoalescedParameters p;
  p.shape = arguments.shape("shape");
  p.elementBits = arguments.elementBits();
  p.warps = arguments.integerOr("warps", 4);
  p.order = arguments.listOr("order", {});
  p.vectorBits = arguments.integerOr("vector-bits", 128);
  return arguments.failed() ? Layout() : orFail(arguments, coalesced(p));
}

static Layout parseAccumulator(TextArguments &arguments) {
  Dims shape = arguments.shape("shape");
  int64_t warps = arguments.integerOr("warps", 4);
  return arguments.failed() ? Layout()
                            : orFail(arguments, accumulator(shape, warps));
}

/// Reads the m, n, k of "m16n8k16" and the operand after the dot.
static bool parseInstruction(std::string_view name, MmaShape &shape,
                             char &operand) {
  int64_t *parts[] = {&shape.m, &shape.n, &shape.k};
  for (unsigned i = 0; i < 3; ++i) {
    if (name.empty() || name.front() != "mnk"[i])
      return false;
    name.remove_prefix(1);
    size_t digits = 0;
    for (; digits < name.size() && digits < 4 && name[digits] >= '0' &&
           name[digits] <= '9';
         ++digits)
      *parts[i] = *parts[i] * 10 + (name[digits] - '0');
    if (!digits)
      return false;
    name.remove_prefix(digits);
  }
  if (name.size() != 2 || name[0] != '.' || name[1] < 'a' || name[1] > 'd')
    return false;
  operand = name[1];
  return true;
}

static Layout parseFragment(TextArguments &arguments, std::string_view name) {
  bool isWgmma = name.starts_with("wgmma.");
  MmaShape shape{0, 0, 0, 0};
  char letter = 0;
  if (!parseInstruction(name.substr(isWgmma ? 6 : 4), shape, letter) ||
      (isWgmma && shape.m != 64)) {
    arguments.fail(name, isWgmma ? "wgmma.m64nNkK and .a or .d"
                                 : "mma.mMnNkK and .a, .b, .c or .d");
    return {};
  }
  shape.bits = arguments.elementBits();
  Operand operand = letter == 'a'   ? Operand::a
                    : letter == 'b' ? Operand::b
                                    : Operand::c;
  if (arguments.failed())
    return {};
  Layout fragment = orFail(
      arguments, isWgmma ? wgmmaFragment(shape.n, shape.k, shape.bits, operand)
                         : mmaFragment(shape, operand));
  if (arguments.failed() || !arguments.has("shape"))
    return fragment;
  Dims tile = arguments.shape("shape");
  Dims warps = arguments.shapeOr("warps", {1, 1});
  Dims order = arguments.listOr("order", {});
  return arguments.failed()
             ? Layout()
             : orFail(arguments,
                      tileFragment(fragment, operand, tile, warps, order));
}

static Swizzle parseSwizzle(TextArguments &arguments, std::string_view name) {
  if (name == "none")
    return Swizzle::none;
  if (name == "32B")
    return Swizzle::b32;
  if (name == "64B")
    return Swizzle::b64;
  if (name != "128B")
    arguments.fail(name, "32B, 64B, 128B or none");
  return Swizzle::b128;
}

static Layout parseShared(TextArguments &arguments, std::string_view name) {
  if (name == "swizzle") {
    std::string_view mode = arguments.word("32B, 64B or 128B");
    Swizzle swizzle = parseSwizzle(arguments, mode);
    Dims shape = arguments.shapeWord();
    unsigned bits = arguments.elementBits();
    return arguments.failed()
               ? Layout()
               : orFail(arguments, swizzled(shape, bits, swizzle));
  }
  Dims shape = arguments.shapeWord();
  if (name == "tma") {
    unsigned bits = arguments.elementBits();
    Swizzle swizzle = Swizzle::none;
    if (arguments.has("swizzle"))
      swizzle = parseSwizzle(arguments, arguments.value("swizzle"));
    return arguments.failed() ? Layout()
                              : orFail(arguments, tmaBox(shape, bits, swizzle));
  }
  Dims order = rowMajorOrder(shape.rank());
  if (name == "column-major")
    for (unsigned dim = 0; dim < order.rank(); ++dim)
      order[dim] = dim;
  if (name == "dense")
    order = arguments.listOr("order", order);
  return arguments.failed() ? Layout() : orFail(arguments, dense(shape, order));
}

/// slice dim=1 of LAYOUT; transpose order=1,0 of LAYOUT
static Layout parseTransform(TextArguments &arguments, std::string_view name) {
  StatusOr<Layout> operand = parse(arguments.rest());
  if (!operand)
    arguments.failWith(operand.status().message());
  if (arguments.failed())
    return {};
  if (name == "slice") {
    // Beyond all ranks, so that no great number wraps to a dimension.
    int64_t dim = std::min<int64_t>(arguments.integerOr("dim", 0), maxRank);
    return orFail(arguments, slicedLayout(*operand, unsigned(dim)));
  }
  Dims order = arguments.listOr("order", rowMajorOrder(operand->rank()));
  if (!isPermutation(order, operand->rank()))
    arguments.failWith(
        format("expected an order of the {} dimensions", {operand->rank()}));
  return arguments.failed() ? Layout() : permute(*operand, order);
}

StatusOr<Layout> parse(std::string_view text) {
  if (text.size() > maximumLength) // Also bounds how deep layouts nest.
    return Status::invalidInput(
        format("layout: text of {} characters; at most {} are allowed",
               {text.size(), maximumLength}));
  TextArguments arguments(text);
  std::string_view name = arguments.word("the name of a family");
  Layout layout;
  if (name == "registers" || name == "memory")
    layout = parseColumns(arguments,
                          name == "memory" ? Kind::memory : Kind::registers);
  else if (name == "blocked")
    layout = parseBlocked(arguments);
  else if (name == "coalesced")
    layout = parseCoalesced(arguments);
  else if (name == "accumulator")
    layout = parseAccumulator(arguments);
  else if (name.starts_with("mma.") || name.starts_with("wgmma."))
    layout = parseFragment(arguments, name);
  else if (name.starts_with("ldmatrix.x") && name.size() >= 11 &&
           (name.size() == 11 || name.substr(11) == ".trans"))
    layout =
        orFail(arguments, ldmatrixFragment(name[10] - '0', name.size() > 11));
  else if (name == "swizzle" || name == "tma" || name == "dense" ||
           name == "row-major" || name == "column-major")
    layout = parseShared(arguments, name);
  else if (name == "slice" || name == "transpose")
    layout = parseTransform(arguments, name);
  else
    arguments.fail(name,
                   "one of blocked, coalesced, accumulator, mma.*, "
                   "wgmma.*, ldmatrix.x*, row-major, column-major, dense, "
                   "swizzle, tma, slice, transpose, registers, memory");
  arguments.finish();
  if (arguments.failed())
    return arguments.status();
  return layout;
}

} // namespace tilewright::layout

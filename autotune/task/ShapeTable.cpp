//===- ShapeTable.cpp - Operations by name and sizes, as tasks ------------===//
#include "autotune/task/ShapeTable.h"

#include "support/Format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <sstream>

namespace tilewright::autotune {

namespace {
/// One kind of line.
struct Operation {
  std::string_view name;
  /// The names of its sizes, separated by commas, as in messages and, as $NAME,
  /// in the code.
  std::string_view sizes;
  /// A module with $NAME for each size, and $T for the type.
  std::string_view code;
};
} // namespace

static constexpr std::string_view gemm = R"(
func.func @group(%a: tensor<$Mx$Kx$T>, %b: tensor<$Kx$Nx$T>) -> tensor<$Mx$Nx$T> {
  %zero = arith.constant 0.0 : $T
  %empty = tensor.empty() : tensor<$Mx$Nx$T>
  %init = linalg.fill ins(%zero : $T) outs(%empty : tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T>
  %c = linalg.matmul ins(%a, %b : tensor<$Mx$Kx$T>, tensor<$Kx$Nx$T>) outs(%init : tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T>
  return %c : tensor<$Mx$Nx$T>
}
)";

// $PH, $PW: the padded input; $OH, $OW: the output; $LH, $UH, ..: the padding
// before and after.
static constexpr std::string_view conv = R"(
func.func @group(%x: tensor<$Nx$Cx$Hx$Wx$T>, %f: tensor<$Fx$Cx$KHx$KWx$T>) -> tensor<$Nx$Fx$OHx$OWx$T> {
  %zero = arith.constant 0.0 : $T
  %p = tensor.pad %x low[0, 0, $LH, $LW] high[0, 0, $UH, $UW] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : $T
  } : tensor<$Nx$Cx$Hx$Wx$T> to tensor<$Nx$Cx$PHx$PWx$T>
  %empty = tensor.empty() : tensor<$Nx$Fx$OHx$OWx$T>
  %init = linalg.fill ins(%zero : $T) outs(%empty : tensor<$Nx$Fx$OHx$OWx$T>) -> tensor<$Nx$Fx$OHx$OWx$T>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<$S> : tensor<2xi64>}
      ins(%p, %f : tensor<$Nx$Cx$PHx$PWx$T>, tensor<$Fx$Cx$KHx$KWx$T>)
      outs(%init : tensor<$Nx$Fx$OHx$OWx$T>) -> tensor<$Nx$Fx$OHx$OWx$T>
  return %y : tensor<$Nx$Fx$OHx$OWx$T>
}
)";

static constexpr std::string_view depthwise = R"(
func.func @group(%x: tensor<$Nx$Cx$Hx$Wx$T>, %f: tensor<$Cx$KHx$KWx$T>) -> tensor<$Nx$Cx$OHx$OWx$T> {
  %zero = arith.constant 0.0 : $T
  %p = tensor.pad %x low[0, 0, $LH, $LW] high[0, 0, $UH, $UW] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : $T
  } : tensor<$Nx$Cx$Hx$Wx$T> to tensor<$Nx$Cx$PHx$PWx$T>
  %empty = tensor.empty() : tensor<$Nx$Cx$OHx$OWx$T>
  %init = linalg.fill ins(%zero : $T) outs(%empty : tensor<$Nx$Cx$OHx$OWx$T>) -> tensor<$Nx$Cx$OHx$OWx$T>
  %y = linalg.depthwise_conv_2d_nchw_chw {strides = dense<$S> : tensor<2xi64>}
      ins(%p, %f : tensor<$Nx$Cx$PHx$PWx$T>, tensor<$Cx$KHx$KWx$T>)
      outs(%init : tensor<$Nx$Cx$OHx$OWx$T>) -> tensor<$Nx$Cx$OHx$OWx$T>
  return %y : tensor<$Nx$Cx$OHx$OWx$T>
}
)";

static constexpr std::string_view softmax = R"(
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @group(%x: tensor<$Rx$Cx$T>) -> tensor<$Rx$Cx$T> {
  %zero = arith.constant 0.0 : $T
  %least = arith.constant 0xFF800000 : $T
  %rows = tensor.empty() : tensor<$Rx$T>
  %lows = linalg.fill ins(%least : $T) outs(%rows : tensor<$Rx$T>) -> tensor<$Rx$T>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Rx$Cx$T>) outs(%lows : tensor<$Rx$T>) {
  ^bb0(%a: $T, %b: $T):
    %m = arith.maximumf %b, %a : $T
    linalg.yield %m : $T
  } -> tensor<$Rx$T>
  %empty = tensor.empty() : tensor<$Rx$Cx$T>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<$Rx$Cx$T>, tensor<$Rx$T>) outs(%empty : tensor<$Rx$Cx$T>) {
  ^bb0(%a: $T, %m: $T, %o: $T):
    %d = arith.subf %a, %m : $T
    %p = math.exp %d : $T
    linalg.yield %p : $T
  } -> tensor<$Rx$Cx$T>
  %zeros = linalg.fill ins(%zero : $T) outs(%rows : tensor<$Rx$T>) -> tensor<$Rx$T>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<$Rx$Cx$T>) outs(%zeros : tensor<$Rx$T>) {
  ^bb0(%a: $T, %b: $T):
    %s = arith.addf %b, %a : $T
    linalg.yield %s : $T
  } -> tensor<$Rx$T>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<$Rx$Cx$T>, tensor<$Rx$T>) outs(%empty : tensor<$Rx$Cx$T>) {
  ^bb0(%a: $T, %s: $T, %o: $T):
    %q = arith.divf %a, %s : $T
    linalg.yield %q : $T
  } -> tensor<$Rx$Cx$T>
  return %y : tensor<$Rx$Cx$T>
}
)";

static constexpr std::string_view layerNorm = R"(
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#column = affine_map<(r, c) -> (c)>
func.func @group(%x: tensor<$Rx$Cx$T>, %scale: tensor<$Cx$T>, %shift: tensor<$Cx$T>) -> tensor<$Rx$Cx$T> {
  %zero = arith.constant 0.0 : $T
  %count = arith.constant $C.0 : $T
  %epsilon = arith.constant 1.0e-5 : $T
  %rows = tensor.empty() : tensor<$Rx$T>
  %zeros = linalg.fill ins(%zero : $T) outs(%rows : tensor<$Rx$T>) -> tensor<$Rx$T>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Rx$Cx$T>) outs(%zeros : tensor<$Rx$T>) {
  ^bb0(%a: $T, %b: $T):
    %s = arith.addf %b, %a : $T
    linalg.yield %s : $T
  } -> tensor<$Rx$T>
  %empty = tensor.empty() : tensor<$Rx$Cx$T>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<$Rx$Cx$T>, tensor<$Rx$T>) outs(%empty : tensor<$Rx$Cx$T>) {
  ^bb0(%a: $T, %s: $T, %o: $T):
    %mean = arith.divf %s, %count : $T
    %d = arith.subf %a, %mean : $T
    linalg.yield %d : $T
  } -> tensor<$Rx$Cx$T>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%centred : tensor<$Rx$Cx$T>) outs(%zeros : tensor<$Rx$T>) {
  ^bb0(%a: $T, %b: $T):
    %q = arith.mulf %a, %a : $T
    %s = arith.addf %b, %q : $T
    linalg.yield %s : $T
  } -> tensor<$Rx$T>
  %y = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %squares, %scale, %shift : tensor<$Rx$Cx$T>, tensor<$Rx$T>, tensor<$Cx$T>, tensor<$Cx$T>)
      outs(%empty : tensor<$Rx$Cx$T>) {
  ^bb0(%a: $T, %q: $T, %g: $T, %b: $T, %o: $T):
    %variance = arith.divf %q, %count : $T
    %safe = arith.addf %variance, %epsilon : $T
    %r = math.rsqrt %safe : $T
    %n = arith.mulf %a, %r : $T
    %s = arith.mulf %n, %g : $T
    %t = arith.addf %s, %b : $T
    linalg.yield %t : $T
  } -> tensor<$Rx$Cx$T>
  return %y : tensor<$Rx$Cx$T>
}
)";

// One program has BM queries of one head, and iterates over the keys in blocks
// of BN, which divide the length. The scale 1/sqrt(D) is multiplied by log2(e).
static constexpr std::string_view attention = R"(// tunable BM = $BMS
// tunable BN = $BNS
tile.kernel @attention(%O: !tile.view<$Bx$Lx$Dx$T>, %Q: !tile.view<$Bx$Lx$Dx$T>,
                       %K: !tile.view<$Bx$Lx$Dx$T>, %V: !tile.view<$Bx$Lx$Dx$T>)
    grid affine_map<()[B, L, D, B1, L1, D1, B2, L2, D2, B3, L3, D3] -> (L ceildiv ${BM}, B)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant dense<$SCALE> : tensor<${BM}x${BN}x$T>
  %scores0 = arith.constant dense<0.0> : tensor<${BM}x${BN}x$T>
  %zero = arith.constant dense<0.0> : tensor<${BM}x$Dx$T>
  %none = arith.constant dense<0xFF800000> : tensor<${BM}x$T>
  %nothing = arith.constant dense<0.0> : tensor<${BM}x$T>
  %i, %h = tile.program_id
  %q3 = tile.load %Q[%h, %i, %c0] pad 0.0 : !tile.view<$Bx$Lx$Dx$T> -> tensor<1x${BM}x$Dx$T>
  %q = tile.reshape %q3 : tensor<1x${BM}x$Dx$T> -> tensor<${BM}x$Dx$T>
  %blocks = tile.count %K, 1 by ${BN} : !tile.view<$Bx$Lx$Dx$T>
  %m, %l, %o = scf.for %j = %c0 to %blocks step %c1
      iter_args(%mi = %none, %li = %nothing, %oi = %zero)
      -> (tensor<${BM}x$T>, tensor<${BM}x$T>, tensor<${BM}x$Dx$T>) {
    %k3 = tile.load %K[%h, %j, %c0] : !tile.view<$Bx$Lx$Dx$T> -> tensor<1x${BN}x$Dx$T>
    %k = tile.reshape %k3 : tensor<1x${BN}x$Dx$T> -> tensor<${BN}x$Dx$T>
    %kt = tile.transpose %k [1, 0] : tensor<${BN}x$Dx$T> -> tensor<$Dx${BN}x$T>
    %s0 = tile.dot %q, %kt, %scores0 : tensor<${BM}x$Dx$T>, tensor<$Dx${BN}x$T> -> tensor<${BM}x${BN}x$T>
    %s = arith.mulf %s0, %scale : tensor<${BM}x${BN}x$T>
    %top = tile.reduce %s axis 1 {
    ^bb0(%a: $T, %b: $T):
      %r = arith.maximumf %a, %b : $T
      tile.yield %r : $T
    } : tensor<${BM}x${BN}x$T> -> tensor<${BM}x$T>
    %mn = arith.maximumf %mi, %top : tensor<${BM}x$T>
    %m2 = tile.reshape %mn : tensor<${BM}x$T> -> tensor<${BM}x1x$T>
    %mb = tile.broadcast %m2 : tensor<${BM}x1x$T> -> tensor<${BM}x${BN}x$T>
    %d = arith.subf %s, %mb : tensor<${BM}x${BN}x$T>
    %p = math.exp2 %d : tensor<${BM}x${BN}x$T>
    %dm = arith.subf %mi, %mn : tensor<${BM}x$T>
    %alpha = math.exp2 %dm : tensor<${BM}x$T>
    %sum = tile.reduce %p axis 1 {
    ^bb0(%a: $T, %b: $T):
      %r = arith.addf %a, %b : $T
      tile.yield %r : $T
    } : tensor<${BM}x${BN}x$T> -> tensor<${BM}x$T>
    %ls = arith.mulf %li, %alpha : tensor<${BM}x$T>
    %ln = arith.addf %ls, %sum : tensor<${BM}x$T>
    %a2 = tile.reshape %alpha : tensor<${BM}x$T> -> tensor<${BM}x1x$T>
    %ab = tile.broadcast %a2 : tensor<${BM}x1x$T> -> tensor<${BM}x$Dx$T>
    %os = arith.mulf %oi, %ab : tensor<${BM}x$Dx$T>
    %v3 = tile.load %V[%h, %j, %c0] : !tile.view<$Bx$Lx$Dx$T> -> tensor<1x${BN}x$Dx$T>
    %v = tile.reshape %v3 : tensor<1x${BN}x$Dx$T> -> tensor<${BN}x$Dx$T>
    %on = tile.dot %p, %v, %os : tensor<${BM}x${BN}x$T>, tensor<${BN}x$Dx$T> -> tensor<${BM}x$Dx$T>
    scf.yield %mn, %ln, %on : tensor<${BM}x$T>, tensor<${BM}x$T>, tensor<${BM}x$Dx$T>
  }
  %l2 = tile.reshape %l : tensor<${BM}x$T> -> tensor<${BM}x1x$T>
  %lb = tile.broadcast %l2 : tensor<${BM}x1x$T> -> tensor<${BM}x$Dx$T>
  %r = arith.divf %o, %lb : tensor<${BM}x$Dx$T>
  %r3 = tile.reshape %r : tensor<${BM}x$Dx$T> -> tensor<1x${BM}x$Dx$T>
  tile.store %r3, %O[%h, %i, %c0] : tensor<1x${BM}x$Dx$T>, !tile.view<$Bx$Lx$Dx$T>
}
)";

static constexpr Operation operations[] = {
    {"gemm", "M,N,K", gemm},
    {"conv", "N,H,W,C,F,KH,KW,S", conv},
    {"depthwise", "N,H,W,C,KH,KW,S", depthwise},
    {"softmax", "R,C", softmax},
    {"layernorm", "R,C", layerNorm},
    {"attention", "B,L,D", attention},
};

static std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, ',');) {
    size_t first = part.find_first_not_of(" \t\r");
    size_t last = part.find_last_not_of(" \t\r");
    parts.push_back(
        first == std::string::npos ? "" : part.substr(first, last - first + 1));
  }
  return parts;
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// The code with values instead of names, the longest name first.
static std::string fill(std::string_view code, Values values) {
  std::ranges::sort(values, std::ranges::greater(),
                    [](const auto &value) { return value.first.size(); });
  std::string text;
  while (!code.empty()) {
    bool isFound = false;
    if (code.starts_with('$') && !code.starts_with("${"))
      for (const auto &[name, value] : values)
        if (code.substr(1).starts_with(name)) {
          text += value;
          code.remove_prefix(1 + name.size());
          isFound = true;
          break;
        }
    if (!isFound) {
      text += code.front();
      code.remove_prefix(1);
    }
  }
  return text;
}

/// The sizes of a window's dimension: output ceil(size / stride), padding
/// divided evenly, the rest after. (ONNX's SAME_UPPER)
static void addWindow(Values &values, const std::string &dim, int64_t size,
                      int64_t window, int64_t stride) {
  int64_t output = (size + stride - 1) / stride;
  int64_t padding = std::max<int64_t>((output - 1) * stride + window - size, 0);
  values.emplace_back("O" + dim, std::to_string(output));
  values.emplace_back("P" + dim, std::to_string(size + padding));
  values.emplace_back("L" + dim, std::to_string(padding / 2));
  values.emplace_back("U" + dim, std::to_string(padding - padding / 2));
}

/// Tiles of attention, those that divide the length: the largest up to 128
/// first.
static std::string blocksOf(int64_t length) {
  std::vector<int64_t> blocks;
  for (int64_t block : {16, 32, 64, 128, 256})
    if (length % block == 0)
      blocks.push_back(block);
  auto largest = std::ranges::upper_bound(blocks, 128);
  if (largest != blocks.begin())
    std::rotate(blocks.begin(), largest - 1, largest);
  return joined(blocks);
}

static Status addDerived(const Operation &operation, Values &values) {
  auto value = [&](std::string_view name) {
    return std::stoll(std::ranges::find(values, name, [](const auto &v) {
                        return std::string_view(v.first);
                      })->second);
  };
  if (operation.code == conv || operation.code == depthwise) {
    addWindow(values, "H", value("H"), value("KH"), value("S"));
    addWindow(values, "W", value("W"), value("KW"), value("S"));
  }
  if (operation.code != attention)
    return Status();
  const std::string blocks = blocksOf(value("L"));
  if (blocks.empty())
    return Status::invalidInput(format(
        "attention expects a length that 16 divides, found {}", {value("L")}));
  values.emplace_back("BMS", blocks);
  values.emplace_back("BNS", blocks);
  constexpr double log2e = 1.4426950408889634;
  std::ostringstream scale;
  scale.precision(9);
  scale << std::scientific << log2e / std::sqrt(double(value("D")));
  values.emplace_back("SCALE", scale.str());
  return Status();
}

static StatusOr<NamedKernel> parseLine(const std::vector<std::string> &parts) {
  const auto *operation =
      std::ranges::find(operations, parts[0], &Operation::name);
  if (operation == std::end(operations))
    return Status::invalidInput(
        format("expected gemm, conv, depthwise, softmax, layernorm or "
               "attention, found '{}'",
               {parts[0]}));
  std::vector<std::string> names = split(operation->sizes);
  if (parts.size() != names.size() + 1 && parts.size() != names.size() + 2)
    return Status::invalidInput(
        format("{} expects {} and perhaps a type, found {} values",
               {operation->name, operation->sizes, parts.size() - 1}));
  Values values;
  NamedKernel kernel{parts[0], ""};
  for (size_t i = 0; i < names.size(); ++i) {
    int64_t size = 0;
    const std::string &text = parts[i + 1];
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size() || size <= 0 ||
        size > (int64_t(1) << 31))
      return Status::invalidInput(
          format("{} of {} expects a positive integer, found '{}'",
                 {names[i], parts[0], text}));
    values.emplace_back(names[i], text);
    kernel.label += (i ? "x" : " ") + text;
  }
  std::string type = parts.size() > names.size() + 1 ? parts.back() : "f32";
  if (type != "f32")
    return Status::unsupported(
        format("type '{}' is not supported in tables; expected f32", {type}));
  kernel.label += " " + type;
  values.emplace_back("T", type);
  TILEWRIGHT_RETURN_IF_ERROR(addDerived(*operation, values));
  kernel.code = fill(operation->code, values);
  return kernel;
}

StatusOr<std::vector<NamedKernel>> parseShapeTable(std::string_view csv) {
  std::vector<NamedKernel> kernels;
  std::istringstream lines{std::string(csv)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::vector<std::string> parts = split(line);
    bool isHead = kernels.empty() && !parts.empty() && parts[0] == "op";
    if (parts.empty() || parts[0].empty() || parts[0].starts_with('#') ||
        isHead)
      continue;
    StatusOr<NamedKernel> kernel = parseLine(parts);
    if (!kernel.ok())
      return kernel.status().prefixed(format("line {}", {number}));
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

} // namespace tilewright::autotune

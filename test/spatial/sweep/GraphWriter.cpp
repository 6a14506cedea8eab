// What operators read, and operators on elements.
#include "test/spatial/sweep/GraphWriter.h"

#include "graph/build/Activation.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Logic.h"
#include "graph/build/TensorValues.h"
#include <cmath>
#include <cstring>
#include <numeric>

namespace tilewright::test {

using namespace build;

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

static Element i32(GraphBuilder &b) { return {b.builder.getI32Type()}; }

/// Numbers as bytes of an element type; floats are quarters.
static std::vector<std::byte> bytesOf(llvm::ArrayRef<int64_t> numbers,
                                      Element element) {
  std::vector<std::byte> bytes(numbers.size() * element.bytes());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float number = static_cast<float>(numbers[i]) / 4;
    const void *from = element.isFloat()
                           ? static_cast<const void *>(&number)
                           : static_cast<const void *>(&numbers[i]);
    std::memcpy(bytes.data() + i * element.bytes(), from, element.bytes());
  }
  return bytes;
}

//===--- What is read -----------------------------------------------------===//

/// A new input or constant of integers from `least` to `most`, or of floats
/// that are quarters of them.
Known GraphWriter::make(const Sizes &shape, Element element, bool isConstant,
                        int64_t least, int64_t most) {
  Sizes numbers(countOf(shape));
  for (int64_t &number : numbers)
    number = dice.number(least, most);
  const std::vector<std::byte> bytes = bytesOf(numbers, element);
  Known known;
  known.shape = shape;
  known.most = element.isFloat() ? static_cast<double>(most) / 4
                                 : static_cast<double>(most);
  if (isConstant) {
    auto info = std::make_shared<TensorInfo>();
    info->element = element;
    info->dims = exprs(shape);
    char *data = nullptr;
    info->constant = ownedConstant(countOf(shape), element.bytes(), data);
    std::memcpy(data, bytes.data(), bytes.size());
    known.tensor = info;
    return known;
  }
  FunctionArgument argument;
  argument.name = "x" + std::to_string(arguments.size());
  argument.element = element;
  argument.dims = exprs(shape);
  argument.symbols.resize(shape.size());
  const mlir::Value value =
      function.front().addArgument(typeOf(argument.dims, element), b.loc);
  auto input = runtime::HostTensor::allocate(
      element.isBool()       ? runtime::DType::Bool
      : element.isFloat()    ? runtime::DType::F32
      : element.bits() == 64 ? runtime::DType::I64
                             : runtime::DType::I32,
      {shape.begin(), shape.end()});
  std::memcpy(input->data(), bytes.data(), bytes.size());
  inputs.push_back(std::move(*input));
  known.tensor = *wrap(b, value, argument.dims, element);
  arguments.push_back(std::move(argument));
  return known;
}

Known GraphWriter::fresh(const Sizes &shape, Element element, int percent) {
  const bool isConstant = dice.chance(percent);
  if (element.isBool())
    return make(shape, element, isConstant, 0, 1);
  return make(shape, element, isConstant, -8, 8);
}

int GraphWriter::pick(llvm::function_ref<bool(const Known &)> test) {
  llvm::SmallVector<int> found;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (test(tensors[i])) {
      // The newest ones are read more often: chains, not only trees.
      found.append(i + 2 >= tensors.size() ? 3 : 1, static_cast<int>(i));
    }
  return found.empty() ? -1 : dice.pick(found);
}

int GraphWriter::pickFloat(int64_t leastRank) {
  return pick([&](const Known &known) {
    return known.tensor->element.isFloat() && known.tensor->rank() >= leastRank;
  });
}

Known GraphWriter::readOf(int number) {
  tensors[number].isRead = true;
  return tensors[number];
}

int64_t GraphWriter::size() {
  return dice.oneOf<int64_t>(
      {1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 24, 33, 70});
}

Sizes GraphWriter::randomShape(int64_t least, int64_t most) {
  Sizes shape(dice.number(least, most));
  for (int64_t &extent : shape)
    extent = size();
  while (countOf(shape) > 1200)
    *std::max_element(shape.begin(), shape.end()) /= 2;
  return shape;
}

/// A shape that broadcasts to this one.
Sizes GraphWriter::partOf(const Sizes &shape) {
  Sizes part = shape;
  for (int64_t &extent : part)
    if (dice.chance(30))
      extent = 1;
  if (!part.empty() && dice.chance(30))
    part.erase(part.begin(), part.begin() + dice.number(0, static_cast<int64_t>(
                                                               part.size())));
  return part;
}

Sizes GraphWriter::randomAxes(int64_t rank) {
  Sizes axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (dice.chance(50))
      axes.push_back(axis);
  if (axes.empty())
    axes.push_back(dice.number(0, rank - 1));
  return axes;
}

/// Keeps a result. Large numbers become small ones, so that none becomes
/// infinite in a type of 16 bits.
bool GraphWriter::add(FailureOr<Tensor> tensor, double most, bool isExact) {
  if (failed(tensor))
    return false;
  Known known;
  known.tensor = *tensor;
  for (Expr dim : (*tensor)->dims) {
    auto extent = constantOf(dim);
    if (!extent)
      return false;
    known.shape.push_back(*extent);
  }
  if (countOf(known.shape) > 4000 || countOf(known.shape) == 0)
    return false;
  known.most = most;
  // Quarters of numbers below 2^20 or so are exact.
  known.isExact = isExact && most < 1000;
  if (known.tensor->element.isFloat() && most > 300) {
    const double factor = std::exp2(-std::ceil(std::log2(most / 4)));
    auto scaled = arithmetic(b, Arithmetic::Multiply, *tensor,
                             scalarConstant(b, f32(b), factor));
    if (failed(scaled))
      return false;
    known.tensor = *scaled;
    known.most = most * factor;
    known.isExact = false;
  }
  tensors.push_back(std::move(known));
  return true;
}

void GraphWriter::addFirst() {
  tensors.push_back(freshFloat(randomShape(1, 4), 0));
}

//===--- Element by element -----------------------------------------------===//

bool GraphWriter::addArithmetic() {
  const int number = pickFloat();
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int other = pick([&](const Known &known) {
    return known.tensor->element.isFloat() && known.shape == x.shape;
  });
  Known y = dice.chance(50) ? readOf(other) : freshFloat(partOf(x.shape));
  const bool isExact = x.isExact && y.isExact;
  switch (dice.number(0, 5)) {
  case 0:
    return add(arithmetic(b, Arithmetic::Add, x.tensor, y.tensor),
               x.most + y.most, isExact);
  case 1:
    return add(arithmetic(b, Arithmetic::Subtract, y.tensor, x.tensor),
               x.most + y.most, isExact);
  case 2:
    return add(arithmetic(b, Arithmetic::Max, x.tensor, y.tensor),
               std::max(x.most, y.most), isExact);
  case 3:
    return add(arithmetic(b, Arithmetic::Min, x.tensor, y.tensor),
               std::max(x.most, y.most), isExact);
  case 4: {
    // A divisor of at least 1.
    auto size = mapElements(b, y.tensor, absolute);
    if (failed(size))
      return false;
    auto divisor =
        arithmetic(b, Arithmetic::Add, *size, scalarConstant(b, f32(b), 1));
    return succeeded(divisor) &&
           add(divide(b, x.tensor, *divisor), x.most, false);
  }
  default:
    return add(arithmetic(b, Arithmetic::Multiply, x.tensor, y.tensor),
               x.most * y.most, false);
  }
}

bool GraphWriter::addUnary() {
  const int number = pickFloat();
  if (number < 0)
    return false;
  const Known x = readOf(number);
  auto rootOf = [](Scalar &s, Value v) {
    return s.sqrt(s.add(s.abs(v), s.like(v, 0.25)));
  };
  auto logOf = [](Scalar &s, Value v) {
    return s.log(s.add(s.abs(v), s.like(v, 1)));
  };
  auto expOf = [](Scalar &s, Value v) { return s.exp(s.min(v, s.like(v, 3))); };
  auto tanhOf = [](Scalar &s, Value v) { return s.tanh(v); };
  auto erfOf = [](Scalar &s, Value v) { return s.erf(v); };
  switch (dice.number(0, 8)) {
  case 0:
    return add(activate(b, x.tensor, sigmoid), 1, false);
  case 1:
    return add(activate(b, x.tensor, gelu), x.most, false);
  case 2:
    return add(activate(b, x.tensor, hardSwish), x.most, false);
  case 3:
    return add(activate(b, x.tensor, swish, 1), x.most, false);
  case 4:
    return add(mapElements(b, x.tensor, rootOf), x.most + 1, false);
  case 5:
    return add(mapElements(b, x.tensor, logOf), x.most, false);
  case 6:
    return add(mapElements(b, x.tensor, expOf), 21, false);
  case 7:
    return add(mapElements(b, x.tensor, tanhOf), 1, false);
  default:
    return add(mapElements(b, x.tensor, erfOf), 1, false);
  }
}

namespace {
/// A function that the vector unit has no operation for, of arguments that it
/// is defined for; no result is greater than `most`, or than those.
struct Function {
  UnaryFn function;
  double most;
};
} // namespace

static Value small(Scalar &s, Value v) {
  return s.clamp(v, s.like(v, -4), s.like(v, 4));
}

template <typename Op> static Value ofSmall(Scalar &s, Value v) {
  return s.make<Op>(small(s, v));
}
template <typename Op> static Value ofAny(Scalar &s, Value v) {
  return s.make<Op>(v);
}
/// Of a number from 0, or from 1 on.
template <typename Op, int least> static Value ofMagnitude(Scalar &s, Value v) {
  return s.make<Op>(s.add(s.abs(v), s.like(v, least)));
}
/// Of a number within -1 and 1.
template <typename Op> static Value ofShare(Scalar &s, Value v) {
  return s.make<Op>(s.div(v, s.add(s.abs(v), s.like(v, 1))));
}

bool GraphWriter::addFunction() {
  namespace math = mlir::math;
  const Function functions[] = {
      {ofSmall<math::ExpM1Op>, 54},       {ofMagnitude<math::Log1pOp, 0>, 0},
      {ofSmall<math::SinhOp>, 28},        {ofSmall<math::CoshOp>, 28},
      {ofAny<math::AtanOp>, 2},           {ofAny<math::AsinhOp>, 0},
      {ofMagnitude<math::AcoshOp, 1>, 0}, {ofShare<math::AsinOp>, 2},
      {ofShare<math::AcosOp>, 4},         {ofShare<math::TanOp>, 2},
      {ofSmall<math::Exp2Op>, 16},        {ofMagnitude<math::Log2Op, 1>, 4}};
  const int number = pickFloat();
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const auto last = static_cast<int64_t>(std::size(functions)) - 1;
  const Function &chosen = functions[dice.number(0, last)];
  return add(mapElements(b, x.tensor, chosen.function),
             std::max(chosen.most, x.most), false);
}

bool GraphWriter::addExactUnary() {
  const int number = pickFloat();
  if (number < 0)
    return false;
  const Known x = readOf(number);
  auto floorOf = [](Scalar &s, Value v) { return s.floor(v); };
  auto ceilOf = [](Scalar &s, Value v) { return s.ceil(v); };
  switch (dice.number(0, x.isExact ? 5 : 3)) {
  case 0:
    return add(activate(b, x.tensor, relu), x.most, x.isExact);
  case 1:
    return add(mapElements(b, x.tensor, absolute), x.most, x.isExact);
  case 2:
    return add(negate(b, x.tensor), x.most, x.isExact);
  case 3:
    return add(clip(b, x.tensor, scalarConstant(b, f32(b), -1),
                    scalarConstant(b, f32(b), 1.5)),
               1.5, x.isExact);
  case 4:
    return add(mapElements(b, x.tensor, floorOf), x.most + 1, true);
  default:
    return add(mapElements(b, x.tensor, ceilOf), x.most + 1, true);
  }
}

bool GraphWriter::addCompare() {
  const int number = pick([](const Known &known) {
    return known.isExact && !known.tensor->element.isBool();
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const Known y = fresh(partOf(x.shape), x.tensor->element, 60);
  const auto comparison =
      dice.oneOf({Comparison::Equal, Comparison::Less, Comparison::LessOrEqual,
                  Comparison::Greater, Comparison::GreaterOrEqual});
  return add(compare(b, comparison, x.tensor, y.tensor), 1, true);
}

bool GraphWriter::addWhere() {
  const int number = pickFloat();
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int known = pick([&](const Known &condition) {
    return condition.tensor->element.isBool() && condition.shape == x.shape;
  });
  const Known condition =
      known >= 0 ? readOf(known) : fresh(partOf(x.shape), boolean(b), 40);
  const Known y = freshFloat(partOf(x.shape));
  const bool isSwapped = dice.chance(40);
  return add(where(b, condition.tensor, isSwapped ? y.tensor : x.tensor,
                   isSwapped ? x.tensor : y.tensor),
             std::max(x.most, y.most), x.isExact && y.isExact);
}

bool GraphWriter::addConvert() {
  const int number = pick([](const Known &known) { return known.isExact; });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  if (x.tensor->element.isFloat())
    return add(convert(b, x.tensor, dice.chance(80) ? i32(b) : build::i64(b)),
               x.most, true);
  return add(convert(b, x.tensor, dice.chance(80) ? f32(b) : i32(b)), x.most,
             true);
}

bool GraphWriter::addIntegers() {
  const int number = pick(
      [](const Known &known) { return known.tensor->element.isInteger(); });
  const Known x = number >= 0
                      ? readOf(number)
                      : fresh(randomShape(1, 3),
                              dice.chance(75) ? i32(b) : build::i64(b), 10);
  const Known y = fresh(partOf(x.shape), x.tensor->element);
  switch (dice.number(0, 5)) {
  case 0:
    return add(arithmetic(b, Arithmetic::Multiply, x.tensor, y.tensor),
               std::min(x.most * y.most, 1e6), true);
  case 4:
  case 5: {
    // A divisor that is not zero.
    auto odd = mapElements(b, y.tensor, [](Scalar &s, Value v) {
      return s.add(s.add(v, v), s.integer(v.getType(), 1));
    });
    if (failed(odd))
      return false;
    return dice.chance(50)
               ? add(divide(b, x.tensor, *odd), x.most, true)
               : add(modulo(b, x.tensor, *odd, dice.chance(50)), 17, true);
  }
  case 1:
    return add(arithmetic(b, Arithmetic::Max, x.tensor, y.tensor),
               std::max(x.most, y.most), true);
  case 2:
    return add(arithmetic(b, Arithmetic::Subtract, x.tensor, y.tensor),
               x.most + y.most, true);
  default:
    return add(arithmetic(b, Arithmetic::Add, x.tensor, y.tensor),
               x.most + y.most, true);
  }
}

/// An operation on integers of some bits, whose result has more as a signed or
/// an unsigned one.
template <typename Op, int bits, int other, typename Widen>
static Value narrow(Scalar &s, Value v) {
  mlir::Type type = s.builder.getIntegerType(bits);
  Value a = s.make<mlir::arith::TruncIOp>(type, v);
  return s.make<Widen>(v.getType(), s.make<Op>(a, s.integer(type, other)));
}

bool GraphWriter::addNarrow() {
  namespace arith = mlir::arith;
  using S = arith::ExtSIOp;
  using U = arith::ExtUIOp;
  const UnaryFn functions[] = {
      narrow<arith::MulIOp, 8, 77, S>,    narrow<arith::AddIOp, 8, -100, U>,
      narrow<arith::DivUIOp, 8, 3, U>,    narrow<arith::RemUIOp, 8, -5, S>,
      narrow<arith::MaxUIOp, 8, 100, S>,  narrow<arith::MinUIOp, 16, -3, U>,
      narrow<arith::ShRUIOp, 8, 3, U>,    narrow<arith::ShRUIOp, 16, 2, S>,
      narrow<arith::ShLIOp, 16, 13, S>,   narrow<arith::MulIOp, 16, 30000, U>,
      narrow<arith::CeilDivSIOp, 8, 5, S>};
  const int number = pick([](const Known &known) {
    return known.tensor->element.isInteger() &&
           known.tensor->element.bits() == 32;
  });
  const Known x =
      number >= 0 ? readOf(number) : fresh(randomShape(1, 3), i32(b), 10);
  const auto last = static_cast<int64_t>(std::size(functions)) - 1;
  return add(mapElements(b, x.tensor, functions[dice.number(0, last)]), 65536,
             true);
}

//===--- The table --------------------------------------------------------===//

const GraphWriter::Entry GraphWriter::entries[] = {
    {"arithmetic", 14, &GraphWriter::addArithmetic},
    {"unary", 6, &GraphWriter::addUnary},
    {"function", 3, &GraphWriter::addFunction},
    {"exact-unary", 5, &GraphWriter::addExactUnary},
    {"compare", 3, &GraphWriter::addCompare},
    {"where", 4, &GraphWriter::addWhere},
    {"convert", 3, &GraphWriter::addConvert},
    {"integers", 4, &GraphWriter::addIntegers},
    {"narrow", 2, &GraphWriter::addNarrow},
    {"matmul", 14, &GraphWriter::addMatMul},
    {"gemm", 5, &GraphWriter::addGemm},
    {"conv", 7, &GraphWriter::addConv},
    {"pool", 3, &GraphWriter::addPool},
    {"reduce", 7, &GraphWriter::addReduce},
    {"softmax", 4, &GraphWriter::addSoftmax},
    {"norm", 4, &GraphWriter::addNorm},
    {"reshape", 4, &GraphWriter::addReshape},
    {"transpose", 5, &GraphWriter::addTranspose},
    {"slice", 5, &GraphWriter::addSlice},
    {"concat", 3, &GraphWriter::addConcat},
    {"pad", 2, &GraphWriter::addPad},
    {"expand", 2, &GraphWriter::addExpand},
    {"gather", 4, &GraphWriter::addGather},
    {"gather-elements", 2, &GraphWriter::addGatherElements},
    {"upsample", 2, &GraphWriter::addUpsample},
    {"blocks", 1, &GraphWriter::addBlocks},
};

std::string GraphWriter::addOperator() {
  int64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.weight;
  int64_t left = dice.number(0, total - 1);
  for (const Entry &entry : entries) {
    left -= entry.weight;
    if (left < 0)
      return (this->*entry.write)() ? entry.name : "";
  }
  return "";
}

} // namespace tilewright::test

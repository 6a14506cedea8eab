#include "graph/reference/Tensor.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace tilewright::graph::reference {

int64_t countOf(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

int64_t positionOf(ArrayRef<int64_t> shape, Index index) {
  int64_t position = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    position = position * shape[d] + index[d];
  return position;
}

Shape indexOf(ArrayRef<int64_t> shape, int64_t position) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

bool contains(ArrayRef<int64_t> shape, Index index) {
  for (size_t d = 0; d < shape.size(); ++d)
    if (index[d] < 0 || index[d] >= shape[d])
      return false;
  return true;
}

bool advance(ArrayRef<int64_t> shape, MutableArrayRef<int64_t> at) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++at[d] < shape[d])
      return true;
    at[d] = 0;
  }
  return false;
}

//===--- ElementMemory, ComputedTensor ------------------------------------===//

ElementMemory::ElementMemory(int64_t elements)
    : mostPages(std::max<int64_t>(elements / ComputedTensor::kPage, 1)) {}

void ElementMemory::takePage() {
  if (pages == mostPages) {
    for (ComputedTensor *user : users)
      user->forget();
    pages = 0;
  }
  ++pages;
}

ComputedTensor::ComputedTensor(Type elementType, Shape shape,
                               ElementMemory &memory, ElementFn element)
    : Tensor(elementType, std::move(shape)), memory(memory),
      element(std::move(element)), remembers(count() <= kMostRemembered) {
  memory.users.insert(this);
}

ComputedTensor::~ComputedTensor() {
  memory.users.erase(this);
  memory.pages -= llvm::count_if(pages, [](auto &page) { return !!page; });
}

void ComputedTensor::forget() { pages.clear(); }

FailureOr<Scalar> ComputedTensor::at(Index index) {
  if (!remembers)
    return element(index);
  const int64_t position = positionOf(getShape(), index);
  const size_t page = position / kPage;
  if (page < pages.size() && pages[page])
    if (Scalar known = pages[page][position % kPage]; known.isKnown())
      return known;
  FailureOr<Scalar> value = element(index);
  if (succeeded(value))
    put(index, *value);
  return value;
}

void ComputedTensor::put(Index index, Scalar value) {
  if (!remembers)
    return;
  const int64_t position = positionOf(getShape(), index);
  const size_t page = position / kPage;
  if (page >= pages.size() || !pages[page]) {
    memory.takePage();
    if (pages.empty())
      pages.resize(llvm::divideCeil(count(), kPage));
    pages[page] = std::make_unique<Scalar[]>(kPage);
  }
  pages[page][position % kPage] = value;
}

//===--- All elements -----------------------------------------------------===//

/// 2 GiB.
static constexpr int64_t kMostStored = int64_t(1) << 27;

LogicalResult checkRoom(Operation *op, int64_t elements) {
  if (elements <= kMostStored)
    return success();
  return numerics::errorAt(op)
         << "needs " << elements << " elements in memory at once, the limit is "
         << kMostStored;
}

FailureOr<std::vector<Scalar>> elementsOf(Operation *op, Tensor &tensor) {
  std::vector<Scalar> elements;
  if (failed(checkRoom(op, tensor.count())))
    return failure();
  if (tensor.count() == 0)
    return elements;
  elements.reserve(tensor.count());
  Shape index(tensor.getShape().size(), 0);
  do {
    FailureOr<Scalar> element = tensor.at(index);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  } while (advance(tensor.getShape(), index));
  return elements;
}

FailureOr<TensorPtr> store(Operation *op, const TensorPtr &tensor) {
  if (std::dynamic_pointer_cast<StoredTensor>(tensor))
    return tensor;
  FailureOr<std::vector<Scalar>> elements = elementsOf(op, *tensor);
  if (failed(elements))
    return failure();
  return TensorPtr(std::make_shared<StoredTensor>(
      tensor->getElementType(), tensor->getShape(), std::move(*elements)));
}

} // namespace tilewright::graph::reference

#include "graph/reference/Tensor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::graph::reference {

int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
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
      element(std::move(element)) {
  memory.users.insert(this);
}

ComputedTensor::~ComputedTensor() {
  memory.users.erase(this);
  memory.pages -= llvm::count_if(pages, [](auto &page) { return !!page; });
}

void ComputedTensor::forget() { pages.clear(); }

FailureOr<Scalar> ComputedTensor::at(Index index) {
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

FailureOr<std::vector<Scalar>> elementsOf(Tensor &tensor) {
  std::vector<Scalar> elements;
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

FailureOr<TensorPtr> store(const TensorPtr &tensor) {
  if (std::dynamic_pointer_cast<StoredTensor>(tensor))
    return tensor;
  FailureOr<std::vector<Scalar>> elements = elementsOf(*tensor);
  if (failed(elements))
    return failure();
  return TensorPtr(std::make_shared<StoredTensor>(
      tensor->getElementType(), tensor->getShape(), std::move(*elements)));
}

} // namespace tilewright::graph::reference

// A tensor: a shape, and a function of an index.
#pragma once

#include "graph/reference/Scalar.h"
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace tilewright::graph::reference {

/// Coordinates of an element.
using Index = llvm::ArrayRef<int64_t>;
using Shape = llvm::SmallVector<int64_t, 4>;

/// The number of elements; the greatest number if it is greater.
int64_t countOf(llvm::ArrayRef<int64_t> shape);
/// The position of an element in row-major order, and back.
int64_t positionOf(llvm::ArrayRef<int64_t> shape, Index index);
Shape indexOf(llvm::ArrayRef<int64_t> shape, int64_t position);
/// True if there is an element at `index`.
bool contains(llvm::ArrayRef<int64_t> shape, Index index);
/// Goes to the next index in row-major order; false behind the last one.
bool advance(llvm::ArrayRef<int64_t> shape, llvm::MutableArrayRef<int64_t> at);

/// The elements may be computed when they are asked for, or be stored. To ask
/// changes a tensor's memory: tensors are for one thread.
class Tensor {
public:
  Tensor(mlir::Type elementType, Shape shape)
      : elementType(elementType), shape(std::move(shape)) {}
  virtual ~Tensor() = default;

  mlir::Type getElementType() const { return elementType; }
  const Shape &getShape() const { return shape; }
  int64_t count() const { return countOf(shape); }
  /// The element at an index in the shape. Fails, with an error at the op,
  /// where the computation has a fault.
  virtual mlir::FailureOr<Scalar> at(Index index) = 0;
  /// Of computations that wait for each other, how many are in a chain.
  unsigned depth = 0;

private:
  mlir::Type elementType;
  Shape shape;
};
using TensorPtr = std::shared_ptr<Tensor>;

/// Elements in memory, in row-major order.
class StoredTensor : public Tensor {
public:
  StoredTensor(mlir::Type elementType, Shape shape,
               std::vector<Scalar> elements)
      : Tensor(elementType, std::move(shape)), elements(std::move(elements)) {}
  mlir::FailureOr<Scalar> at(Index index) override {
    return elements[positionOf(getShape(), index)];
  }

private:
  std::vector<Scalar> elements;
};

/// How an element follows from its index.
using ElementFn = std::function<mlir::FailureOr<Scalar>(Index)>;

/// Computed anew whenever it is asked for: access to other elements.
class FunctionTensor : public Tensor {
public:
  FunctionTensor(mlir::Type elementType, Shape shape, ElementFn element)
      : Tensor(elementType, std::move(shape)), element(std::move(element)) {}
  mlir::FailureOr<Scalar> at(Index index) override { return element(index); }

private:
  ElementFn element;
};

class ComputedTensor;

/// Bounds the elements that all computed tensors remember together.
class ElementMemory {
public:
  explicit ElementMemory(int64_t elements);
  ElementMemory(const ElementMemory &) = delete;
  ElementMemory &operator=(const ElementMemory &) = delete;

private:
  friend class ComputedTensor;
  /// Makes room for one page: forgets all others if there is none.
  void takePage();

  int64_t mostPages, pages = 0;
  std::set<ComputedTensor *> users;
};

/// Remembers what it computed, as long as the memory has room. A tensor of very
/// many elements remembers none.
class ComputedTensor : public Tensor {
public:
  ComputedTensor(mlir::Type elementType, Shape shape, ElementMemory &memory,
                 ElementFn element = {});
  ~ComputedTensor() override;
  mlir::FailureOr<Scalar> at(Index index) override;
  void setFunction(ElementFn function) { element = std::move(function); }
  /// Remembers an element that was computed with another one.
  void put(Index index, Scalar value);

private:
  friend class ElementMemory;
  static constexpr int64_t kPage = 256;
  static constexpr int64_t kMostRemembered = int64_t(1) << 30;
  void forget();

  ElementMemory &memory;
  ElementFn element;
  bool remembers;
  std::vector<std::unique_ptr<Scalar[]>> pages;
};

/// A fault at `op` if it needs more elements in memory than there is room for.
mlir::LogicalResult checkRoom(mlir::Operation *op, int64_t elements);
/// All elements, in row-major order, for `op`.
mlir::FailureOr<std::vector<Scalar>> elementsOf(mlir::Operation *op,
                                                Tensor &tensor);
/// The tensor with all its elements in memory, for `op`.
mlir::FailureOr<TensorPtr> store(mlir::Operation *op, const TensorPtr &tensor);

} // namespace tilewright::graph::reference

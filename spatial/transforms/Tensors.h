//===- Tensors.h - Where the elements of tensors lie in vectors -*- C++ -*-===//
//
// While a graph becomes a program on vectors, this knows for each tensor which
// vectors hold its elements. Layouts are tables, so that any static access can
// be followed: an op asks for rows of elements, and gets vectors that hold them
// in the lanes asked for, moved there only if no vector has them so.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_TENSORS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_TENSORS_H

#include "mlir/IR/Builders.h"
#include "spatial/ir/Spatial.h"
#include "spatial/machine/Machine.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <vector>

namespace tilewright::spatial {

/// An element of a tensor: the tensor's number, and the row-major number of the
/// element in it. -1 is none.
using ElementId = int64_t;
inline constexpr ElementId noElement = -1;
[[nodiscard]] inline ElementId elementId(int64_t tensor, int64_t element) {
  return tensor << 32 | element;
}
[[nodiscard]] inline int64_t tensorOf(ElementId id) { return id >> 32; }
[[nodiscard]] inline int64_t elementOf(ElementId id) { return id & 0xffffffff; }

/// An i64 as an i32; nothing if it does not fit. The least and the greatest i64
/// stand for those of i32.
[[nodiscard]] std::optional<int32_t> heldInteger(int64_t value);

/// Vectors of elements, `lanes` of each; noElement where any content will do.
struct Rows {
  int64_t lanes = 0;
  std::vector<ElementId> ids;

  [[nodiscard]] int64_t count() const {
    return static_cast<int64_t>(ids.size()) / lanes;
  }
  [[nodiscard]] llvm::ArrayRef<ElementId> row(int64_t number) const {
    return llvm::ArrayRef(ids).slice(number * lanes, lanes);
  }
};

/// Vectors of a value, one for each row that was asked for.
struct Reads {
  mlir::Value value;
  llvm::SmallVector<int32_t> indices;
};

/// A value that holds elements of one tensor.
class Arrangement {
public:
  Arrangement(mlir::Value value, DType dtype, int64_t lanes, int64_t tensorSize,
              std::vector<int32_t> elements);

  mlir::Value value;
  DType dtype;
  int64_t lanes;
  /// For each vector and lane the number of the element there, or -1.
  std::vector<int32_t> elements;

  [[nodiscard]] int64_t vectors() const {
    return static_cast<int64_t>(elements.size()) / lanes;
  }
  /// Where an element lies: vector x lanes + lane, perhaps in several places.
  [[nodiscard]] llvm::ArrayRef<int32_t> slots(int64_t element) const {
    return llvm::ArrayRef(slotTable).slice(
        starts[element], starts[element + 1] - starts[element]);
  }
  /// The vector that holds `row` (of elements of this tensor), or -1.
  [[nodiscard]] int64_t find(llvm::ArrayRef<ElementId> row) const;

private:
  std::vector<int32_t> starts, slotTable;
};

/// A tensor of the graph.
struct TensorInfo {
  llvm::SmallVector<int64_t> shape;
  int64_t size = 0;
  /// Of its elements on the machine: i64 is i32.
  DType dtype = DType::F32;
  /// Of a constant. Elements of 32 bits also as they are in memory, or the one
  /// that all are.
  mlir::ElementsAttr constant;
  llvm::ArrayRef<char> words;
  /// Of a view: whose element each of its elements is.
  std::vector<ElementId> view;
  /// Of other tensors: the values that hold it.
  std::vector<std::unique_ptr<Arrangement>> arrangements;
  /// An input has no vectors before something reads it.
  mlir::BlockArgument argument;

  void setConstant(mlir::ElementsAttr elements);
};

class Tensors {
public:
  Tensors(const Machine &machine, mlir::OpBuilder &builder)
      : machine(machine), builder(builder) {}

  const Machine &machine;
  mlir::OpBuilder &builder;

  /// Adds a tensor that nothing holds yet; its number.
  int64_t add(mlir::Value tensor);
  /// `tensor` has the elements `view` of others.
  void addView(mlir::Value tensor, std::vector<ElementId> view);
  /// Fails with an error if an i64 does not fit.
  mlir::LogicalResult addConstant(mlir::Value tensor,
                                  mlir::ElementsAttr elements);
  /// A constant that is no tensor, such as what pads one; it has one element.
  void addScalar(mlir::Value scalar, mlir::ElementsAttr element);
  /// A tensor of intermediate results, which is no value of the graph.
  int64_t addUnnamed(int64_t size, DType dtype);
  /// `value` holds elements of the tensor.
  void arrange(int64_t tensor, mlir::Value value,
               std::vector<int32_t> elements);

  /// How many there are; they are numbered from 0 on.
  [[nodiscard]] int64_t size() const {
    return static_cast<int64_t>(tensors.size());
  }
  /// Nothing reads the tensor any more.
  void release(int64_t number) {
    info(number).arrangements.clear();
    info(number).view = {};
  }
  [[nodiscard]] bool has(mlir::Value tensor) const {
    return numbers.contains(tensor);
  }
  [[nodiscard]] int64_t numberOf(mlir::Value tensor) const {
    return numbers.lookup(tensor);
  }
  [[nodiscard]] TensorInfo &info(int64_t number) { return *tensors[number]; }
  [[nodiscard]] const TensorInfo &info(int64_t number) const {
    return *tensors[number];
  }
  [[nodiscard]] TensorInfo &info(mlir::Value tensor) {
    return info(numberOf(tensor));
  }
  /// The id of an element, behind all views.
  [[nodiscard]] ElementId resolve(int64_t tensor, int64_t element) const {
    // Views are made of elements that are resolved.
    const std::vector<ElementId> &view = tensors[tensor]->view;
    return view.empty() ? elementId(tensor, element) : view[element];
  }

  /// Vectors of type `dtype` that hold `rows`. Each `group` rows become
  /// consecutive vectors. Fails with an error at `where` if the machine cannot
  /// move elements so.
  mlir::FailureOr<Reads> read(mlir::Location where, const Rows &rows,
                              DType dtype, int64_t group = 1);
  /// Vectors of known lanes (bits of f32, or i32).
  Reads constants(mlir::Location where, llvm::ArrayRef<uint32_t> lanes,
                  DType dtype);
  /// The element of a constant, as a lane of its type.
  [[nodiscard]] uint32_t constantLane(ElementId id) const;
  /// The lane that all elements of a constant tensor are, if they are one.
  [[nodiscard]] std::optional<uint32_t> splatOf(mlir::Value tensor) const;
  [[nodiscard]] bool isConstant(ElementId id) const {
    return bool(tensors[tensorOf(id)]->constant);
  }
  /// Gives an input vectors: `rows` where they hold each element at most once,
  /// the others in rows of the innermost dimension.
  void layOutInput(int64_t tensor, const Rows &rows);
  /// All elements in rows of the innermost dimension.
  [[nodiscard]] Rows defaultRows(int64_t tensor) const;

  /// An operand of `alu`: vectors, or where there is no value, a number.
  struct Operand {
    Reads reads;
    double number = 0;
  };
  /// One operation on `count` vectors.
  mlir::Value alu(mlir::Location where, AluOp op, DType type,
                  llvm::ArrayRef<Operand> operands, int64_t count,
                  DType result);
  /// One vector of a value.
  struct Vector {
    mlir::Value value;
    int32_t index = -1;
    friend bool operator==(const Vector &, const Vector &) = default;
  };
  /// Vectors of several values as one value, or of one as they are.
  Reads collect(mlir::Location where, llvm::ArrayRef<Vector> vectors);
  /// The same vectors as a value that has each of them once, in this order:
  /// equal vectors may stand for different elements.
  mlir::Value inOrder(mlir::Location where, const Reads &reads);
  /// Makes each `group` of vectors consecutive ones of a value that an
  /// instruction makes, by copying those that are not.
  void makeConsecutive(mlir::Location where, int64_t group,
                       std::vector<Vector> &vectors);
  /// Transposes each T vectors, T as the machine does it.
  std::vector<Vector> transpose(mlir::Location where,
                                std::vector<Vector> vectors);
  [[nodiscard]] VectorsType vectorsType(int64_t count, DType dtype) const {
    return VectorsType::get(builder.getContext(), count,
                            irType(builder.getContext(), dtype));
  }
  /// Gives vectors of other types the type `dtype`. A graph's bytes have no
  /// sign: between i8 and u8 the bits stay.
  void convert(mlir::Location where, DType dtype, std::vector<Vector> &vectors);
  /// Whether some vector holds these elements in these lanes, or they are
  /// constants.
  [[nodiscard]] bool isHeld(llvm::ArrayRef<ElementId> row) const;
  /// How many vectors hold these elements together.
  [[nodiscard]] int64_t sourcesOf(llvm::ArrayRef<ElementId> row) const;
  /// A value that holds elements of a tensor, if possible as `dtype`.
  [[nodiscard]] Arrangement *arrangementFor(int64_t tensor, DType dtype) const;

private:
  mlir::Value sameByte(mlir::Location where, const Reads &reads, DType dtype);
  void ensureInputs(const Rows &rows);
  [[nodiscard]] bool isAllConstant(llvm::ArrayRef<ElementId> row) const;
  [[nodiscard]] std::optional<Vector> find(llvm::ArrayRef<ElementId> row,
                                           DType dtype) const;
  void readConstants(mlir::Location where, const Rows &rows, DType dtype,
                     int64_t group, std::vector<Vector> &found);
  std::vector<std::unique_ptr<TensorInfo>> tensors;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  /// By vector and type: the vector of that type.
  llvm::DenseMap<std::pair<mlir::Value, std::pair<int32_t, DType>>, Vector>
      converted;
};

/// Vectors of type `dtype` with the rows `which` of `rows`, whose elements lie
/// in other lanes or vectors (LaneMoves.cpp). Written to their places in
/// `found`.
mlir::LogicalResult moveLanes(Tensors &tensors, mlir::Location where,
                              const Rows &rows, DType dtype,
                              llvm::ArrayRef<int64_t> which,
                              std::vector<Tensors::Vector> &found);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_TENSORS_H

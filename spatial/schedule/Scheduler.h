//===- Scheduler.h - Times and places for a program on vectors --*- C++ -*-===//
//
// List scheduling on reservation tables: each op, in the order of the program,
// begins as early as its operands, units, banks and streams permit.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/ir/Spatial.h"
#include "spatial/schedule/Emitter.h"
#include "spatial/schedule/Memory.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace tilewright::spatial {

/// One vector of a value of the schedule.
struct Ref {
  uint32_t value = 0;
  int32_t index = 0;
  friend auto operator<=>(const Ref &, const Ref &) = default;
};

class Scheduler {
public:
  Scheduler(mlir::func::FuncOp program, Machine machine);

  StatusOr<Schedule> run();

private:
  //===--- Values (Scheduler.cpp) -----------------------------------------===//
  uint32_t addValue(mlir::Value value, llvm::StringRef prefix);
  void addValues();
  [[nodiscard]] Ref resolve(mlir::Value value, int32_t index) const;
  /// The vectors that operand `number` of an op reads.
  [[nodiscard]] std::vector<Ref> refsOf(mlir::ValueRange reads,
                                        mlir::ArrayAttr indices,
                                        unsigned number) const;
  void countUses();
  void finishUses(mlir::Operation *op);
  /// Errors: constants and inputs are more than the chip has room for.
  Status checkRoom();
  Status placeConstants();
  Status placeInputs();
  Status place(mlir::Operation *op);
  Status addInterfaces(Schedule &schedule);
  void addPlacements(Schedule &schedule, const Home &home) const;

  [[nodiscard]] int64_t planesOf(uint32_t value) const {
    return machine.planesOf(schedule.values[value].dtype);
  }
  /// A request for rows of all vectors of a value.
  [[nodiscard]] HomeRequest wholeOf(uint32_t value) const;
  /// Rows for a value that an op makes, if possible in other banks than its
  /// operands: blocks of vectors in banks of their own, so that several are
  /// written and read in a cycle.
  Status makeTargets(uint32_t value, llvm::ArrayRef<std::vector<Ref>> operands);
  StatusOr<Home *> makeHome(const HomeRequest &request);
  [[nodiscard]] std::set<Bank> banksOf(llvm::ArrayRef<Ref> refs) const;

  //===--- Flows (Flows.cpp) ----------------------------------------------===//
  /// Vectors that flow from their rows to a unit, one each `step` cycles.
  struct Source {
    Home *home = nullptr;
    std::vector<Ref> refs;
  };
  /// What an instruction that is repeated occupies. It begins in cycle T, and
  /// each cycle here is relative to that.
  struct Pattern {
    int64_t position = 0, count = 1, step = 1;
    std::vector<Source> sources;
    /// Queues of which one is taken, all of one unit, each for `width` cycles.
    std::vector<std::pair<Queue, CycleSet *>> queues;
    int64_t width = 1;
    /// When a result is put on streams, and where it is written; none if it
    /// goes elsewhere.
    int64_t delay = 0;
    Home *target = nullptr;
    std::vector<Ref> results;
    /// T is not less.
    int64_t earliest = 0;
    /// If only one plane flows: which.
    std::optional<int64_t> plane;
  };
  /// Where a pattern was put.
  struct Placed {
    int64_t begin = 0;
    Queue queue;
    /// By source, and of the results.
    std::vector<std::vector<Stream>> sources;
    std::vector<Stream> result;
  };
  /// One plane of a source or of the results: a bank, the way between it and
  /// the unit, and when the bank reads or writes.
  struct Leg {
    Bank bank;
    Flow flow;
    Cycles access;
    int64_t plane = 0;
  };
  [[nodiscard]] int64_t lowerBound(const Pattern &pattern) const;
  [[nodiscard]] std::optional<Placed> tryAt(const Pattern &pattern,
                                            int64_t begin);
  void reserve(const Pattern &pattern, const Placed &placed);
  void emitFlows(const Pattern &pattern, const Placed &placed);
  void emitReads(Home &home, llvm::ArrayRef<Ref> refs, llvm::ArrayRef<Leg> legs,
                 llvm::ArrayRef<Stream> found);
  void emitWrites(Home &home, llvm::ArrayRef<Ref> refs,
                  llvm::ArrayRef<Leg> legs, llvm::ArrayRef<Stream> found);
  /// Finds the first cycle that fits, reserves it, and emits reads and writes.
  StatusOr<Placed> fit(const Pattern &pattern);
  [[nodiscard]] std::vector<Leg>
  legsOf(const Pattern &pattern, const Source &source, int64_t begin) const;
  [[nodiscard]] std::vector<Leg> resultLegs(const Pattern &pattern,
                                            int64_t begin) const;

  //===--- Ops of vector and permutation units (Lanes.cpp) ----------------===//
  Status placeAlu(VectorAluOp op);
  /// The pattern runs on a port of the sxm that is nearest to its operand.
  void useNearestSxm(Pattern &pattern, const Home &from);
  Status placeMap(MapOp op);
  Status placeTranspose(TransposeOp op);
  Status placeGather(GatherOp op);
  /// The rows of the table in order, with banks on both sides.
  StatusOr<Home *> tableHome(GatherOp op);
  Status placeGatherRun(GatherOp op, Home &table, Home &from, Home &target,
                        llvm::ArrayRef<Ref> indices, int64_t firstResult,
                        bool isEast);
  /// Instances of an op, in order, whose operands flow from the same banks and
  /// whose results flow to the same ones.
  struct Run {
    std::vector<int64_t> instances;
    llvm::SmallVector<Home *, 3> homes;
    llvm::SmallVector<int64_t, 3> groups;
    /// None if results go elsewhere.
    Home *target = nullptr;
    int64_t targetGroup = 0;

    [[nodiscard]] int64_t count() const {
      return static_cast<int64_t>(instances.size());
    }
    [[nodiscard]] bool isAlike(const Run &other) const {
      return homes == other.homes && groups == other.groups &&
             target == other.target && targetGroup == other.targetGroup;
    }
  };
  StatusOr<std::vector<Run>> makeRuns(llvm::ArrayRef<std::vector<Ref>> operands,
                                      llvm::ArrayRef<Ref> results);
  /// A home of all `refs`, of one value, in other banks; made by copying.
  StatusOr<Home *> copy(llvm::ArrayRef<Ref> refs, HomeRequest request);
  [[nodiscard]] Home *homeOf(const Ref &ref,
                             llvm::ArrayRef<Bank> avoid = {}) const;

  //===--- Products (Products.cpp) ----------------------------------------===//
  struct Plane {
    int64_t position = 0, index = 0;
    CycleSet activations, loads;
    /// When each buffer and accumulator may be written anew.
    std::vector<int64_t> bufferFree, accumulatorFree;
    /// The end of its last product.
    int64_t busyUntil = 0;
  };
  /// A row of a sum: its terms, in order, and where it is added up.
  struct SumRow {
    /// A multiply, and which of its products.
    llvm::SmallVector<std::pair<MultiplyOp, int32_t>> terms;
    size_t next = 0;
    int64_t accumulator = 0;
    /// When the accumulator may be read.
    int64_t ready = 0;
  };
  /// Weights in a buffer of a plane.
  struct Loaded {
    int64_t buffer = 0, from = 0;
    Ref first;
  };
  /// How the rows of weights lie in banks, and flow to a plane.
  struct LoadPlan {
    Home *home = nullptr;
    Ref first;
    int64_t rows = 0, atOnce = 1;
    [[nodiscard]] int64_t cycles() const {
      return (rows + atOnce - 1) / atOnce;
    }
  };
  void collectSums();
  [[nodiscard]] std::vector<SumRow>
  rowsOf(llvm::ArrayRef<MultiplyOp> ops) const;
  Status placeSums(llvm::ArrayRef<MultiplyOp> ops);
  Status placeBlock(llvm::ArrayRef<MultiplyOp> ops,
                    llvm::MutableArrayRef<SumRow> rows, Plane &plane);
  StatusOr<LoadPlan> planLoad(MultiplyOp op);
  [[nodiscard]] std::vector<Leg>
  loadLegs(const LoadPlan &plan, const Plane &plane, int64_t begin) const;
  StatusOr<Loaded> load(MultiplyOp op, Plane &plane);
  void emitLoad(const LoadPlan &plan, const Plane &plane, int64_t begin,
                int64_t buffer, llvm::ArrayRef<Leg> legs,
                const std::vector<Stream> &found);
  Status multiply(MultiplyOp op, Plane &plane, const Loaded &loaded,
                  llvm::ArrayRef<SumRow *> rows, bool isLast);
  void emitProducts(MultiplyOp op, Plane &plane, const Loaded &loaded,
                    llvm::ArrayRef<SumRow *> rows, const Pattern &pattern,
                    const Placed &placed);

  mlir::func::FuncOp program;
  Machine machine;
  Schedule schedule;
  Emitter emitter;
  Memory memory;
  StreamSet streams;
  /// By queue, of ALUs and ports.
  std::map<Queue, CycleSet> queues;
  std::deque<Plane> planes;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
  /// By value: how many ops read it that are not placed, and where it lies.
  std::vector<int64_t> uses;
  std::vector<std::deque<Home>> homes;
  std::vector<bool> isKept, isWeights;
  /// By the last op of sums that share terms: all of their ops.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<MultiplyOp>> sumsEndingAt;
  std::map<std::string, uint32_t> mapNumbers;
  int64_t length = 0;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H

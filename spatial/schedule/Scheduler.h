//===- Scheduler.h - Times and places for a program on vectors --*- C++ -*-===//
//
// List scheduling by critical path: of the tasks whose operands are placed, the
// one with the longest way to the end begins as early as its operands, units,
// banks and streams permit.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H

#include "spatial/schedule/Chains.h"
#include <deque>

namespace tilewright::spatial {

/// What all schedules of a program have in common.
struct ScheduleProblem {
  ScheduleProblem(mlir::func::FuncOp function, const Machine &machineFile)
      : machine(machineFile), program(function), chains(program, machine) {}
  ScheduleProblem(const ScheduleProblem &) = delete;
  ScheduleProblem &operator=(const ScheduleProblem &) = delete;

  const Machine machine;
  const VectorProgram program;
  const Chains chains;
};

class Scheduler {
public:
  /// `problem` must outlive it; several may share it at a time. With an emitter
  /// that keeps no lines it finds the length alone.
  Scheduler(const ScheduleProblem &problem, const ScheduleChoices &choices,
            Emitter emitter);

  Status place();
  /// What it takes to place all, in units that are alike on any machine
  /// (Timetable::work).
  [[nodiscard]] int64_t work() const { return table.work(); }
  /// About how many lines there are.
  [[nodiscard]] int64_t expectedLines() const { return table.expectedLines(); }
  /// The cycles of what is placed.
  [[nodiscard]] int64_t length() const { return table.length(); }
  /// What is placed, if it emits; called once.
  Schedule takeSchedule();

private:
  //===--- Tasks (Tasks.cpp) ----------------------------------------------===//
  /// What is placed together.
  struct Task {
    enum class Kind : uint8_t { chains, sums, op } kind = Kind::op;
    /// A group of chains, sums, or an op.
    size_t number = 0;
    /// Its last op: ties are broken by it.
    size_t order = 0;
    std::vector<size_t> readers;
    /// Values that it reads from memory.
    std::vector<uint32_t> values;
    int64_t waitsFor = 0;
    /// The longest way from its begin to the end, about.
    int64_t priority = 0;
  };
  void makeTasks();
  /// The task that makes vector `i` of an op's result.
  [[nodiscard]] size_t taskOf(size_t op, int32_t i) const;
  void addOrder();
  [[nodiscard]] int64_t durationOf(const Task &task) const;
  Status placeTasks();
  Status place(const Task &task);
  void finish(const Task &task);

  //===--- Rows (Homes.cpp) -----------------------------------------------===//
  [[nodiscard]] int64_t planesOf(uint32_t value) const {
    return machine.planesOf(program.values[value].dtype);
  }
  /// A request for rows of all vectors of a value.
  [[nodiscard]] HomeRequest wholeOf(uint32_t value) const;
  /// The positions of units that put vectors of a value; also of those that
  /// take them.
  [[nodiscard]] std::vector<int64_t> makersOf(uint32_t value) const;
  [[nodiscard]] std::vector<int64_t> unitsOf(uint32_t value) const;
  /// How far it is, by position, from the unit that makes vectors (-1: any)
  /// to the bank and on to those that read them.
  [[nodiscard]] std::vector<int64_t> travelOf(uint32_t value,
                                              int64_t maker) const;
  StatusOr<Home *> makeHome(const HomeRequest &request);
  /// The same, where there are rows on one side of the units that make the
  /// value alone: those that take it copy it.
  StatusOr<Home *> makeHomeForMakers(HomeRequest request);
  /// How many vectors of weights reach a plane at a time, which takes so many
  /// streams of one direction.
  [[nodiscard]] int64_t loadGroups(uint32_t value) const;
  /// Rows for the vectors of a request, in blocks of `size`; where there are
  /// none, in banks to avoid, and then in fewer groups.
  Status makeBlocks(const HomeRequest &whole, int64_t size);
  /// Rows for vectors that a unit makes, if possible not in the banks `avoid`:
  /// blocks in banks of their own, so that several are written and read in a
  /// cycle.
  Status makeTargets(llvm::ArrayRef<Ref> results, int64_t maker,
                     std::set<Bank> avoid, int64_t from);
  /// When the first instance of an op with these operands may begin.
  [[nodiscard]] int64_t
  readyAt(llvm::ArrayRef<std::vector<Ref>> operands) const;
  [[nodiscard]] std::set<Bank> banksOf(llvm::ArrayRef<Ref> refs) const;
  /// Rows that hold a vector, in none of the banks `avoid`, from which it flows
  /// in one direction to a unit at `position`.
  [[nodiscard]] Home *homeOf(const Ref &ref, llvm::ArrayRef<Bank> avoid = {},
                             std::optional<int64_t> position = {}) const;
  /// Instances whose operands flow from the same banks and whose results flow
  /// to the same ones.
  struct Run {
    std::vector<int64_t> instances;
    llvm::SmallVector<Home *, 4> homes, targets;
    llvm::SmallVector<int64_t, 4> groups;
    /// It reads and writes one bank, one after the other: no instance joins it.
    bool isAlone = false;
    /// By operand: how many turns before the others it is read, as they come
    /// from one bank. ALUs move it on until then.
    llvm::SmallVector<int64_t, 4> turns;
    /// Of lane maps: the unit.
    int64_t sxm = -1;

    [[nodiscard]] int64_t count() const {
      return static_cast<int64_t>(instances.size());
    }
  };
  /// Vectors by instance, and the position of the unit that takes them; none:
  /// the sxm that is nearest to the first operand.
  struct Operand {
    llvm::ArrayRef<Ref> refs;
    std::optional<int64_t> position;
  };
  /// `results` are lists by instance.
  StatusOr<std::vector<Run>> makeRuns(int64_t count,
                                      llvm::ArrayRef<Operand> operands,
                                      llvm::ArrayRef<std::vector<Ref>> results,
                                      bool mayTakeTurns = false);
  /// The banks that one instance uses: those that it writes, and those that it
  /// reads at once; by turn, those that it reads before.
  struct BanksInUse {
    llvm::SmallVector<Bank, 16> written, read;
    std::vector<std::vector<Bank>> turns;
  };
  /// Finds a home for an operand of a run, for the first of `refs`, and adds it
  /// to the run. A bank has one access a cycle: where that is used, the vector,
  /// and those that follow, are copied elsewhere; where there is no room, it is
  /// read in another cycle.
  Status addOperand(Run &run, BanksInUse &used, llvm::ArrayRef<Ref> refs,
                    int64_t position, bool mayTakeTurns);
  /// A home of all `refs`, of one value, in other banks, on one side of the
  /// units at `takers`; made by copying.
  StatusOr<Home *> copy(llvm::ArrayRef<Ref> refs, HomeRequest request,
                        llvm::ArrayRef<int64_t> takers);
  /// Errors: constants and inputs are more than the chip has room for.
  /// Otherwise whether weights may lie near each mxm, and leave half of it.
  StatusOr<bool> checkRoom();
  Status placeConstants(bool nearAll);
  Status placeInitial(HomeRequest request);
  Status placeInputs();

  //===--- Chains (PlaceChains.cpp) ---------------------------------------===//
  /// Chains of one group: their vectors, by instance.
  struct ChainRows {
    ChainTiming timing;
    /// By node: the op that makes it.
    std::vector<const VectorOp *> ops;
    std::vector<std::vector<Ref>> sources, nodes;
    std::vector<Ref> products;
    /// Nodes that are written.
    std::vector<size_t> written;

    [[nodiscard]] std::vector<std::vector<Ref>> writtenRefs() const;
  };
  [[nodiscard]] ChainRows chainRowsOf(llvm::ArrayRef<int32_t> chains) const;
  /// Where the parts of a chain stand in a pattern.
  struct ChainSlots {
    /// By node and by source, of the product: the first of its issues.
    std::vector<size_t> nodes, nodeMoves, sourceMoves;
    size_t productMoves = 0;
    /// Legs of each source, and of each written node.
    std::vector<size_t> sources, targets;
    std::optional<size_t> product;
    int64_t count = 0, step = 1, begin = 0;
  };
  /// Adds a chain to a pattern; it begins in cycle `begin` of it.
  ChainSlots addChain(Pattern &pattern, const ChainRows &rows, const Run &run,
                      int64_t position, int64_t begin, int64_t step);
  void emitChain(const ChainRows &rows, const Run &run, const ChainSlots &slots,
                 const Pattern &pattern, const Placed &placed);
  Status placeChains(llvm::ArrayRef<int32_t> chains);
  Status placeRows(const ChainRows &rows);
  /// Places one run, whose sources may be there some turns early.
  Status placeRun(const ChainRows &rows, const Run &run);
  Status placeRunAsTimed(const ChainRows &rows, const Run &run);
  /// Places instances of a single operation one by one, its sources one after
  /// the other: streams are enough for one of them.
  Status placeInTurns(const ChainRows &rows, const Run &run);
  /// Places some instances, each operation as a chain of its own.
  Status placeRowsApart(const ChainRows &rows,
                        llvm::ArrayRef<int64_t> instances);
  /// The name of a vector that was moved `moves` times.
  [[nodiscard]] Ref moved(const Ref &ref, int64_t moves);

  //===--- Permutations and gathers (Lanes.cpp, Gathers.cpp) --------------===//
  /// The position of the sxm that is nearest to where vectors come from.
  [[nodiscard]] int64_t nearestSxm(const Home &from) const;
  [[nodiscard]] Issue portsOf(int64_t position, int64_t count);
  Status placeMap(const VectorOp &op);
  Status placeTranspose(const VectorOp &op);
  /// A group of banks that holds all `refs`, if possible none of `avoid`, from
  /// which they flow in one direction to `position`.
  StatusOr<Home *> homeOfBlock(llvm::ArrayRef<Ref> refs,
                               llvm::ArrayRef<Bank> avoid, int64_t position);
  Status makeTransposeTargets(const VectorOp &op);
  /// Adds what becomes of one transposed block.
  void addTransposed(Pattern &pattern, Home &target,
                     llvm::ArrayRef<Ref> results) const;
  Status placeGather(const VectorOp &op);
  /// The rows of the table in order, with banks on both sides.
  StatusOr<Home *> tableHome(const VectorOp &op);
  Status placeGatherRun(const VectorOp &op, Home &table, Home &from,
                        Home &target, llvm::ArrayRef<Ref> indices,
                        int64_t firstResult, bool isEast);

  //===--- Products (Products.cpp) ----------------------------------------===//
  struct Plane {
    int64_t position = 0, index = 0;
    CycleSet activations, loads;
    /// When each buffer and accumulator may be written anew.
    std::vector<int64_t> bufferFree, accumulatorFree;
    /// What each buffer holds, and from when on.
    struct Held {
      Ref first;
      int64_t rows = 0, from = 0;
    };
    std::vector<Held> buffers;
    /// The end of its last product.
    int64_t busyUntil = 0;
  };
  /// A row of a sum: its terms, in order, and where it is added up.
  struct SumRow {
    /// A multiply, and which of its products.
    llvm::SmallVector<std::pair<const VectorOp *, int32_t>> terms;
    size_t next = 0;
    int64_t accumulator = 0;
    /// When the accumulator may be read.
    int64_t ready = 0;

    [[nodiscard]] Ref last() const {
      return {terms.back().first->value, terms.back().second};
    }
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
  [[nodiscard]] std::vector<SumRow>
  sumRowsOf(llvm::ArrayRef<int32_t> ops) const;
  Status placeSums(size_t number);
  Status placeBlock(llvm::ArrayRef<int32_t> ops,
                    llvm::MutableArrayRef<SumRow> rows, Plane &plane);
  /// The rows that lie nearest to the plane.
  StatusOr<LoadPlan> planLoad(const VectorOp &op, const Plane &plane);
  StatusOr<Loaded> load(const VectorOp &op, Plane &plane);
  void emitLoad(const LoadPlan &plan, const Plane &plane, int64_t buffer,
                const Placed &placed);
  /// Places one product of each row, all by the same op; those of finished sums
  /// flow on, into `chain` if there is one.
  Status multiply(const VectorOp &op, Plane &plane, const Loaded &loaded,
                  llvm::ArrayRef<SumRow *> rows, bool isLast,
                  const ChainRows *chain);
  /// Places the last products of some instances of chains, whose operations
  /// find them in memory.
  Status multiplyApart(const VectorOp &op, Plane &plane, const Loaded &loaded,
                       llvm::ArrayRef<SumRow *> rows, const ChainRows &chain,
                       llvm::ArrayRef<int64_t> instances);
  Status multiplyRun(const VectorOp &op, Plane &plane, const Loaded &loaded,
                     llvm::ArrayRef<SumRow *> rows, bool isLast,
                     const ChainRows *chain, const Run &run,
                     std::vector<Ref> factors);
  void emitProducts(const VectorOp &op, Plane &plane, const Loaded &loaded,
                    llvm::ArrayRef<SumRow *> rows, const Pattern &pattern,
                    const Placed &placed, size_t resultLeg);

  //===--- The package (Package.cpp) --------------------------------------===//
  void addInterfaces();
  void addPlacements(uint32_t value);
  void addConstants();

  const Machine &machine;
  const VectorProgram &program;
  const Chains &chains;
  const ScheduleChoices choices;
  mlir::func::FuncOp function;
  Schedule schedule;
  Timetable table;
  std::deque<Plane> planes;
  int64_t vxm = -1;
  std::vector<Task> tasks;
  std::vector<size_t> taskOfGroup, taskOfSums, taskOfOp;
  /// By value: how many tasks read it that are not placed, and where it lies.
  std::vector<int64_t> uses;
  std::vector<std::deque<Home>> homes;
  std::vector<bool> isKept;
  std::map<uint32_t, uint32_t> movedValues;
  std::map<std::string, uint32_t> mapNumbers;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULER_H

// Dots as matrix instructions: each product is made once.
#include "codegen/tilegpu/MatrixProduct.h"

#include "codegen/layout/MatrixAccess.h"
#include <catch2/catch.hpp>
#include <map>

using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Dims;
using layout::HardwareDim;
using layout::Layout;
using target::MatrixInstruction;

/// The bits of elements that an instruction multiplies, its own first.
static std::vector<unsigned> widthsOf(const MatrixInstruction &each) {
  using target::MatrixType;
  switch (each.operands) {
  case MatrixType::f16: // 8-bit floats, too.
    return each.k == 16 ? std::vector<unsigned>{16, 8}
                        : std::vector<unsigned>{16};
  case MatrixType::bf16: // Parts of f32.
    return {16, 32};
  case MatrixType::tf32:
    return {32};
  case MatrixType::i8:
  case MatrixType::f8:
    return {8};
  case MatrixType::f64:
    return {64};
  case MatrixType::f32:
  case MatrixType::i32:
    break;
  }
  return {};
}

TEST_CASE("each matrix instruction has its fragments") {
  for (const MatrixInstruction &each : target::matrixInstructions()) {
    INFO(each.name);
    CHECK(target::findMatrixInstruction(each.name) == &each);
    for (auto [operand, rows, columns] :
         {std::tuple(layout::Operand::a, each.m, each.k),
          std::tuple(layout::Operand::b, each.k, each.n),
          std::tuple(layout::Operand::c, each.m, each.n)}) {
      StatusOr<Layout> fragment = layout::mmaFragment(
          {each.m, each.n, each.k, widthsOf(each).front()}, operand);
      REQUIRE(fragment.ok());
      CHECK(fragment->shape() == Dims{rows, columns});
      CHECK(fragment->items() * 32 == rows * columns);
    }
  }
  CHECK(target::findMatrixInstruction("mma.m16n8k16") == nullptr);
}

/// Coordinates of an element of a fragment's register, in one lane.
static std::vector<int64_t> at(const Layout &layout, int64_t reg, int64_t lane,
                               int64_t warp) {
  const Dims found = layout.apply(layout::inRegister(reg, lane, warp));
  return {found.begin(), found.end()};
}

/// Executes the steps on coordinates: which positions of k were added to each
/// accumulator of each warp, and how often. Within a fragment the registers of
/// both operands must be in one order of k.
static void check(const MatrixInstruction &instruction, unsigned elementBits,
                  const Layout &sums, int64_t depth) {
  StatusOr<MatrixProduct> product =
      matrixProduct(instruction, elementBits, sums, depth);
  REQUIRE(product.ok());
  const size_t rank = sums.rank();
  for (int64_t warp = 0; warp < sums.size(HardwareDim::warp); ++warp) {
    std::map<std::vector<int64_t>, int64_t> added;
    for (const MatrixProduct::Step &step : product->steps) {
      std::vector<int64_t> left =
          at(product->lhs, step.lhs * product->lhsRegisters, 0, warp);
      std::vector<int64_t> right =
          at(product->rhs, step.rhs * product->rhsRegisters, 0, warp);
      std::vector<int64_t> sum =
          at(sums, step.acc * product->accRegisters, 0, warp);
      CHECK(left[rank - 1] == right[rank - 2]);
      CHECK(left[rank - 2] == sum[rank - 2]);
      CHECK(right[rank - 1] == sum[rank - 1]);
      if (rank == 3)
        CHECK((left[0] == sum[0] && right[0] == sum[0]));
      ++added[{step.acc, left[rank - 1]}];
    }
    const int64_t fragments = sums.items() / product->accRegisters;
    CHECK(int64_t(added.size()) == fragments * (depth / instruction.k));
    for (const auto &[where, count] : added)
      CHECK(count == 1);
  }
}

TEST_CASE("a dot's products are each made once") {
  for (const MatrixInstruction &each : target::matrixInstructions())
    for (const Dims &shape : {Dims{16, 8}, Dims{64, 64}, Dims{48, 40},
                              Dims{96, 80}, Dims{2, 32, 24}, Dims{3, 16, 16}})
      for (int64_t warps : {1, 2, 3, 4, 6, 8, 12, 16}) {
        INFO(each.name << " " << shape.text() << " warps=" << warps);
        StatusOr<std::vector<Layout>> found =
            matrixAccumulators(each, shape, warps);
        REQUIRE(found.ok());
        REQUIRE(!found->empty());
        for (const Layout &sums : *found) {
          CHECK(sums.size(HardwareDim::warp) == warps);
          CHECK(sums.covers(shape));
          for (unsigned bits : widthsOf(each))
            check(each, bits, sums, 3 * each.k);
        }
      }
}

TEST_CASE("shapes and layouts that no matrix instruction takes") {
  const MatrixInstruction &first = target::matrixInstructions().front();
  CHECK(matrixAccumulators(first, {24, 8}, 4).status().message() ==
        "a tile of 24 by 8 is no multiple of the 16 by 8 of mma.m16n8k16.f16");
  Layout sums = matrixAccumulators(first, {16, 8}, 1)->front();
  CHECK(matrixProduct(first, 16, sums, 24).status().message() ==
        "a depth of 24 is no multiple of the 16 of mma.m16n8k16.f16");
  StatusOr<Layout> rows = layout::accumulator({64, 64}, 4);
  REQUIRE(rows.ok());
  CHECK(!matrixProduct(first, 16, *rows, 16).ok());
}

/// Stores an operand whose neighbours along `order` are contiguous, and loads
/// its fragments; `isAlongK`: these neighbours are what the product adds up.
static void checkMemory(const Layout &fragments, unsigned bits,
                        const Dims &order, bool isAlongK, int64_t warps) {
  layout::CoalescedParameters loads;
  loads.shape = fragments.shape();
  loads.elementBits = bits;
  loads.warps = warps;
  loads.order = order;
  loads.dealing = layout::Dealing::none;
  const bool isTurned = bits == 8 && !isAlongK;
  StatusOr<Layout> stored =
      isTurned ? layout::transposingBlocks(fragments.shape(), order[1],
                                           order[0], warps)
               : layout::coalesced(loads);
  REQUIRE(stored.ok());
  StatusOr<layout::MatrixMemory> memory =
      layout::matrixMemory(*stored, fragments, bits);
  REQUIRE(memory.ok());
  CHECK(memory->takesStored);
  StatusOr<layout::MatrixAccess> access =
      layout::fragmentAccess(fragments, memory->memory, bits);
  REQUIRE(access.ok());
  // By ldmatrix what is contiguous along k, and what that transposes.
  CHECK(access->byLdmatrix == (bits < 32 || (bits == 32 && isAlongK)));
  const int64_t bytesOfWord = std::max(bits, 32U) / 8;
  CHECK(access->wavefronts ==
        int64_t(access->instructions.size()) * access->count * bytesOfWord / 4);
  StatusOr<layout::SharedAccess> store =
      layout::sharedAccess(*stored, memory->memory, bits);
  REQUIRE(store.ok());
  CHECK(store->wavefronts == std::max<int64_t>(1, stored->items() * bits / 32));
}

// All that a product loads comes without conflicts, from memory to which
// neighbours along either dimension are stored. Bytes are along k there.
TEST_CASE("operands lie in memory that is read without conflicts") {
  for (const MatrixInstruction &each : target::matrixInstructions())
    for (unsigned bits : widthsOf(each))
      for (const Dims &shape : {Dims{128, 128}, Dims{64, 64}, Dims{128, 32}})
        for (int64_t warps : {4, 8})
          for (int64_t depth : {bits == 64 ? 16 : 512 / bits, 1024 / bits}) {
            INFO(each.name << " " << bits << " " << shape.text()
                           << " warps=" << warps << " k=" << depth);
            StatusOr<std::vector<Layout>> found =
                matrixAccumulators(each, shape, warps);
            REQUIRE(found.ok());
            for (const Layout &sums : *found) {
              StatusOr<MatrixProduct> product =
                  matrixProduct(each, bits, sums, depth);
              REQUIRE(product.ok());
              for (bool isLhs : {true, false})
                for (const Dims &order : {Dims{0, 1}, Dims{1, 0}})
                  checkMemory(isLhs ? product->lhs : product->rhs, bits, order,
                              order[0] == (isLhs ? 1 : 0), warps);
            }
          }
}

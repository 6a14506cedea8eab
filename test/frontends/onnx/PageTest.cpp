// The page about ONNX has one row for each operator, and no other rows.
#include "frontends/onnx/Import.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <string>

TEST_CASE("docs/onnx.md lists the operators") {
  std::set<std::string> expected, found;
  for (const auto &op : tilewright::onnx::supportedOps())
    expected.insert("| " + (op.domain.empty() ? "" : op.domain + ".") +
                    op.name + " | " + std::to_string(op.since) + " | " +
                    op.limits + " |");
  std::ifstream page(ONNX_PAGE);
  REQUIRE(page);
  bool inTable = false;
  for (std::string line; std::getline(page, line);) {
    if (inTable && !line.empty())
      found.insert(line);
    inTable |= line.rfind("|---", 0) == 0;
  }
  CHECK(found == expected);
}

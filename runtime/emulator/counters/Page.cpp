// The report as a page of HTML.
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/counters/Metrics.h"
#include "runtime/emulator/counters/Report.h"
#include "support/Format.h"
#include "support/Html.h"
#include <algorithm>

namespace tilewright::emulator {

using namespace markup;

namespace {

/// An element that is as hot as `part` is near to `whole`.
Attribute heat(uint64_t part, uint64_t whole) {
  double share = whole ? double(part) / double(whole) : 0;
  return {"style", "--h:" + formatFixed(share, 3)};
}

//===--- Totals -----------------------------------------------------------===//

Markup cards(const KernelCounters &kernel, const Counters &sums) {
  Markup cards = line();
  auto add = [&](const std::string &metric, const std::string &meaning) {
    cards += line(html::card(metric, meaning));
  };
  add(formatCount(sums.warps), "instructions of warps");
  add(percent(sums.threads, sums.warps * 32), "of lanes active");
  if (sums.globalRequests)
    add(percent(sums.idealSectors, sums.sectors),
        format("of {} sectors of global memory wanted",
               {formatCount(sums.sectors)}));
  if (sums.sharedRequests)
    add(formatCount(sums.wavefronts - sums.idealWavefronts),
        format("of {} passes of shared memory are bank conflicts",
               {formatCount(sums.wavefronts)}));
  if (sums.multiplyAdds)
    add(formatCount(sums.multiplyAdds), "multiply-adds of tensor cores");
  add(formatCount(sums.barriers), "arrivals of warps at barriers");
  add("about " + formatCount(resourceUse(kernel).registers.registers),
      "registers a thread (estimate)");
  return line(element("div", {{"class", "cards"}}, cards));
}

Markup numbers(const Markup &rows) {
  return element("table", {{"class", "numbers"}}, line() + rows);
}

/// A table under a heading.
Markup section(const Markup &title, const Markup &rows) {
  return line(element("section", element("h2", title) + numbers(rows)));
}

Markup classTable(const KernelCounters &kernel, uint64_t all) {
  auto classes = kernel.byClass();
  Markup rows;
  for (const auto &[kind, counters] : classes) {
    Attribute share = heat(counters.warps, classes.front().counters.warps);
    rows += html::row(
        element("td", {{"class", "name"}, {"title", classMeaning(kind)}},
                className(kind)) +
        html::cell(formatCount(counters.warps)) +
        html::cell(percent(counters.warps, all)) +
        html::cell(element("i", {share}, {}), "bar"));
  }
  return section("Instructions by class", rows);
}

Markup pathTable(const Counters &sums) {
  Markup rows;
  for (size_t path = 0; path < dataPathCount; ++path)
    if (sums.bytes[path])
      rows +=
          html::row(html::cell(inBytes(sums.bytes[path])) +
                    html::cell(Markup::literal(dataPathFacts()[path].meaning),
                               "meaning"));
  return section("Bytes by path", rows);
}

Markup occupancyTable(const KernelCounters &kernel) {
  Markup rows = html::row(html::headCell("target", "name") +
                          html::headCell("blocks") + html::headCell("warps") +
                          html::headCell("no more for want of", "name"));
  BlockNeeds needs = resourceUse(kernel).needs;
  for (const Multiprocessor &multiprocessor : multiprocessors()) {
    Occupancy occupancy = occupancyOn(multiprocessor, needs);
    rows += html::row(
        html::cell(multiprocessor.target, "name") +
        html::cell(formatCount(occupancy.blocks)) +
        html::cell(format("{} of {}", {formatCount(occupancy.warps),
                                       formatCount(multiprocessor.warps)})) +
        html::cell(occupancy.limit, "name"));
  }
  return section("Occupancy of a multiprocessor", rows);
}

//===--- Lines ------------------------------------------------------------===//

/// A column of metrics; its cells are as hot as they are near to the most.
struct Column {
  std::string_view title, meaning;
  uint64_t Counters::*field;
  /// What the metric would be at best, or null.
  uint64_t Counters::*ideal;
  uint64_t most = 0;
};

std::vector<Column> columnsOf(std::span<const LineCounters> lines) {
  std::vector<Column> columns = {
      {"warps", "warps that issued it", &Counters::warps, nullptr},
      {"sectors", "sectors of global memory, and the ideal where it is less",
       &Counters::sectors, &Counters::idealSectors},
      {"passes", "passes of shared memory, and the ideal where it is less",
       &Counters::wavefronts, &Counters::idealWavefronts},
      {"multiply-adds", "multiply-adds of tensor cores",
       &Counters::multiplyAdds, nullptr}};
  for (Column &column : columns)
    for (const LineCounters &line : lines)
      column.most = std::max(column.most, line.counters.*column.field);
  std::erase_if(columns, [](const Column &column) { return !column.most; });
  return columns;
}

Markup headings(std::span<const Column> columns, std::string_view text) {
  Markup heads;
  for (const Column &column : columns) {
    heads += element("th", {{"title", column.meaning}}, column.title);
    if (column.field == &Counters::warps)
      heads += element("th", {{"title", "of their lanes active"}}, "lanes");
  }
  return html::row(heads + html::headCell({}) + html::headCell(text, "name"));
}

Markup metricCell(const Column &column, const Counters *counters) {
  const bool isWarps = column.field == &Counters::warps;
  uint64_t value = counters ? counters->*column.field : 0;
  if (!value)
    return html::cell(isWarps && counters ? "0" : "");
  Markup metric = formatCount(value);
  if (column.ideal && counters->*column.ideal < value)
    metric +=
        " " + element("span", {{"class", "over"}},
                      format("({})", {formatCount(counters->*column.ideal)}));
  return element(
      "td", {{"class", isWarps ? "warps" : "heat"}, heat(value, column.most)},
      metric);
}

/// The cells of a line; empty where it has no instruction.
Markup metricCells(std::span<const Column> columns, const Counters *counters) {
  Markup cells;
  for (const Column &column : columns) {
    cells += metricCell(column, counters);
    if (column.field == &Counters::warps)
      cells += html::cell(counters && counters->warps
                              ? percent(counters->threads, counters->warps * 32)
                              : "");
  }
  return cells;
}

/// A cell with the number of a line and a link to it.
Markup numberCell(const std::string &anchor, const std::string &number) {
  return html::cell(
      element("a", {{"href", format("#{}{}", {anchor, number})}}, number),
      "number");
}

Markup codeTable(const Markup &rows) {
  return line(element("table", {{"class", "numbers lines"}}, line() + rows));
}

/// `anchor` is the prefix of its lines' names.
Markup ptxTable(const KernelCounters &kernel, const std::string &anchor) {
  std::vector<LineCounters> lines = byLine(kernel);
  std::vector<Column> columns = columnsOf(lines);
  Markup rows = headings(columns, "");
  auto next = lines.begin();
  uint32_t count = 0;
  for (std::string_view text : textLines(kernel)) {
    ++count;
    bool counted = next != lines.end() && next->line == count;
    const std::string number = std::to_string(count);
    rows += line(
        element("tr", {{"id", anchor + number}},
                metricCells(columns, counted ? &(next++)->counters : nullptr) +
                    numberCell(anchor, number) +
                    html::cell(Markup::literal(text), "ptx")));
  }
  return line(element("h2", "The PTX")) + codeTable(rows);
}

Markup sourceTables(const KernelCounters &kernel) {
  Markup tables;
  for (const SourceCounters &file : bySourceLine(kernel)) {
    std::vector<Column> columns = columnsOf(file.lines);
    Markup rows = headings(columns, "line");
    for (const LineCounters &found : file.lines)
      rows += html::row(metricCells(columns, &found.counters) + html::cell({}) +
                        html::cell(std::to_string(found.line), "name"));
    tables += line(element("h2", "Lines of " + Markup::literal(file.path))) +
              codeTable(rows);
  }
  return tables;
}

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  return text.substr(std::min(first, text.size()));
}

/// The lines with the highest values of each column but the first.
Markup hottest(const KernelCounters &kernel, const std::string &anchor) {
  std::vector<LineCounters> lines = byLine(kernel);
  std::vector<std::string_view> texts = textLines(kernel);
  Markup sections;
  for (const Column &column : columnsOf(lines)) {
    if (column.field == &Counters::warps)
      continue;
    std::vector<LineCounters> sorted = lines;
    auto more = [&](const LineCounters &a, const LineCounters &b) {
      uint64_t x = a.counters.*column.field, y = b.counters.*column.field;
      return x != y ? x > y : a.line < b.line;
    };
    std::sort(sorted.begin(), sorted.end(), more);
    sorted.resize(std::min<size_t>(sorted.size(), 5));
    Markup rows;
    for (const LineCounters &found : sorted)
      if (found.counters.*column.field)
        rows += html::row(
            metricCells({&column, 1}, &found.counters) +
            numberCell(anchor, std::to_string(found.line)) +
            html::cell(Markup::literal(trimmed(texts[found.line - 1])), "ptx"));
    sections += section("Most " + std::string(column.title), rows);
  }
  return sections;
}

//===--- Pages ------------------------------------------------------------===//

std::string page(const Markup &title, const Markup &body) {
  Markup head = html::headContent(title);
  return html::document(line(element("head", head)) +
                        element("body", line() + body));
}

/// Target, launch and metrics.
Markup overview(const KernelCounters &kernel, const std::string &anchor) {
  Counters sums = kernel.total();
  std::string launch =
      format("grid {}, block {}, cluster {}, {} B of shared memory a block",
             {dimensions(kernel.grid), dimensions(kernel.block),
              dimensions(kernel.cluster), formatCount(kernel.sharedBytes)});
  return line(element("p", {{"class", "soft"}},
                      Markup(kernel.program->source->target) + ", " + launch)) +
         cards(kernel, sums) +
         line(element("div", {{"class", "two"}},
                      line() + classTable(kernel, sums.warps) +
                          pathTable(sums) + occupancyTable(kernel) +
                          hottest(kernel, anchor)));
}

Markup kernelRow(const Markup &name, uint64_t launches, const Counters &sums,
                 uint64_t most) {
  return html::row(
      html::cell(name, "name") + html::cell(formatCount(launches)) +
      element("td", {{"class", "heat"}, heat(sums.warps, most)},
              formatCount(sums.warps)) +
      html::cell(formatCount(sums.sectors)) +
      html::cell(percent(sums.idealSectors, sums.sectors)) +
      html::cell(formatCount(sums.wavefronts)) +
      html::cell(formatCount(sums.wavefronts - sums.idealWavefronts)));
}

Markup kernelTable(std::span<const KernelTotal> kernels) {
  Counters sums;
  uint64_t launches = 0, most = 0;
  for (const KernelTotal &kernel : kernels) {
    Counters own = kernel.counters.total();
    sums += own;
    launches += kernel.launches;
    most = std::max(most, own.warps);
  }
  Markup heads = html::headCell("kernel", "name");
  for (const char *head : {"launches", "instructions of warps", "sectors",
                           "wanted", "passes", "conflicts"})
    heads += html::headCell(head);
  Markup rows = html::row(heads);
  for (size_t i = 0; i < kernels.size(); ++i)
    rows += kernelRow(element("a", {{"href", format("#K{}", {i})}},
                              kernels[i].counters.program->kernel().name),
                      kernels[i].launches, kernels[i].counters.total(), most);
  rows += kernelRow("in sum", launches, sums, 0);
  return line(numbers(rows));
}
} // namespace

std::string htmlPage(const KernelCounters &kernel) {
  Markup name = kernel.program->kernel().name;
  return page(name, line(element("h1", name)) + overview(kernel, "L") +
                        ptxTable(kernel, "L") + sourceTables(kernel));
}

std::string htmlPage(std::span<const KernelTotal> kernels) {
  Markup body = line(element("h1", "Kernels")) + kernelTable(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelCounters &counters = kernels[i].counters;
    const std::string id = format("K{}", {i});
    body += line(element("h1", {{"id", id}}, counters.program->kernel().name));
    body += line(
        element("p", {{"class", "soft"}}, launchesText(kernels[i].launches)));
    body += overview(counters, id + "L") + sourceTables(counters);
    body += line(element("details", line(element("summary", "The PTX")) +
                                        ptxTable(counters, id + "L")));
  }
  return page("Kernels", body);
}

} // namespace tilewright::emulator

// The report as a page of HTML.
#include "runtime/emulator/counters/Figures.h"
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/counters/PageStyle.h"
#include "runtime/emulator/counters/Report.h"
#include <algorithm>
#include <cstdio>

namespace tilewright::emulator {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// ` style="--h:0.25"`.
std::string heatStyle(uint64_t part, uint64_t whole) {
  char text[32];
  std::snprintf(text, sizeof(text), " style=\"--h:%.3f\"",
                whole ? double(part) / double(whole) : 0.0);
  return text;
}

std::string cell(std::string_view kind, std::string_view text) {
  return "<td class=\"" + std::string(kind) + "\">" + escaped(text) + "</td>";
}

//===--- Totals -----------------------------------------------------------===//

std::string card(const std::string &figure, const std::string &meaning) {
  return "<div class=\"card\"><b>" + escaped(figure) + "</b><span>" +
         escaped(meaning) + "</span></div>\n";
}

std::string cards(const KernelCounters &kernel, const Counters &sums) {
  std::string text = "<div class=\"cards\">\n";
  text += card(grouped(sums.warps), "instructions of warps");
  text += card(percent(sums.threads, sums.warps * 32), "of lanes active");
  if (sums.globalRequests)
    text += card(percent(sums.idealSectors, sums.sectors),
                 "of " + grouped(sums.sectors) +
                     " sectors of global memory wanted");
  if (sums.sharedRequests)
    text += card(grouped(sums.wavefronts - sums.idealWavefronts),
                 "of " + grouped(sums.wavefronts) +
                     " passes of shared memory are bank conflicts");
  if (sums.multiplyAdds)
    text += card(grouped(sums.multiplyAdds), "multiply-adds of tensor cores");
  text += card(grouped(sums.barriers), "arrivals of warps at barriers");
  text += card("about " + grouped(resourceUse(kernel).registers.registers),
               "registers a thread (estimate)");
  return text + "</div>\n";
}

std::string classTable(const KernelCounters &kernel, uint64_t all) {
  auto classes = kernel.byClass();
  std::string text = "<section><h2>Instructions by class</h2><table>\n";
  for (const auto &[kind, counters] : classes)
    text += "<tr><td class=\"name\" title=\"" + escaped(classMeaning(kind)) +
            "\">" + std::string(className(kind)) + "</td><td>" +
            grouped(counters.warps) + "</td><td>" +
            percent(counters.warps, all) + "</td><td class=\"bar\"><i" +
            heatStyle(counters.warps, classes.front().counters.warps) +
            "></i></td></tr>\n";
  return text + "</table></section>\n";
}

std::string pathTable(const Counters &sums) {
  std::string text = "<section><h2>Bytes by path</h2><table>\n";
  for (size_t path = 0; path < dataPathCount; ++path)
    if (sums.bytes[path])
      text += "<tr><td>" + inBytes(sums.bytes[path]) + "</td>" +
              cell("meaning", dataPathFacts()[path].meaning) + "</tr>\n";
  return text + "</table></section>\n";
}

std::string occupancyTable(const KernelCounters &kernel) {
  std::string text =
      "<section><h2>Occupancy of a multiprocessor</h2><table>\n"
      "<tr><th class=\"name\">target</th><th>blocks</th><th>warps</th>"
      "<th class=\"name\">no more for want of</th></tr>\n";
  BlockNeeds needs = resourceUse(kernel).needs;
  for (const Multiprocessor &multiprocessor : multiprocessors()) {
    Occupancy occupancy = occupancyOn(multiprocessor, needs);
    text += "<tr>" + cell("name", multiprocessor.target) + "<td>" +
            grouped(occupancy.blocks) + "</td><td>" + grouped(occupancy.warps) +
            " of " + grouped(multiprocessor.warps) + "</td>" +
            cell("name", occupancy.limit) + "</tr>\n";
  }
  return text + "</table></section>\n";
}

//===--- Lines ------------------------------------------------------------===//

/// A column of figures; its cells are as hot as they are near to the most.
struct Column {
  std::string_view title, meaning;
  uint64_t Counters::*field;
  /// What the figure would be at best, or null.
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

std::string headings(std::span<const Column> columns, std::string_view text) {
  std::string row = "<tr>";
  for (const Column &column : columns) {
    row += "<th title=\"" + escaped(column.meaning) + "\">" +
           std::string(column.title) + "</th>";
    if (column.field == &Counters::warps)
      row += "<th title=\"of their lanes active\">lanes</th>";
  }
  return row + "<th></th><th class=\"name\">" + std::string(text) +
         "</th></tr>\n";
}

/// The cells of a line; empty where it has no instruction.
std::string figureCells(std::span<const Column> columns,
                        const Counters *counters) {
  static constexpr Counters none;
  const Counters &found = counters ? *counters : none;
  std::string cells;
  for (const Column &column : columns) {
    bool isWarps = column.field == &Counters::warps;
    uint64_t value = found.*column.field;
    if (value)
      cells += "<td class=\"" + std::string(isWarps ? "warps" : "heat") + "\"" +
               heatStyle(value, column.most) + ">" + grouped(value);
    else
      cells += "<td>" + std::string(isWarps && counters ? "0" : "");
    if (column.ideal && found.*column.ideal < value)
      cells +=
          " <span class=\"over\">(" + grouped(found.*column.ideal) + ")</span>";
    cells += "</td>";
    if (isWarps)
      cells +=
          "<td>" +
          (value ? percent(found.threads, found.warps * 32) : std::string()) +
          "</td>";
  }
  return cells;
}

/// `anchor` begins the names of its lines.
std::string ptxTable(const KernelCounters &kernel, const std::string &anchor) {
  std::vector<LineCounters> lines = byLine(kernel);
  std::vector<Column> columns = columnsOf(lines);
  std::string text =
      "<h2>The PTX</h2>\n<table class=\"code\">\n" + headings(columns, "");
  auto next = lines.begin();
  uint32_t number = 0;
  for (std::string_view line : textLines(kernel)) {
    ++number;
    bool counted = next != lines.end() && next->line == number;
    std::string name = std::to_string(number);
    text += "<tr id=\"" + anchor + name + "\">" +
            figureCells(columns, counted ? &(next++)->counters : nullptr) +
            "<td class=\"number\"><a href=\"#" + anchor + name + "\">" + name +
            "</a></td>" + cell("ptx", line) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string sourceTables(const KernelCounters &kernel) {
  std::string text;
  for (const SourceCounters &file : bySourceLine(kernel)) {
    std::vector<Column> columns = columnsOf(file.lines);
    text += "<h2>Lines of " + escaped(file.path) +
            "</h2>\n<table class=\"code\">\n" + headings(columns, "line");
    for (const LineCounters &line : file.lines)
      text += "<tr>" + figureCells(columns, &line.counters) + "<td></td>" +
              cell("name", std::to_string(line.line)) + "</tr>\n";
    text += "</table>\n";
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  return text.substr(std::min(first, text.size()));
}

/// The lines with the most of each column but the first.
std::string hottest(const KernelCounters &kernel, const std::string &anchor) {
  std::vector<LineCounters> lines = byLine(kernel);
  std::vector<std::string_view> texts = textLines(kernel);
  std::string text;
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
    text += "<section><h2>Most " + std::string(column.title) + "</h2><table>\n";
    for (const LineCounters &line : sorted)
      if (line.counters.*column.field) {
        std::string name = std::to_string(line.line);
        text += "<tr>" + figureCells({&column, 1}, &line.counters) +
                "<td class=\"number\"><a href=\"#" + anchor + name + "\">" +
                name + "</a></td>" +
                cell("ptx", trimmed(texts[line.line - 1])) + "</tr>\n";
      }
    text += "</table></section>\n";
  }
  return text;
}

//===--- Pages ------------------------------------------------------------===//

std::string page(const std::string &title, const std::string &body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         title + "</title>\n<style>" + std::string(pageStyle) +
         "</style></head>\n<body>\n" + body + "</body></html>\n";
}

/// Target, launch and figures.
std::string overview(const KernelCounters &kernel, const std::string &anchor) {
  Counters sums = kernel.total();
  std::string launch =
      "grid " + dimensions(kernel.grid) + ", block " +
      dimensions(kernel.block) + ", cluster " + dimensions(kernel.cluster) +
      ", " + grouped(kernel.sharedBytes) + " B of shared memory a block";
  return "<p>" + escaped(kernel.program->source->target) + ", " + launch +
         "</p>\n" + cards(kernel, sums) + "<div class=\"two\">\n" +
         classTable(kernel, sums.warps) + pathTable(sums) +
         occupancyTable(kernel) + hottest(kernel, anchor) + "</div>\n";
}

std::string kernelRow(const std::string &name, uint64_t launches,
                      const Counters &sums, uint64_t most) {
  return "<tr><td class=\"name\">" + name + "</td><td>" + grouped(launches) +
         "</td><td class=\"heat\"" + heatStyle(sums.warps, most) + ">" +
         grouped(sums.warps) + "</td><td>" + grouped(sums.sectors) +
         "</td><td>" + percent(sums.idealSectors, sums.sectors) + "</td><td>" +
         grouped(sums.wavefronts) + "</td><td>" +
         grouped(sums.wavefronts - sums.idealWavefronts) + "</td></tr>\n";
}

std::string kernelTable(std::span<const KernelTotal> kernels) {
  Counters sums;
  uint64_t launches = 0, most = 0;
  for (const KernelTotal &kernel : kernels) {
    Counters own = kernel.counters.total();
    sums += own;
    launches += kernel.launches;
    most = std::max(most, own.warps);
  }
  std::string text =
      "<table>\n<tr><th class=\"name\">kernel</th><th>launches</th>"
      "<th>instructions of warps</th><th>sectors</th><th>wanted</th>"
      "<th>passes</th><th>conflicts</th></tr>\n";
  for (size_t i = 0; i < kernels.size(); ++i)
    text += kernelRow("<a href=\"#K" + std::to_string(i) + "\">" +
                          escaped(kernels[i].counters.program->kernel().name) +
                          "</a>",
                      kernels[i].launches, kernels[i].counters.total(), most);
  return text + kernelRow("in sum", launches, sums, 0) + "</table>\n";
}
} // namespace

std::string htmlPage(const KernelCounters &kernel) {
  std::string name = escaped(kernel.program->kernel().name);
  return page(name, "<h1>" + name + "</h1>\n" + overview(kernel, "L") +
                        ptxTable(kernel, "L") + sourceTables(kernel));
}

std::string htmlPage(std::span<const KernelTotal> kernels) {
  std::string body = "<h1>Kernels</h1>\n" + kernelTable(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelCounters &counters = kernels[i].counters;
    const std::string id = "K" + std::to_string(i);
    body += "<h1 id=\"" + id + "\">" +
            escaped(counters.program->kernel().name) + "</h1>\n<p>" +
            launchesText(kernels[i].launches) + "</p>\n" +
            overview(counters, id + "L") + sourceTables(counters) +
            "<details><summary>The PTX</summary>\n" +
            ptxTable(counters, id + "L") + "</details>\n";
  }
  return page("Kernels", body);
}

} // namespace tilewright::emulator

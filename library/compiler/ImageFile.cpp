//===- ImageFile.cpp - Kernel images as bytes -----------------------------===//
#include "library/compiler/ImageFile.h"

#include "library/cache/Fields.h"

namespace tilewright {

using cache::FieldReader, cache::FieldWriter;

/// The texts of an image, each once.
template <typename Image, typename Visit>
static void eachText(Image &image, Visit &visit) {
  for (auto *text : {&image.code, &image.scheduled, &image.loops, &image.llvmIr,
                     &image.assembly, &image.schedule.reason,
                     &image.explanation, &image.layouts})
    visit(*text);
}

static void write(const Remark &remark, FieldWriter &writer) {
  writer(uint64_t(remark.kind));
  for (const std::string *text : {&remark.pass, &remark.kernel, &remark.code,
                                  &remark.where.file, &remark.message})
    writer(*text);
  for (uint32_t number : {remark.where.line, remark.where.column,
                          remark.where.endLine, remark.where.endColumn})
    writer(uint64_t(number));
  writer(uint64_t(remark.arguments.size()));
  for (const auto &[name, value] : remark.arguments) {
    writer(name);
    writer(value);
  }
}

static Remark readRemark(FieldReader &reader) {
  Remark remark;
  uint64_t number;
  reader(number);
  remark.kind = Remark::Kind(number);
  for (std::string *text : {&remark.pass, &remark.kernel, &remark.code,
                            &remark.where.file, &remark.message})
    reader(*text);
  for (uint32_t *location : {&remark.where.line, &remark.where.column,
                             &remark.where.endLine, &remark.where.endColumn}) {
    reader(number);
    *location = uint32_t(number);
  }
  reader(number);
  for (; number > 0 && !reader.isBad; --number) {
    auto &[name, value] = remark.arguments.emplace_back();
    reader(name);
    reader(value);
  }
  return remark;
}

std::string writeImage(const ImageFile &file) {
  FieldWriter writer;
  writer(runtime::printKernelManifest(file.image.manifest));
  eachText(file.image, writer);
  writer(file.image.schedule.schedule.text());
  writer(uint64_t(file.remarks.size()));
  for (const Remark &remark : file.remarks)
    write(remark, writer);
  return std::move(writer.bytes);
}

std::optional<ImageFile> readImage(std::string_view bytes) {
  FieldReader reader{bytes};
  ImageFile file;
  std::string manifest, schedule;
  reader(manifest);
  eachText(file.image, reader);
  reader(schedule);
  uint64_t remarks;
  reader(remarks);
  for (; remarks > 0 && !reader.isBad; --remarks)
    file.remarks.push_back(readRemark(reader));
  if (!reader.isDone())
    return std::nullopt;
  auto parsed = runtime::parseKernelManifest(manifest);
  auto parsedSchedule = schedule::GpuSchedule::parse(schedule);
  if (!parsed.ok() || !parsedSchedule.ok())
    return std::nullopt;
  file.image.manifest = *std::move(parsed);
  file.image.schedule.schedule = *std::move(parsedSchedule);
  return file;
}

} // namespace tilewright

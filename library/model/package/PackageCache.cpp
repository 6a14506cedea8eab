//===- PackageCache.cpp - Whole packages in a cache -----------------------===//
#include "library/model/package/PackageCache.h"

#include "library/cache/Fields.h"
#include "library/compiler/BuildIdentity.h"
#include "library/compiler/KeyHasher.h"
#include "library/model/package/PlannedMemory.h"
#include "runtime/core/PackageWriter.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>

namespace tilewright {

namespace fs = std::filesystem;
using cache::FieldReader, cache::FieldWriter;

/// Larger files have separate entries.
static constexpr size_t largestInline = size_t(1) << 20;
static constexpr std::string_view manifestName = "manifest.json";

/// Whether the caller wants to see the work, or more than the package.
static bool isLookedAt(const CompileModelOptions &options) {
  return options.wantBytecode || options.printPasses.wanted() ||
         options.verifyEach || options.runsLlvmPass || options.wantSchedules ||
         options.wantLayouts || options.wantPtx || options.wantFusion ||
         options.wantGraph || options.wantTiles || options.wantScheduled ||
         options.wantLoops || options.wantLlvm || options.wantAssembly ||
         !options.stopAfter.empty() ||
         options.times != CompileModelOptions::TimeFormat::none;
}

/// The options that the package is a function of.
static void addOptions(const CompileModelOptions &options, KeyHasher &hasher) {
  for (const auto *shapes : {&options.inputShapes, &options.maxShapes}) {
    hasher.addNumber(int64_t(shapes->size()));
    for (const auto &[name, shape] : *shapes) {
      hasher.add(name);
      hasher.addNumber(int64_t(shape.size()));
      for (int64_t size : shape)
        hasher.addNumber(size);
    }
  }
  // Optional inputs and elements of sequences are there if they have a value.
  hasher.addNumber(int64_t(options.inputValues.size()));
  for (const auto &[name, value] : options.inputValues)
    hasher.add(name);
  hasher.addNumber(int64_t(options.replacements.size()));
  for (const KernelReplacement &given : options.replacements)
    for (const std::string *part : {&given.pattern, &given.kernels.code,
                                    &given.kernels.name, &given.kernel})
      hasher.add(*part);
  hasher.addNumber(bool(options.cpu));
  if (options.cpu)
    hasher.add(*options.cpu);
  hasher.addNumber(int64_t(options.gpus.size()));
  for (const target::GpuTarget *gpu : options.gpus)
    hasher.add(gpu->name);
  hasher.add(options.fastMath);
  for (bool option :
       {options.interpreter, options.assertions, options.lineInfo,
        options.resume, options.wantMemory || options.maxShapes.empty()})
    hasher.addNumber(option);
  hasher.addNumber(int64_t(options.attention));
  hasher.addNumber(int64_t(options.precision));
  hasher.addNumber(bool(options.schedule));
  hasher.add(options.schedule ? options.schedule->text() : "");
  hasher.addNumber(bool(options.cpuSchedule));
  hasher.add(options.cpuSchedule ? options.cpuSchedule->text() : "");
  hasher.add(options.onlyKernel);
}

static CacheKey keyOf(const ModelSource &source,
                      const CompileModelOptions &options) {
  KeyHasher hasher;
  hasher.add("tilewright package 4");
  hasher.add(buildIdentity());
  hasher.add(options.plugins ? options.plugins->identity() : "");
  // Its path is in messages and in line tables.
  hasher.add(source.path().string());
  addOptions(options, hasher);
  hasher.add(source.bytes());
  return hasher.key();
}

PackageCache::PackageCache(const ModelSource &source,
                           const CompileModelOptions &options)
    : source(source), options(&options), key(keyOf(source, options)) {}

std::optional<PackageCache>
PackageCache::open(const ModelSource &source,
                   const CompileModelOptions &options) {
  // A program has no bytes to make a key of.
  if (!options.cache || options.scheduleTable || source.torchProgram() ||
      isLookedAt(options))
    return std::nullopt;
  return PackageCache(source, options);
}

static std::string_view textOf(const runtime::MappedFile &file) {
  return {reinterpret_cast<const char *>(file.bytes().data()),
          file.bytes().size()};
}

static CacheKey keyOfLargeFile(std::string_view bytes) {
  KeyHasher hasher;
  hasher.add("tilewright package file 1");
  hasher.add(bytes);
  return hasher.key();
}

namespace {
/// A file of a package; the bytes of a large one are under its key.
struct PackageFile {
  std::string path, bytes;
  bool isLarge = false;
};

struct PackageEntry {
  CompileModelReport report;
  std::vector<PackageFile> files;
};
} // namespace

static void write(const Diagnostic &diagnostic, FieldWriter &writer) {
  const SourceRange &where = diagnostic.where;
  writer(uint64_t(diagnostic.severity));
  for (const std::string *text :
       {&diagnostic.code, &where.file, &diagnostic.message})
    writer(*text);
  for (uint32_t number :
       {where.line, where.column, where.endLine, where.endColumn})
    writer(uint64_t(number));
  writer(uint64_t(diagnostic.notes.size()));
  for (const Diagnostic &note : diagnostic.notes)
    write(note, writer);
}

/// `depth`: of notes in notes, which have none themselves; an entry is not
/// trusted to end.
static Diagnostic readDiagnostic(FieldReader &reader, unsigned depth = 0) {
  constexpr unsigned maxDepth = 8;
  Diagnostic diagnostic;
  SourceRange &where = diagnostic.where;
  uint64_t number;
  reader(number);
  diagnostic.severity = Severity(number);
  for (std::string *text : {&diagnostic.code, &where.file, &diagnostic.message})
    reader(*text);
  for (uint32_t *location :
       {&where.line, &where.column, &where.endLine, &where.endColumn}) {
    reader(number);
    *location = uint32_t(number);
  }
  reader(number);
  reader.isBad |= number > 0 && depth == maxDepth;
  for (; number > 0 && !reader.isBad; --number)
    diagnostic.notes.push_back(readDiagnostic(reader, depth + 1));
  return diagnostic;
}

static std::string writeEntry(const PackageEntry &entry) {
  FieldWriter writer;
  for (uint64_t number :
       {uint64_t(entry.report.nodes), uint64_t(entry.report.steps),
        uint64_t(entry.report.kernels)})
    writer(number);
  writer(uint64_t(entry.report.warnings.size()));
  for (const Diagnostic &warning : entry.report.warnings)
    write(warning, writer);
  writer(uint64_t(entry.files.size()));
  for (const PackageFile &file : entry.files) {
    writer(file.path);
    writer(uint64_t(file.isLarge));
    writer(file.bytes);
  }
  return std::move(writer.bytes);
}

static std::optional<PackageEntry> readEntry(std::string_view bytes) {
  FieldReader reader{bytes};
  PackageEntry entry;
  uint64_t nodes, steps, kernels, count;
  for (uint64_t *number : {&nodes, &steps, &kernels, &count})
    reader(*number);
  entry.report.nodes = int64_t(nodes);
  entry.report.steps = steps;
  entry.report.kernels = kernels;
  for (; count > 0 && !reader.isBad; --count)
    entry.report.warnings.push_back(readDiagnostic(reader));
  reader(count);
  for (; count > 0 && !reader.isBad; --count) {
    PackageFile &file = entry.files.emplace_back();
    uint64_t isLarge;
    reader(file.path);
    reader(isLarge);
    reader(file.bytes);
    file.isLarge = isLarge;
  }
  return reader.isDone() ? std::optional(std::move(entry)) : std::nullopt;
}

/// Replaces the keys of large files by their bytes; whether all are there.
static bool fillIn(PackageEntry &entry, Cache &cache) {
  for (PackageFile &file : entry.files) {
    if (!file.isLarge)
      continue;
    CacheKey key;
    if (file.bytes.size() != key.bytes.size())
      return false;
    std::copy(file.bytes.begin(), file.bytes.end(), key.bytes.begin());
    std::optional<std::string> bytes = cache.lookup(key);
    if (!bytes)
      return false;
    file.bytes = *std::move(bytes);
  }
  return true;
}

StatusOr<std::optional<CompileModelReport>>
PackageCache::restore(const fs::path &output) const {
  std::optional<CompileModelReport> none;
  std::optional<std::string> bytes = options->cache->lookup(key);
  std::optional<PackageEntry> entry = bytes ? readEntry(*bytes) : std::nullopt;
  if (!entry || !fillIn(*entry, *options->cache))
    return none;
  auto manifestFile =
      std::ranges::find(entry->files, manifestName, &PackageFile::path);
  if (manifestFile == entry->files.end())
    return none;
  auto manifest = runtime::parsePackageManifest(manifestFile->bytes);
  if (!manifest.ok())
    return none;
  CompileModelReport report = std::move(entry->report);
  report.fromCache = true;
  TILEWRIGHT_ASSIGN_OR_RETURN(report.memory,
                              plannedMemory(*manifest, options->maxShapes));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::PackageWriter writer,
                              runtime::PackageWriter::create(output));
  for (const PackageFile &file : entry->files)
    if (file.path != manifestName)
      TILEWRIGHT_RETURN_IF_ERROR(
          writer.addFile(file.path, std::string_view(file.bytes)));
  TILEWRIGHT_RETURN_IF_ERROR(writer.finish(*std::move(manifest)));
  return std::optional(std::move(report));
}

Status PackageCache::keep(const fs::path &folder,
                          const CompileModelReport &report) const {
  if (source.isFile()) {
    StatusOr<ModelSource> now = ModelSource::file(source.path());
    if (!now.ok() || keyOf(*now, *options) != key)
      return {};
  }
  PackageEntry entry;
  entry.report.nodes = report.nodes;
  entry.report.steps = report.steps;
  entry.report.kernels = report.kernels;
  entry.report.warnings = report.warnings;
  std::error_code error;
  for (fs::recursive_directory_iterator walk(folder, error), end;
       !error && walk != end; walk.increment(error)) {
    std::error_code nowhere; // A link, say to itself: reading it fails.
    if (walk->is_directory(nowhere))
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(auto file,
                                runtime::MappedFile::open(walk->path()));
    std::string_view bytes = textOf(*file);
    PackageFile &added = entry.files.emplace_back();
    added.path = walk->path().lexically_relative(folder).string();
    added.isLarge = bytes.size() > largestInline;
    if (!added.isLarge) {
      added.bytes = bytes;
      continue;
    }
    CacheKey large = keyOfLargeFile(bytes);
    added.bytes.assign(large.bytes.begin(), large.bytes.end());
    TILEWRIGHT_RETURN_IF_ERROR(options->cache->store(large, bytes));
  }
  if (error)
    return Status::ioError("cannot read '" + folder.string() +
                           "': " + error.message());
  std::ranges::sort(entry.files, {}, &PackageFile::path);
  return options->cache->store(key, writeEntry(entry));
}

} // namespace tilewright

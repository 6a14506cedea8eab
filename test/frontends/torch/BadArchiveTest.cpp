// Archives that are not what they should be: one error each, and never a crash.
#include "frontends/torch/program/Archive.h"
#include "test/frontends/torch/Archives.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::torch::test;

namespace {

const std::string model = "models/model.json";
const std::string weights = "data/weights/model_weights_config.json";

/// The error of the archive "mlp.training" with a text of an entry replaced.
std::string errorWith(const std::string &entry, const std::string &from,
                      const std::string &to) {
  Entries entries = readEntries(archivePath("mlp.training"));
  entries[entry] = replaced(entries[entry], from, to);
  return importError(writeArchive(entries));
}

/// The first place of a text, made unique by what follows it.
std::string errorWithFirst(const std::string &entry, const std::string &from,
                           const std::string &to) {
  Entries entries = readEntries(archivePath("mlp.training"));
  size_t at = entries[entry].find(from);
  REQUIRE(at != std::string::npos);
  entries[entry].replace(at, from.size(), to);
  return importError(writeArchive(entries));
}

} // namespace

TEST_CASE("an archive that this test wrote is good") {
  for (const char *name : {"mlp.training", "mlp.aten", "writes.training"})
    CHECK(importError(writeArchive(readEntries(archivePath(name)))) == "");
}

TEST_CASE("zip files that are not archives") {
  const std::string good =
      writeArchive(readEntries(archivePath("mlp.training")));
  const std::string truncated = "m.pt2: expected a zip archive of "
                                "torch.export.save, found no directory at its "
                                "end: the file is truncated, or of another "
                                "kind";
  CHECK(importError(good.substr(0, good.size() - 30)) == truncated);
  CHECK(importError(good.substr(0, 100)) == truncated);
  CHECK(importError("") == truncated);
  CHECK(importError(std::string(1000, 'x')) == truncated);
  auto error = [](const ZipEntry &entry) {
    return importError(
        writeZip({{"m/archive_format", "pt2", 0, {}, false}, entry}));
  };
  CHECK(error({"m/a", "data", 8, {}, false}) ==
        "m.pt2: entry 'm/a' of the archive is compressed; expected stored "
        "entries, as torch.export.save writes them");
  CHECK(error({"m/archive_format", "pt2", 0, {}, false}) ==
        "m.pt2: entry 'm/archive_format' of the archive is there twice");
  CHECK(error({"m/../a", "data", 0, {}, false}) ==
        "m.pt2: entry 'm/../a' of the archive has a name that leaves its "
        "folder");
  CHECK(error({"/m/a", "data", 0, {}, false}) ==
        "m.pt2: entry '/m/a' of the archive has a name that leaves its folder");
  CHECK(error({"n/a", "data", 0, {}, false}) ==
        "m.pt2: entry 'n/a' of the archive is not in the folder 'm/'; expected "
        "one folder for all entries");
  CHECK(error({"m/a", "data", 0, 9, false}) ==
        "m.pt2: entry 'm/a' of the archive is stored, but has two sizes: 4 and "
        "9");
  CHECK(error({"m/models/a.json", "{}", 0, {}, true}) ==
        "m.pt2: entry 'm/models/a.json' of the archive is damaged: its "
        "checksum is wrong");
}

TEST_CASE("archives of another kind") {
  Entries entries = readEntries(archivePath("mlp.training"));
  auto with = [&](const std::string &name, const std::string &data) {
    Entries changed = entries;
    changed[name] = data;
    return importError(writeArchive(changed));
  };
  CHECK(with("byteorder", "big") ==
        "m.pt2: the archive's byte order is 'big', expected 'little'");
  CHECK(with("archive_format", "aot") ==
        "m.pt2: the archive's format is 'aot', expected 'pt2'");
  CHECK(with("data/aotinductor/model/a.so", "") ==
        "m.pt2: the archive holds code of AOTInductor; expected a program of "
        "torch.export.save");
  CHECK(with("models/other.json", "{}") ==
        "m.pt2: the archive has 2 models, expected one in the folder 'models'");
  CHECK(with(model, "{\"graph_module\": ") ==
        "m.pt2: models/model.json: not valid JSON at line 1, column 17");
  entries.erase("archive_format");
  CHECK(importError(writeArchive(entries)) ==
        "m.pt2: the archive has no entry 'archive_format'; expected a program "
        "of torch.export.save of PyTorch 2.8 or later");
}

TEST_CASE("programs of another schema") {
  for (const char *major : {"7", "9"})
    CHECK(
        errorWith(model, "\"major\": 8", std::string("\"major\": ") + major) ==
        std::string("m.pt2: models/model.json: schema_version.major: the "
                    "archive has version ") +
            major +
            " of the schema of exported programs, expected 8, that of "
            "PyTorch 2.8 to 2.15");
  CHECK(
      errorWith(model, "\"opset_version\"", "\"new\": 3, \"opset_version\"") ==
      "m.pt2: models/model.json: unknown key 'new' with the value 3");
  // What says nothing is allowed.
  CHECK(errorWith(model, "\"opset_version\"",
                  "\"new\": null, \"opset_version\"") == "");
  CHECK(errorWithFirst(model, "\"target\": ", "\"priority\": 2, \"target\": ")
            .ends_with("unknown key 'priority' with the value 2"));
  CHECK(errorWithFirst(model, "\"as_tensor\"", "\"as_thing\"")
            .ends_with("arguments of the kind 'as_thing' are not supported"));
}

TEST_CASE("wrong weights") {
  CHECK(errorWithFirst(weights, "\"use_pickle\": false",
                       "\"use_pickle\": true") ==
        "m.pt2: data/weights/model_weights_config.json: config.a.weight: "
        "'a.weight' is stored as a pickle, which is never opened; expected a "
        "plain tensor");
  CHECK(errorWithFirst(weights, "\"layout\": 7", "\"layout\": 1")
            .ends_with("sparse tensors are not supported, expected the layout "
                       "strided"));
  Entries entries = readEntries(archivePath("mlp.training"));
  entries["data/weights/weight_0"].resize(100);
  CHECK(importError(writeArchive(entries)) ==
        "m.pt2: constant 'a.weight' has elements behind the end of its storage "
        "of 25 elements");
  entries.erase("data/weights/weight_0");
  CHECK(importError(writeArchive(entries)) ==
        "m.pt2: data/weights/model_weights_config.json: config.a.weight: the "
        "archive has no entry 'data/weights/weight_0'");
}

namespace {

/// Bytes of an archive changed at random, seldom many of them.
std::string mutant(std::string bytes, unsigned seed) {
  std::mt19937 random(seed);
  for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i) {
    size_t at = random() % bytes.size();
    switch (random() % 4) {
    case 0:
      bytes[at] = char(random());
      break;
    case 1:
      bytes.erase(at, random() % 40);
      break;
    case 2:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      break;
    default:
      bytes[at] ^= char(1 << random() % 8);
    }
  }
  return bytes;
}

} // namespace

TEST_CASE("mutants of archives are errors or models") {
  // Of the whole file, and of what lies below the checksums.
  const std::vector<std::string> names = {"mlp.training", "guards.training",
                                          "writes.training", "norms.aten"};
  unsigned errors = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    Entries entries = readEntries(archivePath(names[seed % names.size()]));
    if (seed % 5 == 0) {
      errors += !importError(mutant(writeArchive(entries), seed)).empty();
      continue;
    }
    const std::string &entry = seed % 5 == 1 ? weights : model;
    entries[entry] = mutant(entries[entry], seed);
    errors += !importError(writeArchive(entries)).empty();
  }
  CHECK(errors > 400);
}

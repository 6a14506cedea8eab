// compile, Compiler, Compilation, KernelImage, Cache.
#include "Errors.h"
#include "Handles.h"

#include "tilewright/runtime/MappedFile.h"
#include <cmath>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace tilewright::python {

using namespace nb::literals;
using std::chrono::milliseconds;

std::filesystem::path readPath(nb::handle object) {
  nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid())
    throw nb::python_error();
  PyObject *bytes = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &bytes))
    throw nb::python_error();
  return nb::steal<nb::bytes>(bytes).c_str();
}

static TileModule readModule(nb::handle source) {
  if (nb::isinstance<nb::bytes>(source)) {
    auto bytes = nb::cast<nb::bytes>(source);
    return {std::string(bytes.c_str(), bytes.size())};
  }
  if (nb::isinstance<nb::str>(source)) {
    auto text = nb::cast<std::string>(source);
    if (text.find('{') != std::string::npos)
      return {std::move(text)};
  }
  std::filesystem::path path = readPath(source);
  return {take(runtime::readFile(path)), path.string()};
}

milliseconds readSeconds(double seconds, const char *name) {
  if (!(seconds > 0) || seconds > 1e9)
    raise(Status::invalidInput(std::string(name) +
                               ": expected seconds above 0, found " +
                               std::to_string(seconds)));
  return milliseconds(int64_t(std::ceil(seconds * 1e3)));
}

std::optional<int64_t> readLimit(int64_t limit, const char *name) {
  if (limit < 0)
    raise(Status::invalidInput(std::string(name) +
                               ": expected 0 or more, found " +
                               std::to_string(limit)));
  return limit ? std::optional(limit) : std::nullopt;
}

CompileRequest makeRequest(nb::handle source, const RequestOptions &options,
                           const std::string &defaultTarget) {
  CompileRequest request;
  request.module = readModule(source);
  request.target = options.target.value_or(defaultTarget);
  request.kernel = options.kernel.value_or("");
  request.tunables = options.tunables;
  request.schedule = options.schedule;
  request.fastMath = options.fastMath;
  request.precision = take(runtime::parseF32Precision(options.precision));
  request.wantRemarks = options.remarks;
  request.lineInfo = options.lineInfo;
  request.assertions = options.assertions;
  if (options.timeLimit)
    request.budget.time = readSeconds(*options.timeLimit, "time_limit");
  if (options.llvmIrLimit)
    request.budget.llvmIr = readLimit(*options.llvmIrLimit, "llvm_ir_limit");
  return request;
}

/// Waits a while without the interpreter's lock.
static bool waitSome(const CompileHandle &handle, milliseconds time) {
  nb::gil_scoped_release release;
  return handle.waitFor(time);
}

Image waitFor(const CompileHandle &handle, std::optional<double> timeout) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (auto slice = milliseconds(timeout ? 0 : 50); !waitSome(handle, slice);
       slice = milliseconds(50)) {
    if (PyErr_CheckSignals()) {
      handle.cancel();
      throw nb::python_error();
    }
    std::chrono::duration<double> passed = Clock::now() - start;
    if (timeout && passed.count() >= *timeout) {
      PyErr_SetString(PyExc_TimeoutError, "the compilation is not done");
      throw nb::python_error();
    }
  }
  const CompileResult &result = handle.get();
  if (!result.image.ok())
    raise(result.image.status(), result.report.diagnostics);
  return {*result.image, result.report};
}

namespace {

/// Ends the compiler without the interpreter's lock: it waits for its threads.
struct CompilerHandle {
  std::unique_ptr<Compiler> compiler;
  explicit CompilerHandle(std::unique_ptr<Compiler> compiler)
      : compiler(std::move(compiler)) {}
  CompilerHandle(CompilerHandle &&) = default;
  ~CompilerHandle() {
    nb::gil_scoped_release release;
    compiler.reset();
  }
};

CompilerHandle makeCompiler(unsigned threads, const CacheHandle *cache) {
  CompilerOptions options;
  options.threads = threads;
  if (cache)
    options.cache = cache->cache;
  return CompilerHandle(take(Compiler::create(options)));
}

CacheHandle openCache(nb::handle directory, int64_t maxBytes,
                      const nb::sequence &layers) {
  CacheOptions options;
  options.directory = readPath(directory);
  options.maxBytes = maxBytes;
  for (nb::handle layer : layers)
    options.readOnlyLayers.push_back(readPath(layer));
  return {take(Cache::open(std::move(options)))};
}

nb::object manifestOf(const Image &image) {
  return nb::module_::import_("json").attr("loads")(
      runtime::printKernelManifest(image.image.manifest));
}

// The file of an image is written and read in Python, with its zipfile.
nb::module_ imageFiles() { return nb::module_::import_("tilewright._image"); }

nb::bytes codeOf(const Image &image) {
  return nb::bytes(image.image.code.data(), image.image.code.size());
}

Image makeImage(const std::string &manifest, const nb::bytes &code) {
  Image image;
  image.image.manifest = take(runtime::parseKernelManifest(manifest));
  image.image.code.assign(code.c_str(), code.size());
  return image;
}

void saveImage(const Image &image, nb::handle path) {
  imageFiles().attr("save")(
      path, runtime::printKernelManifest(image.image.manifest), codeOf(image));
}

Image loadImageFile(nb::handle path) {
  nb::object parts = imageFiles().attr("load")(path);
  return makeImage(nb::cast<std::string>(parts[0]),
                   nb::cast<nb::bytes>(parts[1]));
}

} // namespace

Image compileNow(CompileRequest request, const CacheHandle *cache) {
  CompilerHandle own = makeCompiler(1, cache);
  return waitFor(own.compiler->submit(std::move(request)));
}

#define REQUEST_SIGNATURE                                                      \
  "source: str | bytes | os.PathLike[str], target: str = 'cpu', kernel: str "  \
  "| None = None, tunables: collections.abc.Mapping[str, int] = {}, "          \
  "schedule: str = '', *, fast_math: str = '', precision: str = 'ieee', "      \
  "remarks: bool = False, "                                                    \
  "line_info: bool = False, assertions: bool = True, time_limit: float | "     \
  "None = None, "                                                              \
  "llvm_ir_limit: int | None = None"
#define REQUEST_ARGUMENTS                                                      \
  "source"_a, "target"_a = "cpu", "kernel"_a = nb::none(),                     \
              "tunables"_a = nb::dict(), "schedule"_a = "", nb::kw_only(),     \
              "fast_math"_a = "", "precision"_a = "ieee", "remarks"_a = false, \
              "line_info"_a = false, "assertions"_a = true,                    \
              "time_limit"_a = nb::none(), "llvm_ir_limit"_a = nb::none()

static const char *compileDoc =
    "Compiles one kernel. `source` is tile IR: a path, bytes (text or\n"
    "bytecode), or a str with a { in it, which is the text.\n\n"
    "`target` is \"cpu\" (this machine), \"sm_80\" or another GPU, or\n"
    "\"interpreter\". `kernel` names one of several kernels. `tunables` that\n"
    "are not given have their first legal value. `precision` is that of\n"
    "products of f32: ieee, tf32, tf32x3, bf16x3 or bf16x6. `time_limit` is\n"
    "in seconds;\n"
    "`llvm_ir_limit` is the most instructions of LLVM IR (0: no limit, None:\n"
    "1,000,000).\n"
    "Raises Error, whose diagnostics say where.";

static void bindImage(nb::module_ &module) {
  nb::class_<Image>(module, "KernelImage", "A compiled kernel as plain data.")
      .def_prop_ro("code", codeOf, "An ELF object for cpu, PTX for a GPU.")
      .def_prop_ro("manifest", manifestOf,
                   nb::sig("def manifest(self) -> dict[str, typing.Any]"),
                   "What a host must know to launch it.")
      .def_prop_ro("name",
                   [](const Image &image) { return image.image.manifest.name; })
      .def_prop_ro(
          "target",
          [](const Image &image) { return image.image.manifest.target; })
      .def_prop_ro(
          "remarks",
          [](const Image &image) { return toPython(image.report.remarks); },
          nb::sig("def remarks(self) -> list[tilewright._data.Remark]"),
          "What was decided and missed; filled in with remarks=True.")
      .def_prop_ro(
          "diagnostics",
          [](const Image &image) { return toPython(image.report.diagnostics); },
          nb::sig("def diagnostics(self) -> list[tilewright._data.Diagnostic]"),
          "Warnings.")
      .def_prop_ro("from_cache",
                   [](const Image &image) { return image.report.fromCache; })
      .def("save", saveImage, "path"_a,
           nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
           "Writes code and manifest to one file, a zip archive, without\n"
           "remarks and diagnostics.")
      .def_static("load", loadImageFile, "path"_a,
                  nb::sig("def load(path: str | os.PathLike[str]) -> "
                          "KernelImage"),
                  "Reads what save() wrote.")
      .def("__getstate__",
           [](const Image &image) {
             return nb::make_tuple(
                 runtime::printKernelManifest(image.image.manifest),
                 codeOf(image));
           })
      .def("__setstate__",
           [](Image &self, const nb::tuple &state) {
             new (&self) Image(makeImage(nb::cast<std::string>(state[0]),
                                         nb::cast<nb::bytes>(state[1])));
           })
      .def("__repr__", [](const Image &image) {
        return "<tilewright.KernelImage '" + image.image.manifest.name +
               "' for " + image.image.manifest.target + ">";
      });
}

static void bindCompiler(nb::module_ &module) {
  nb::class_<CompileHandle>(module, "Compilation", "A submitted request.")
      .def("result", waitFor, "timeout"_a = nb::none(),
           "Waits, up to `timeout` seconds (then TimeoutError); the image, or "
           "raises Error.")
      .def("done",
           [](const CompileHandle &handle) {
             return handle.waitFor(milliseconds(0));
           })
      .def("cancel", &CompileHandle::cancel,
           "Gives it up; the result is then an Error with the code "
           "\"cancelled\", unless it was done.");
  nb::class_<CompilerHandle>(
      module, "Compiler",
      "Threads that compile. The end of a Compiler cancels what is not done.")
      .def(
          "__init__",
          [](CompilerHandle *self, unsigned threads, const CacheHandle *cache) {
            new (self) CompilerHandle(makeCompiler(threads, cache));
          },
          "threads"_a = 0, "cache"_a = nb::none(),
          nb::sig("def __init__(self, threads: int = 0, cache: Cache | None = "
                  "None) -> None"),
          "`threads`: 0 takes as many as the machine has.")
      .def(
          "submit",
          [](const CompilerHandle &self, nb::object source, std::string target,
             std::optional<std::string> kernel,
             std::map<std::string, int64_t> tunables, std::string schedule,
             std::string fastMath, std::string precision, bool remarks,
             bool lineInfo, bool assertions, std::optional<double> timeLimit,
             std::optional<int64_t> llvmIrLimit) {
            return self.compiler->submit(
                makeRequest(source, {target, kernel, tunables, schedule,
                                     fastMath, precision, remarks, lineInfo,
                                     assertions, timeLimit, llvmIrLimit}));
          },
          REQUEST_ARGUMENTS,
          nb::sig("def submit(self, " REQUEST_SIGNATURE ") -> Compilation"),
          "Queues what compile() takes; any thread may.");
}

void bindCompile(nb::module_ &module) {
  nb::class_<CacheHandle>(
      module, "Cache",
      "A folder of images that threads and processes may share.")
      .def(
          "__init__",
          [](CacheHandle *self, nb::object directory, int64_t maxBytes,
             nb::sequence layers) {
            new (self) CacheHandle(openCache(directory, maxBytes, layers));
          },
          "directory"_a, "max_bytes"_a = int64_t(1) << 30,
          "read_only_layers"_a = nb::tuple(),
          nb::sig("def __init__(self, directory: str | os.PathLike[str], "
                  "max_bytes: int = 1073741824, read_only_layers: "
                  "collections.abc.Sequence[str | os.PathLike[str]] = ()) -> "
                  "None"));
  bindImage(module);
  bindCompiler(module);
  module.def(
      "compile",
      [](nb::object source, std::string target,
         std::optional<std::string> kernel,
         std::map<std::string, int64_t> tunables, std::string schedule,
         std::string fastMath, std::string precision, bool remarks,
         bool lineInfo, bool assertions, std::optional<double> timeLimit,
         std::optional<int64_t> llvmIrLimit, const CacheHandle *cache) {
        return compileNow(
            makeRequest(source, {target, kernel, tunables, schedule, fastMath,
                                 precision, remarks, lineInfo, assertions,
                                 timeLimit, llvmIrLimit}),
            cache);
      },
      REQUEST_ARGUMENTS, "cache"_a = nb::none(),
      nb::sig("def compile(" REQUEST_SIGNATURE
              ", cache: Cache | None = None) -> KernelImage"),
      compileDoc);
}

} // namespace tilewright::python

//===- read-text.cpp - A trained model reads a line of text ---------------===//
//
// PP-OCRv4 recognition, from its ONNX file: compiles it, runs it on an image of
// one line of text, and decodes the result. Prints each stage.
//
//   read-text MODEL.onnx IMAGE.png
//
//===----------------------------------------------------------------------===//
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <png.h>
#include <sstream>
#include <unistd.h>

using namespace tilewright;

namespace {
/// 8-bit pixels, three to a position: blue, green, red.
struct Image {
  int width = 0, height = 0;
  std::vector<unsigned char> pixels;
};

/// Prints one line with the time since the stage began.
class Stage {
public:
  explicit Stage(const char *name)
      : name(name), start(std::chrono::steady_clock::now()) {}
  void done(const std::string &text) const {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    std::printf("  %-10s %-52s %8.1f ms\n", name, text.c_str(),
                time.count() * 1e3);
  }

private:
  const char *name;
  std::chrono::steady_clock::time_point start;
};
} // namespace

static StatusOr<Image> readPng(const char *path) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path))
    return Status::invalidInput(std::string(path) +
                                ": expected a PNG image: " + png.message);
  png.format = PNG_FORMAT_BGR;
  Image image;
  image.width = static_cast<int>(png.width);
  image.height = static_cast<int>(png.height);
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png, &white, image.pixels.data(), 0, nullptr))
    return Status::invalidInput(std::string(path) + ": " + png.message);
  return image;
}

/// The model's input: height 48, width in proportion, x / 127.5 - 1, planes.
static StatusOr<runtime::HostTensor> prepare(const Image &image) {
  constexpr int height = 48;
  int width = std::max(
      1, static_cast<int>(std::lround(static_cast<double>(image.width) *
                                      height / image.height)));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(
                                  runtime::DType::F32, {1, 3, height, width}));
  auto out = tensor.as<float>();
  auto pixel = [&](int x, int y, int channel) {
    x = std::clamp(x, 0, image.width - 1);
    y = std::clamp(y, 0, image.height - 1);
    return static_cast<float>(
        image.pixels[(static_cast<size_t>(y) * image.width + x) * 3 + channel]);
  };
  for (int channel = 0; channel < 3; ++channel)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        float sx = (x + 0.5f) * image.width / width - 0.5f;
        float sy = (y + 0.5f) * image.height / height - 0.5f;
        int x0 = static_cast<int>(std::floor(sx));
        int y0 = static_cast<int>(std::floor(sy));
        float fx = sx - x0, fy = sy - y0;
        float top =
            pixel(x0, y0, channel) * (1 - fx) + pixel(x0 + 1, y0, channel) * fx;
        float bottom = pixel(x0, y0 + 1, channel) * (1 - fx) +
                       pixel(x0 + 1, y0 + 1, channel) * fx;
        out[(static_cast<size_t>(channel) * height + y) * width + x] =
            (top * (1 - fy) + bottom * fy) / 127.5f - 1;
      }
  return tensor;
}

/// Greedy CTC: the likeliest class at each position, repeats once, blanks
/// (class 0) dropped. Class i is line i - 1 of the model's character table; the
/// class after the last line is a space.
static std::string decode(const runtime::HostTensor &output,
                          const std::string &table) {
  std::vector<std::string> characters;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    characters.push_back(line);
  characters.push_back(" ");
  size_t classes = output.shape()[2], positions = output.shape()[1], before = 0;
  auto scores = output.as<float>();
  std::string text;
  for (size_t position = 0; position < positions; ++position) {
    auto row = scores.subspan(position * classes, classes);
    size_t best = std::max_element(row.begin(), row.end()) - row.begin();
    if (best != 0 && best != before && best <= characters.size())
      text += characters[best - 1];
    before = best;
  }
  return text;
}

static Status readText(const char *modelPath, const char *imagePath) {
  std::error_code ignored;
  std::filesystem::path package =
      std::filesystem::temp_directory_path(ignored) /
      ("read-text-" + std::to_string(::getpid()) + ".twp");
  Stage compiling("compile");
  TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelReport report,
                              compileModel(modelPath, package, {}));
  compiling.done(std::to_string(report.nodes) + " nodes -> " +
                 std::to_string(report.steps) + " steps, " +
                 std::to_string(report.kernels) + " kernels for cpu");

  Stage loading("load");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> device,
                              runtime::openDevice("cpu"));
  StatusOr<std::shared_ptr<const runtime::Model>> model =
      runtime::Model::load(device, package);
  std::filesystem::remove_all(package, ignored);
  TILEWRIGHT_RETURN_IF_ERROR(model.status());
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                              (*model)->createSession());
  loading.done((*model)->describeInputs());

  TILEWRIGHT_ASSIGN_OR_RETURN(Image image, readPng(imagePath));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor input, prepare(image));
  const std::string &name = (*model)->manifest().inputs[0].name;
  TILEWRIGHT_RETURN_IF_ERROR(session->setInput(name, input, imagePath));
  TILEWRIGHT_RETURN_IF_ERROR(session->run()); // plans the arena
  Stage running("run");
  TILEWRIGHT_RETURN_IF_ERROR(session->run());
  running.done(runtime::printShape(input.shape()));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor output,
      session->output((*model)->manifest().outputs[0].name));
  auto table = (*model)->manifest().metadata.find("character");
  if (table == (*model)->manifest().metadata.end())
    return Status::invalidInput(std::string(modelPath) +
                                ": expected a table called 'character' in "
                                "the model's metadata, found none");
  std::printf("  the image reads:   %s\n",
              decode(output, table->second).c_str());
  return Status();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: read-text MODEL.onnx IMAGE.png\n");
    return 2;
  }
  Status status = readText(argv[1], argv[2]);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

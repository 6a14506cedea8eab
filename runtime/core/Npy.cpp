#include "tilewright/runtime/Npy.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace tilewright::runtime {

static constexpr std::string_view magic = "\x93NUMPY";

namespace {

/// The contents of a .npy file's header.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the header: a Python dictionary with three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  StatusOr<Header> parse() {
    Header header;
    bool seen[3] = {};
    if (!take('{'))
      return expected("'{'");
    while (!take('}')) {
      std::optional<std::string> key = quoted();
      if (!key || !take(':'))
        return expected("a key and ':'");
      bool good = false;
      if (*key == "descr")
        good = seen[0] = readDescr(header);
      else if (*key == "fortran_order")
        good = seen[1] = readBool(header.fortranOrder);
      else if (*key == "shape")
        good = seen[2] = readShape(header.shape);
      if (!good)
        return expected("a value for descr, fortran_order or shape");
      if (!take(',') && !(skipBlanks(), peek() == '}'))
        return expected("',' or '}'");
    }
    if (!seen[0] || !seen[1] || !seen[2])
      return Status::invalidInput(
          "the header needs the keys descr, fortran_order and shape");
    return header;
  }

private:
  char peek() const { return position < text.size() ? text[position] : 0; }
  void skipBlanks() {
    while (peek() == ' ' || peek() == '\n')
      ++position;
  }
  bool take(char c) {
    skipBlanks();
    if (peek() != c)
      return false;
    ++position;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!text.substr(position).starts_with(word))
      return false;
    position += word.size();
    return true;
  }
  std::optional<std::string> quoted() {
    skipBlanks();
    char quote = peek();
    size_t end = quote == '\'' || quote == '"' ? text.find(quote, position + 1)
                                               : std::string_view::npos;
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string result(text.substr(position + 1, end - position - 1));
    position = end + 1;
    return result;
  }
  bool readDescr(Header &header) {
    std::optional<std::string> descr = quoted();
    header.descr = descr.value_or("");
    return descr.has_value();
  }
  bool readBool(bool &value) {
    value = takeWord("True");
    return value || takeWord("False");
  }
  bool readShape(Shape &shape) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipBlanks();
      int64_t size = 0;
      const char *begin = text.data() + position;
      auto [end, error] =
          std::from_chars(begin, text.data() + text.size(), size);
      if (error != std::errc() || size < 0)
        return false;
      position += static_cast<size_t>(end - begin);
      takeWord("L"); // As Python 2 wrote long integers.
      shape.push_back(size);
      if (!take(',') && !(skipBlanks(), peek() == ')'))
        return false;
    }
    return true;
  }
  Status expected(std::string_view what) const {
    return Status::invalidInput(
        format("header: expected {} at column {}", {what, position + 1}));
  }

  std::string_view text;
  size_t position = 0;
};

} // namespace

/// Splits off the header. `bytes` keeps the data.
static StatusOr<Header> readHeader(std::span<const std::byte> &bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(magic))
    return Status::invalidInput("not a .npy file: the first six bytes are not "
                                "\\x93NUMPY");
  if (text.size() < 8)
    return Status::invalidInput("the file ends within the header");
  auto major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3)
    return Status::unsupported(
        format("version {} of .npy; versions 1 to 3 are known", {major}));
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (text.size() < 8 + lengthBytes)
    return Status::invalidInput("the file ends within the header");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  size_t start = 8 + lengthBytes;
  if (text.size() - start < length)
    return Status::invalidInput("the file ends within the header");
  bytes = bytes.subspan(start + length);
  return HeaderParser(text.substr(start, length)).parse();
}

static StatusOr<DType> dtypeOf(std::string_view descr) {
  // The first match: bool, i8, ...; carriers of other types come later.
  std::string names;
  for (DType dtype : {DType::Bool, DType::I8, DType::I16, DType::I32,
                      DType::I64, DType::U8, DType::U16, DType::U32, DType::U64,
                      DType::F16, DType::F32, DType::F64}) {
    std::string_view known = dtypeInfo(dtype).npy;
    if (known == descr || (known[0] == '|' && descr.size() == 3 &&
                           known.substr(1) == descr.substr(1)))
      return dtype;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  std::string message = format("element type '{}'", {descr});
  if (descr.starts_with(">"))
    message += " is big-endian; save it little-endian";
  else
    message += " is not supported; the types are " + names;
  return Status::unsupported(std::move(message));
}

/// Copies column-major `source` to row-major `target`.
static void transposeFortran(const std::byte *source, HostTensor &target) {
  size_t width = dtypeBytes(target.dtype());
  const Shape &shape = target.shape();
  std::vector<int64_t> index(shape.size(), 0);
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * size_t(shape[d - 1]);
  size_t from = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    std::memcpy(target.data() + i * width, source + from * width, width);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * size_t(shape[d]);
      index[d] = 0;
    }
  }
}

StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes,
                              std::string_view origin) {
  StatusOr<Header> header = readHeader(bytes);
  if (!header.ok())
    return header.status().prefixed(origin);
  StatusOr<DType> dtype = dtypeOf(header->descr);
  if (!dtype.ok())
    return dtype.status().prefixed(origin);
  StatusOr<size_t> expected = denseBytes(*dtype, header->shape);
  if (!expected.ok())
    return expected.status().prefixed(origin);
  if (bytes.size() != *expected)
    return Status::invalidInput(
        format("{}: shape {} of '{}' has {} bytes, the file holds {}",
               {origin, printShape(header->shape), header->descr, *expected,
                bytes.size()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                              HostTensor::allocate(*dtype, header->shape));
  if (bytes.empty())
    return tensor;
  if (header->fortranOrder)
    transposeFortran(bytes.data(), tensor);
  else
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
  return tensor;
}

StatusOr<HostTensor> readNpy(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
  return parseNpy(file->bytes(), path.string());
}

StatusOr<std::vector<std::byte>> printNpy(const TensorView &tensor) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              denseBytes(tensor.dtype, tensor.shape));
  if (tensor.data.size() != bytes)
    return Status::invalidInput(
        format("the tensor's data has {} bytes, its shape needs {}",
               {tensor.data.size(), bytes}));
  std::string header = "{'descr': '";
  header += dtypeInfo(tensor.dtype).npy;
  header += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    header +=
        (i ? " " : "") + std::to_string(tensor.shape[i]) +
        (tensor.shape.size() == 1 || i + 1 < tensor.shape.size() ? "," : "");
  header += "), }";
  // The data starts at a multiple of 64; a newline ends the header.
  size_t start = magic.size() + 4;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > 65535)
    return Status::unsupported(
        format("a shape of {} dimensions does not fit a .npy header",
               {tensor.shape.size()}));
  std::string text(magic);
  text += {'\x01', '\x00'};
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  std::vector<std::byte> out(text.size() + bytes);
  std::memcpy(out.data(), text.data(), text.size());
  if (bytes)
    std::memcpy(out.data() + text.size(), tensor.data.data(), bytes);
  return out;
}

Status writeNpy(const std::filesystem::path &path, const TensorView &tensor) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, printNpy(tensor));
  return writeFile(path, bytes);
}

} // namespace tilewright::runtime

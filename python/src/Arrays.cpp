#include "Arrays.h"

#include "Errors.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace tilewright::python {

using runtime::DType;
using runtime::DTypeInfo;
using runtime::DTypeKind;
using Code = nb::dlpack::dtype_code;

/// Types that NumPy lacks: ours, that of ml_dtypes, that of DLPack.
struct SmallType {
  DType dtype;
  const char *name;
  std::optional<Code> code;
};
static const SmallType smallTypes[] = {
    {DType::BF16, "bfloat16", Code::Bfloat},
    {DType::F8E4M3FN, "float8_e4m3fn", Code::Float8_E4M3FN},
    {DType::F8E5M2, "float8_e5m2", Code::Float8_E5M2},
    {DType::F8E8M0FNU, "float8_e8m0fnu", Code::Float8_E8M0FNU},
    {DType::F4E2M1FN, "float4_e2m1fn", std::nullopt},
    {DType::I4, "int4", std::nullopt},
    {DType::U4, "uint4", std::nullopt}};

static std::optional<Code> codeOf(DTypeKind kind) {
  switch (kind) {
  case DTypeKind::boolean:
    return Code::Bool;
  case DTypeKind::signedInteger:
    return Code::Int;
  case DTypeKind::unsignedInteger:
    return Code::UInt;
  case DTypeKind::floatingPoint:
    return Code::Float;
  }
  return std::nullopt;
}

/// Ours of DLPack's.
static std::optional<DType> typeOf(nb::dlpack::dtype given) {
  if (given.lanes != 1)
    return std::nullopt;
  for (const SmallType &small : smallTypes)
    if (small.code && uint8_t(*small.code) == given.code)
      return small.dtype;
  for (const DTypeInfo &info : runtime::allDTypes())
    if (uint8_t(*codeOf(info.kind)) == given.code &&
        info.bytes * 8 == given.bits && info.bits != 4 &&
        info.dtype != DType::BF16 &&
        (info.kind != DTypeKind::floatingPoint || info.bits > 8))
      return info.dtype;
  return std::nullopt;
}

static bool isNumpy(nb::handle object) {
  return nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"));
}

bool isArray(nb::handle object) {
  return nb::hasattr(object, "__dlpack__") || isNumpy(object);
}

/// Of a NumPy array of a type of ml_dtypes, which speaks no DLPack.
static const SmallType *smallType(nb::handle object) {
  if (!isNumpy(object))
    return nullptr;
  auto name = nb::cast<std::string>(object.attr("dtype").attr("name"));
  for (const SmallType &small : smallTypes)
    if (name == small.name)
      return &small;
  return nullptr;
}

static std::string carrierName(DType dtype) {
  return "uint" + std::to_string(runtime::dtypeBytes(dtype) * 8);
}

[[noreturn]] static void reject(const std::string &what,
                                const std::string &reason) {
  raise(Status::invalidInput(what + ": " + reason));
}

/// Fills in shape, strides and bytes.
static void readLayout(HostArray &result, const std::string &what) {
  const nb::ndarray<> &array = result.array;
  int64_t dense = 1, last = 0;
  bool rowMajor = true, empty = array.size() == 0;
  result.shape.resize(array.ndim());
  result.strides.resize(array.ndim());
  for (size_t d = array.ndim(); d-- > 0;) {
    auto size = int64_t(array.shape(d));
    // The stride of a single element is arbitrary: that of a dense array.
    int64_t inner =
        d + 1 < array.ndim() ? result.strides[d + 1] * result.shape[d + 1] : 1;
    int64_t stride = size > 1 ? array.stride(d) : inner;
    if (stride < 0)
      reject(what, "stride " + std::to_string(stride) + " of dimension " +
                       std::to_string(d) +
                       " is negative; pass numpy.ascontiguousarray of it");
    rowMajor &= stride == dense;
    last += (size - 1) * stride;
    dense *= size;
    result.shape[d] = size;
    result.strides[d] = stride;
  }
  if (rowMajor || empty)
    result.strides.clear();
  result.bytes =
      empty ? 0 : size_t(last + 1) * runtime::dtypeBytes(result.dtype);
}

/// Takes the array out of `object`, or says why it cannot.
static void readArray(HostArray &result, nb::handle object, bool writable,
                      const std::string &what) {
  nb::object source = nb::borrow(object);
  const SmallType *small = smallType(object);
  if (small)
    source = object.attr("view")(carrierName(small->dtype));
  nb::ndarray<nb::ro> constant;
  if (!nb::try_cast(source, constant, false)) {
    auto type = nb::cast<std::string>(object.type().attr("__name__"));
    if (!isArray(object))
      throw nb::type_error(
          (what + ": expected an array in host memory, found " + type).c_str());
    reject(what, "this " + type +
                     " does not hand out its memory; expected an array of "
                     "numbers in host memory");
  }
  if (!nb::try_cast(source, result.array, false)) {
    if (writable)
      reject(what, "the array is read-only, and a kernel may write to it; "
                   "pass a copy");
    result.array = nb::ndarray<>(constant);
  }
  std::optional<DType> type =
      small ? small->dtype : typeOf(result.array.dtype());
  if (!type)
    reject(what, "no type of elements is that of the array, DLPack's code " +
                     std::to_string(result.array.dtype().code) + " of " +
                     std::to_string(result.array.dtype().bits) + " bits");
  result.dtype = *type;
}

HostArray hostArray(nb::handle object, bool writable, const std::string &what) {
  HostArray result;
  readArray(result, object, writable, what);
  int location = result.array.device_type();
  if (location != nb::device::cpu::value &&
      location != nb::device::cuda_host::value)
    reject(what, "expected an array in host memory, found one of DLPack's "
                 "device type " +
                     std::to_string(location) + "; copy it to the host");
  readLayout(result, what);
  result.data = static_cast<std::byte *>(result.array.data_handle()) +
                result.array.byte_offset();
  size_t alignment = runtime::dtypeBytes(result.dtype);
  if (result.bytes && reinterpret_cast<uintptr_t>(result.data) % alignment)
    reject(what, "the array is not aligned to its elements of " +
                     std::to_string(alignment) + " bytes; pass a copy");
  return result;
}

DType carriedType(DType found, DType expected) {
  const DTypeInfo &carrier = runtime::dtypeInfo(found),
                  &wanted = runtime::dtypeInfo(expected);
  bool integer = carrier.kind == DTypeKind::unsignedInteger ||
                 carrier.kind == DTypeKind::signedInteger;
  return integer && carrier.npy == wanted.npy ? expected : found;
}

nb::object toNumpy(const runtime::HostTensor &tensor) {
  const DTypeInfo &info = runtime::dtypeInfo(tensor.dtype());
  const SmallType *small = nullptr;
  for (const SmallType &candidate : smallTypes)
    if (candidate.dtype == info.dtype)
      small = &candidate;
  bool unsignedCarrier = small && info.kind == DTypeKind::floatingPoint;
  nb::dlpack::dtype type = {
      uint8_t(unsignedCarrier ? Code::UInt : *codeOf(info.kind)),
      uint8_t(info.bytes * 8), 1};
  auto *kept = new runtime::HostTensor(tensor);
  nb::capsule owner(kept, [](void *p) noexcept {
    delete static_cast<runtime::HostTensor *>(p);
  });
  std::vector<size_t> shape(tensor.shape().begin(), tensor.shape().end());
  nb::object array = nb::ndarray<nb::numpy>(kept->data(), shape.size(),
                                            shape.data(), owner, nullptr, type)
                         .cast();
  if (!small)
    return array;
  try {
    nb::object types = nb::module_::import_("ml_dtypes");
    return array.attr("view")(types.attr(small->name));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_ImportError))
      throw;
    return array;
  }
}

} // namespace tilewright::python

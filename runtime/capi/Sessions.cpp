// Sessions of the C interface: runs, states, memory of the caller.
#include "runtime/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/c/tilewright.h"
#include <cstring>
#include <type_traits>

using namespace tilewright;
using namespace tilewright::runtime;

struct tw_session {
  std::unique_ptr<Session> session;
  /// What the getters gave last.
  using Kept = std::map<std::string, HostTensor, std::less<>>;
  Kept outputs, states;
};

tw_status *tw_session_create(const tw_model *model, tw_session **session) {
  Status status = checkArguments({{"model", model}, {"session", session}});
  if (!status.ok())
    return makeStatusHandle(status);
  *session = nullptr;
  auto created = model->model->createSession();
  if (!created.ok())
    return makeStatusHandle(created.status());
  *session = new tw_session{*std::move(created), {}, {}};
  return nullptr;
}
void tw_session_free(tw_session *session) { delete session; }

/// The type of a tensor whose pointers are there.
static StatusOr<DType> checkTensor(const char *kind, tw_session *session,
                                   const char *name, const char *dtype,
                                   const int64_t *shape, size_t rank,
                                   const void *data, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(checkArguments(
      {{"session", session},
       {"name", name},
       {"dtype", dtype},
       {"shape", rank ? static_cast<const void *>(shape) : session},
       {"data", bytes ? data : session}}));
  if (std::optional<DType> type = dtypeFromName(dtype))
    return *type;
  return Status::invalidInput(
      format("{} '{}': no dtype is called '{}'", {kind, name, dtype}));
}

tw_status *tw_session_set_input(tw_session *session, const char *name,
                                const char *dtype, const int64_t *shape,
                                size_t rank, const void *data, size_t bytes) {
  StatusOr<DType> type =
      checkTensor("input", session, name, dtype, shape, rank, data, bytes);
  if (!type.ok())
    return makeStatusHandle(type.status());
  TensorView view{
      *type, {shape, rank}, {static_cast<const std::byte *>(data), bytes}};
  return makeStatusHandle(session->session->setInput(name, view));
}

tw_status *tw_session_run(tw_session *session) {
  Status status = checkArguments({{"session", session}});
  return makeStatusHandle(status.ok() ? session->session->run() : status);
}

void tw_session_cancel(tw_session *session) {
  if (session)
    session->session->cancel();
}

void tw_session_set_time_limit(tw_session *session, double milliseconds) {
  // What nanoseconds of 64 bits hold; a limit that is no number is none.
  constexpr double most = 9e12;
  if (!session)
    return;
  std::optional<std::chrono::nanoseconds> limit;
  if (milliseconds > 0 && milliseconds < most)
    limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double, std::milli>(milliseconds));
  session->session->setTimeLimit(limit);
}

/// An output or a state: what `get` returns, which `kept` keeps by its name.
static tw_status *
getTensor(tw_session *session,
          StatusOr<HostTensor> (Session::*get)(std::string_view) const,
          tw_session::Kept tw_session::*kept, const char *name,
          const int64_t **shape, size_t *rank, const void **data,
          size_t *bytes) {
  Status status = checkArguments({{"session", session},
                                  {"name", name},
                                  {"shape", shape},
                                  {"rank", rank},
                                  {"data", data},
                                  {"bytes", bytes}});
  if (!status.ok())
    return makeStatusHandle(status);
  StatusOr<HostTensor> tensor = (session->session.get()->*get)(name);
  if (!tensor.ok())
    return makeStatusHandle(tensor.status());
  const HostTensor &held = (session->*kept)[name] = *std::move(tensor);
  *shape = held.shape().data();
  *rank = held.shape().size();
  *data = held.data();
  *bytes = held.bytes();
  return nullptr;
}

tw_status *tw_session_get_output(tw_session *session, const char *name,
                                 const int64_t **shape, size_t *rank,
                                 const void **data, size_t *bytes) {
  return getTensor(session, &Session::output, &tw_session::outputs, name, shape,
                   rank, data, bytes);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

tw_status *tw_session_reset_states(tw_session *session) {
  Status status = checkArguments({{"session", session}});
  return makeStatusHandle(status.ok() ? session->session->resetStates()
                                      : status);
}

tw_status *tw_session_get_state(tw_session *session, const char *name,
                                const int64_t **shape, size_t *rank,
                                const void **data, size_t *bytes) {
  return getTensor(session, &Session::state, &tw_session::states, name, shape,
                   rank, data, bytes);
}

tw_status *tw_session_set_state(tw_session *session, const char *name,
                                const char *dtype, const int64_t *shape,
                                size_t rank, const void *data, size_t bytes) {
  StatusOr<DType> type =
      checkTensor("state", session, name, dtype, shape, rank, data, bytes);
  if (!type.ok())
    return makeStatusHandle(type.status());
  TensorView view{
      *type, {shape, rank}, {static_cast<const std::byte *>(data), bytes}};
  return makeStatusHandle(session->session->setState(name, view));
}

tw_status *tw_session_copy_states(tw_session *session, const tw_session *from) {
  Status status = checkArguments({{"session", session}, {"from", from}});
  return makeStatusHandle(
      status.ok() ? session->session->copyStates(*from->session) : status);
}

//===----------------------------------------------------------------------===//
// Memory of the caller
//===----------------------------------------------------------------------===//

/// C may pass any integer. To read it as a tw_role, which C++ takes to have the
/// declared values only, would be undefined.
static StatusOr<TensorRole> roleOf(const tw_role &role) {
  std::underlying_type_t<tw_role> number = 0;
  std::memcpy(&number, &role, sizeof(number));
  switch (number) {
  case TW_INPUT:
    return TensorRole::input;
  case TW_OUTPUT:
    return TensorRole::output;
  case TW_WEIGHT:
    return TensorRole::weight;
  }
  return Status::invalidInput(
      format("expected TW_INPUT, TW_OUTPUT or TW_WEIGHT, found {}", {number}));
}

tw_status *tw_session_bind(tw_session *session, tw_role role, const char *name,
                           const char *dtype, const int64_t *shape,
                           const int64_t *strides, size_t rank, void *data,
                           size_t bytes) {
  StatusOr<TensorRole> known = roleOf(role);
  if (!known.ok())
    return makeStatusHandle(known.status());
  StatusOr<DType> type =
      checkTensor("tensor", session, name, dtype, shape, rank, data, bytes);
  if (!type.ok())
    return makeStatusHandle(type.status());
  TensorMemory memory{*type,
                      Shape(shape, shape + rank),
                      {},
                      {static_cast<std::byte *>(data), bytes},
                      nullptr};
  if (strides)
    memory.strides.assign(strides, strides + rank);
  return makeStatusHandle(
      session->session->bind(*known, name, std::move(memory)));
}

tw_status *tw_session_unbind(tw_session *session, tw_role role,
                             const char *name) {
  Status status = checkArguments({{"session", session}, {"name", name}});
  if (!status.ok())
    return makeStatusHandle(status);
  StatusOr<TensorRole> known = roleOf(role);
  return makeStatusHandle(known.ok() ? session->session->unbind(*known, name)
                                     : known.status());
}

size_t tw_session_bound_copies(const tw_session *session, size_t *bytes) {
  const BoundCopies copies = session->session->boundCopies();
  if (bytes)
    *bytes = copies.bytes;
  return copies.count;
}

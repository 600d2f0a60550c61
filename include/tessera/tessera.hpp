/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tessera for C++17 and later: a header over the C interface, nothing to link besides it.
 *
 *   tessera::context context;
 *   tessera::device cpu(context, "cpu");
 *   tessera::program program(cpu, tessera::module::load(context, "kernels/saxpy.mlir"));
 *   tessera::buffer<float> x(cpu, std::vector<float>(1024, 1)), y(cpu, 1024);
 *   program["saxpy_f32"]({1}, x, y, 2.0f, std::int64_t{1024});
 *
 * Ownership. Objects are handles that share what they stand for, and keep alive what it needs: a
 * program its device, a device its context. Copying one copies the handle.
 *
 * Errors. What C reports and returns a status for is thrown as tessera::error, whose what() has the
 * messages with their places. Messages that come without an error (warnings, remarks) go to the
 * context's function.
 *
 * Threads. As in C (runtime.h): a context and what belongs to it is used by one thread at a time,
 * but kernels may be launched from several at once.
 *
 * What this header leaves out (layouts, windows, operators, tuning, PTX) is used through C's
 * headers, which C++ reads; handle() gives their pointers.
 */
#ifndef TESSERA_TESSERA_HPP
#define TESSERA_TESSERA_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/build.h>
#include <tessera/module.h>
#include <tessera/runtime.h>
#include <tessera/stream.h>

namespace tessera {

/* ---- errors --------------------------------------------------------------------------------- */

class error : public std::runtime_error {
public:
  error(tsr_status status, const std::string &messages)
      : std::runtime_error(messages.empty() ? tsr_status_name(status) : messages), status_(status) {
  }
  tsr_status status() const noexcept { return status_; }

private:
  tsr_status status_;
};

/* ---- spans ---------------------------------------------------------------------------------- */

/* Elements that lie in a row, of anything that has data() and size(): std::vector, std::array,
 * std::span. It owns nothing. */
template <class T> class span {
public:
  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  template <class C, class = std::enable_if_t<
                         std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
  constexpr span(C &&c) noexcept(noexcept(c.data())) : data_(c.data()), size_(c.size()) {}
  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

/* ---- context -------------------------------------------------------------------------------- */

namespace detail {

struct context_state {
  tsr_context *handle = nullptr;
  std::function<void(const tsr_diagnostic &)> on_message;
  std::mutex lock;
  std::string errors; /* reported, and not thrown yet */
  bool after_error = false;

  context_state() = default;
  context_state(const context_state &) = delete;
  context_state &operator=(const context_state &) = delete;
  ~context_state() { tsr_context_destroy(handle); }

  static std::string format(const tsr_diagnostic &d) {
    std::string text(tsr_diagnostic_format(&d, false, nullptr, 0) + 1, '\0');
    tsr_diagnostic_format(&d, false, text.data(), text.size());
    text.pop_back();
    return text;
  }

  /* A note belongs to the message before it. */
  void add(const tsr_diagnostic &d) {
    const std::lock_guard<std::mutex> guard(lock);
    if (d.severity != TSR_NOTE) after_error = d.severity == TSR_ERROR;
    if (after_error) {
      errors += errors.empty() ? "" : "\n";
      errors += format(d);
    } else if (on_message) {
      on_message(d);
    }
  }

  static void callback(void *user, const tsr_diagnostic *d) noexcept {
    try {
      static_cast<context_state *>(user)->add(*d);
    } catch (...) { /* no memory for the message */
    }
  }

  std::string take() {
    const std::lock_guard<std::mutex> guard(lock);
    return std::exchange(errors, std::string());
  }

  [[noreturn]] void fail(tsr_status status) { throw error(status, take()); }
  void check(tsr_status status) {
    if (status != TSR_OK) fail(status);
  }
  template <class T> T *check(T *made, tsr_status status = TSR_ERROR_INPUT) {
    if (!made) fail(status);
    return made;
  }
};

} // namespace detail

class context {
public:
  /* `on_message` gets warnings and remarks; without one they go to standard error. */
  explicit context(std::function<void(const tsr_diagnostic &)> on_message =
                       [](const tsr_diagnostic &d) { tsr_diagnostic_print(nullptr, &d); })
      : state_(std::make_shared<detail::context_state>()) {
    state_->on_message = std::move(on_message);
    tsr_context_options options = {};
    options.struct_size = sizeof options;
    options.on_diagnostic = detail::context_state::callback;
    options.diagnostic_user = state_.get();
    state_->handle = tsr_context_create(&options);
    if (!state_->handle) throw std::bad_alloc();
  }
  tsr_context *handle() const noexcept { return state_->handle; }
  const std::shared_ptr<detail::context_state> &state() const noexcept { return state_; }

private:
  std::shared_ptr<detail::context_state> state_;
};

/* ---- modules -------------------------------------------------------------------------------- */

class module {
public:
  /* Takes over what a function of C made, which may be NULL after it reported an error. */
  module(const context &c, tsr_module *made) :state_(c.state()) {
    state_->check(made);
    handle_ = {made, [state = state_](tsr_module *m) { tsr_module_destroy(m); }};
  }
  /* A file of text, bytecode or TTIR. `flags` of tsr_parse_flags. */
  static module load(const context &c, const std::string &path, unsigned flags = 0) {
    return {c, tsr_module_load(c.handle(), path.c_str(), flags)};
  }
  static module parse(const context &c, const std::string &text,
                      const std::string &name = "<memory>", unsigned flags = 0) {
    return {c, tsr_module_parse(c.handle(), text.data(), text.size(), name.c_str(), flags)};
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tsr_module_kernel_count(handle()); i++)
      names.emplace_back(tsr_module_kernel_name(handle(), i));
    return names;
  }
  /* The text of the module. */
  std::string print() const {
    std::size_t length = 0;
    char *text = tsr_module_print(handle(), &length);
    return take(text, length);
  }
  /* Bytecode of a version, 0: the newest. */
  std::string bytecode(unsigned version = 0) const {
    std::size_t length = 0;
    char *bytes = tsr_module_write_bytecode(handle(), version, &length);
    return take(bytes, length);
  }
  /* Code for a processor, as `tessera build` makes it; `cpu` empty: for this machine's. */
  std::string emit(tsr_emit kind, const std::string &cpu = {}) const {
    std::size_t length = 0;
    char *code = tsr_module_emit(handle(), kind, cpu.empty() ? nullptr : cpu.c_str(), &length);
    return take(code, length);
  }
  /* Code for a GPU: emit(TSR_GPU_PTX, "sm_90a"). */
  std::string emit(tsr_gpu_emit kind, const std::string &target) const {
    std::size_t length = 0;
    char *code = tsr_module_emit_gpu(handle(), kind, target.c_str(), nullptr, &length);
    return take(code, length);
  }
  tsr_module *handle() const noexcept { return handle_.get(); }

private:
  std::string take(char *text, std::size_t length) const {
    state_->check(text);
    const auto release = [this](char *t) { tsr_string_free(state_->handle, t); };
    const std::unique_ptr<char, decltype(release)> owned(text, release);
    return {text, length};
  }
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_module> handle_;
};

/* ---- devices and buffers -------------------------------------------------------------------- */

class device {
public:
  /* "cpu", "interp", "emu:sm_90a", "cuda:0", "hip:0", … */
  device(const context &c, const std::string &name, tsr_device_options options = {})
      : state_(c.state()) {
    options.struct_size = sizeof options;
    tsr_device *opened = state_->check(tsr_device_open(c.handle(), name.c_str(), &options));
    handle_ = {opened, [state = state_](tsr_device *d) { tsr_device_close(d); }};
  }
  tsr_device *handle() const noexcept { return handle_.get(); }
  const std::shared_ptr<tsr_device> &shared() const noexcept { return handle_; }
  const std::shared_ptr<detail::context_state> &state() const noexcept { return state_; }

private:
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_device> handle_;
};

/* Elements in memory that kernels reach. On devices of the host its elements are used in place;
 * where the device has memory of its own ("cuda:N", "hip:N"), read() and write() copy. */
template <class T> class buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds plain bytes");

public:
  buffer(const device &d, std::size_t size) : buffer(d, size, nullptr) {}
  buffer(const device &d, span<const T> values) : buffer(d, values.size(), nullptr) {
    write(values);
  }
  buffer(const device &d, std::initializer_list<T> values)
      : buffer(d, span<const T>(values.begin(), values.size())) {}
  /* The caller's memory, which outlives the buffer. */
  static buffer wrap(const device &d, span<T> memory) {
    return buffer(d, memory.size(),
                  tsr_buffer_wrap(d.handle(), memory.data(), memory.size() * sizeof(T)));
  }

  std::size_t size() const noexcept { return size_; }
  T *data() const { return static_cast<T *>(state_->check(tsr_buffer_data(handle()))); }
  T *begin() const { return data(); }
  T *end() const { return data() + size_; }
  T &operator[](std::size_t i) const { return data()[i]; }

  /* Copies from and to host memory; at most size() elements from `first` on. */
  void write(span<const T> values, std::size_t first = 0) {
    state_->check(
        tsr_buffer_write(handle(), first * sizeof(T), values.data(), values.size() * sizeof(T)));
  }
  void read(span<T> values, std::size_t first = 0) const {
    state_->check(
        tsr_buffer_read(handle(), first * sizeof(T), values.data(), values.size() * sizeof(T)));
  }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    read(span<T>(values));
    return values;
  }
  tsr_buffer *handle() const noexcept { return handle_.get(); }

private:
  buffer(const device &d, std::size_t size, tsr_buffer *made) : state_(d.state()), size_(size) {
    if (!made) made = tsr_buffer_create(d.handle(), size * sizeof(T));
    state_->check(made, TSR_ERROR_MEMORY);
    handle_ = {made, [owner = d.shared()](tsr_buffer *b) { tsr_buffer_destroy(b); }};
  }
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_buffer> handle_;
  std::size_t size_;
};

/* ---- arguments ------------------------------------------------------------------------------ */

/* One argument of a launch: a buffer, an address, or a number of the parameter's size. Numbers of
 * types that C++ lacks: arg(TSR_F16, 0.5). */
class arg {
public:
  template <class T> arg(const buffer<T> &b) : arg_(tsr_arg_buffer(b.handle())) {}
  template <class T> arg(T *address) : arg_(tsr_arg_address(plain(address))) {}
  arg(float v) : arg_(tsr_arg_f32(v)) {}
  arg(double v) : arg_(tsr_arg_f64(v)) {}
  arg(bool v) : arg_(tsr_arg_scalar(TSR_I1, v)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  arg(T v) : arg(integer<sizeof(T)>(), static_cast<std::int64_t>(v)) {}
  arg(tsr_elem type, std::int64_t v) : arg(tsr_scalar_int(type, v)) {}
  arg(tsr_elem type, double v) : arg(tsr_scalar_real(type, v)) {}
  arg(tsr_arg a) : arg_(a) {}
  operator tsr_arg() const noexcept { return arg_; }

private:
  explicit arg(tsr_scalar s) : arg_(tsr_arg_scalar(s.elem, s.bits)) {}
  template <class T> static void *plain(T *p) {
    return const_cast<void *>(static_cast<const void *>(p));
  }
  template <std::size_t bytes> static constexpr tsr_elem integer() {
    return bytes == 1 ? TSR_I8 : bytes == 2 ? TSR_I16 : bytes == 4 ? TSR_I32 : TSR_I64;
  }
  tsr_arg arg_;
};

/* Tile blocks along each axis. */
struct grid {
  std::uint32_t x = 1, y = 1, z = 1;
  operator tsr_grid() const noexcept { return {x, y, z}; }
};

/* ---- programs and kernels ------------------------------------------------------------------- */

class stream;

class kernel {
public:
  kernel(std::shared_ptr<detail::context_state> state, std::shared_ptr<tsr_program> program,
         tsr_kernel *k)
      : state_(std::move(state)), program_(std::move(program)), kernel_(k) {}
  /* Launches it on every tile block of the grid, and waits. */
  template <class... Args> void operator()(grid g, const Args &...args) const {
    const tsr_arg list[] = {arg(args)..., tsr_arg()};
    state_->check(tsr_launch(kernel_, g, list, sizeof...(args)));
  }
  /* Puts the launch on a stream. */
  template <class... Args> void on(const stream &s, grid g, const Args &...args) const;
  std::string name() const { return tsr_kernel_name(kernel_); }
  double compile_ms() const noexcept { return tsr_kernel_compile_ms(kernel_); }
  bool is_cached() const noexcept { return tsr_kernel_is_cached(kernel_); }
  tsr_kernel *handle() const noexcept { return kernel_; }

private:
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_program> program_;
  tsr_kernel *kernel_;
};

class program {
public:
  program(const device &d, const module &m) : state_(d.state()) {
    tsr_program *made = state_->check(tsr_program_create(d.handle(), m.handle()));
    handle_ = {made, [owner = d.shared(), m](tsr_program *p) { tsr_program_destroy(p); }};
  }
  /* Compiled when it is asked for first. */
  kernel operator[](const std::string &name) const { return get(name.c_str()); }
  /* The only kernel of the module. */
  kernel only() const { return get(nullptr); }
  tsr_program *handle() const noexcept { return handle_.get(); }

private:
  kernel get(const char *name) const {
    return {state_, handle_, state_->check(tsr_kernel_get(handle(), name))};
  }
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_program> handle_;
};

/* ---- streams -------------------------------------------------------------------------------- */

/* Work in order, of which the caller need not wait for each piece (tessera/stream.h). */
class stream {
public:
  explicit stream(const device &d) : state_(d.state()) {
    tsr_stream *made = state_->check(tsr_stream_create(d.handle()));
    handle_ = {made, [owner = d.shared()](tsr_stream *s) { tsr_stream_destroy(s); }};
  }
  void wait() const { state_->check(tsr_stream_wait(handle())); }
  /* Host memory is left alone until it was copied. */
  template <class T> void write(const buffer<T> &to, span<const T> from) const {
    state_->check(tsr_stream_write(handle(), to.handle(), 0, from.data(), from.size() * sizeof(T)));
  }
  template <class T> void read(const buffer<T> &from, span<T> to) const {
    state_->check(tsr_stream_read(handle(), from.handle(), 0, to.data(), to.size() * sizeof(T)));
  }
  tsr_stream *handle() const noexcept { return handle_.get(); }

private:
  std::shared_ptr<detail::context_state> state_;
  std::shared_ptr<tsr_stream> handle_;
};

template <class... Args> void kernel::on(const stream &s, grid g, const Args &...args) const {
  const tsr_arg list[] = {arg(args)..., tsr_arg()};
  state_->check(tsr_launch_on(s.handle(), kernel_, g, list, sizeof...(args)));
}

/* ---- building a module ---------------------------------------------------------------------- */

/* Where an operation was asked for: by default the line of the caller. */
struct place {
  const char *file;
  unsigned line;
  constexpr place(const char *f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept
      : file(f), line(l) {}
};

class builder;

/* What an operation gave. Sums, differences, products and quotients of values of one type are
 * operations again: addf or addi by the type; quotients of integers are of signed ones. */
class value {
public:
  value() noexcept = default;
  value(builder &b, tsr_value v) noexcept : builder_(&b), value_(v) {}
  operator tsr_value() const noexcept { return value_; }
  tsr_type type() const noexcept { return tsr_value_type(value_); }
  /* Result `i` of the operation that gave this value. */
  value result(std::size_t i) const { return {*builder_, tsr_result_of(value_, i)}; }
  builder &owner() const noexcept { return *builder_; }

private:
  builder *builder_ = nullptr;
  tsr_value value_ = nullptr;
};

/* An operation without results, or with any number of them. */
class operation {
public:
  operation(builder &b, tsr_op *op) noexcept : builder_(&b), op_(op) {}
  operator tsr_op *() const noexcept { return op_; }
  value result(std::size_t i = 0) const { return {*builder_, tsr_op_result(op_, i)}; }
  std::vector<value> results() const {
    std::vector<value> all;
    for (std::size_t i = 0; op_ && i < tsr_op_result_count(op_); i++) all.push_back(result(i));
    return all;
  }

private:
  builder *builder_;
  tsr_op *op_;
};

/* Lists that are handed to operations: {x, y}, a vector, one value. */
template <class Item, class List> class list {
public:
  list() = default;
  list(std::initializer_list<Item> items) : items_(items) {}
  template <class T, class = std::enable_if_t<std::is_convertible_v<T, Item>>>
  list(const std::vector<T> &items) : items_(items.begin(), items.end()) {}
  list(const Item &item) : items_{item} {}
  operator List() const noexcept { return {items_.data(), items_.size()}; }

private:
  std::vector<Item> items_;
};

class value_list : public list<tsr_value, tsr_values> {
public:
  using list::list;
  value_list(const value &v) : list(static_cast<tsr_value>(v)) {}
};
class int_list : public list<std::int64_t, tsr_ints> {
public:
  using list::list;
};
class type_list : public list<tsr_type, tsr_types> {
public:
  using list::list;
};
class scalar_list : public list<tsr_scalar, tsr_scalars> {
public:
  using list::list;
};

/* Builds a module operation by operation; `tessera explain` says what each does.
 *
 *   tessera::builder b(context, "example");
 *   b.entry("scale", {b.pointer(TSR_F32), b.scalar(TSR_F32)}, [&](const auto &p) {
 *     auto x = b.load_ptr_tko(p[0], TSR_MEMORY_WEAK);
 *     b.store_ptr_tko(p[0], x * p[1], TSR_MEMORY_WEAK);
 *   });
 *   tessera::module m = b.finish();
 *
 * An operation that cannot be built is reported with the line that asked for it, and finish()
 * throws what was reported. */
class builder {
public:
  explicit builder(const context &c, const std::string &name = "module")
      : context_(c), handle_(tsr_builder_create(c.handle(), name.c_str())) {
    c.state()->check(handle_.get(), TSR_ERROR_MEMORY);
  }
  builder(const builder &) = delete;
  builder &operator=(const builder &) = delete;

  /* Checks the module and hands it over; nothing is built with this builder afterwards. */
  module finish() { return {context_, tsr_builder_finish(handle_.release())}; }
  tsr_builder *handle() const noexcept { return handle_.get(); }

  /* ---- types */
  tsr_type scalar(tsr_elem elem) { return tsr_type_scalar(handle(), elem); }
  tsr_type tile(tsr_elem elem, const int_list &shape) {
    return tsr_type_tile(handle(), elem, shape);
  }
  tsr_type pointer(tsr_elem pointee) { return tsr_type_pointer(handle(), pointee); }
  tsr_type pointers(tsr_elem pointee, const int_list &shape) {
    return tsr_type_pointers(handle(), pointee, shape);
  }
  tsr_type token() { return tsr_type_token(handle()); }
  tsr_type tensor_view(tsr_elem elem, const int_list &shape, const int_list &strides) {
    return tsr_type_tensor_view(handle(), elem, shape, strides);
  }
  tsr_type partition_view(const int_list &tile_shape, tsr_type view, const int_list &dim_map = {},
                          tsr_padding padding = TSR_PADDING_NONE) {
    return tsr_type_partition_view(handle(), tile_shape, view, dim_map, padding);
  }

  /* ---- numbers */
  value constant(tsr_type type, std::int64_t v, place at = {}) {
    return {*this, tsr_build_int_at(at.file, at.line, handle(), type, v)};
  }
  value constant(tsr_type type, int v, place at = {}) {
    return constant(type, static_cast<std::int64_t>(v), at);
  }
  value constant(tsr_type type, double v, place at = {}) {
    return {*this, tsr_build_real_at(at.file, at.line, handle(), type, v)};
  }
  value splat(tsr_value v, const int_list &shape, place at = {}) {
    return {*this, tsr_build_splat_at(at.file, at.line, handle(), v, shape)};
  }

  /* ---- regions: what `body` builds goes into them */

  /* A kernel. `body` gets its parameters. */
  template <class Body>
  operation entry(const std::string &name, const type_list &parameters, Body &&body,
                  place at = {}) {
    const tsr_types types = parameters;
    operation op(*this, tsr_build_entry_at(at.file, at.line, handle(), name.c_str(), types));
    body(arguments(types.len, at));
    end(at);
    return op;
  }
  /* body(i, values) gives the values of the next iteration. Returns those after the last. */
  template <class Body>
  std::vector<value> for_each(tsr_value lower, tsr_value upper, tsr_value step,
                              const value_list &initial, Body &&body, place at = {}) {
    const tsr_values values = initial;
    operation op = for_(lower, upper, step, initial, {}, at);
    std::vector<value> got = arguments(values.len + 1, at);
    const value index = got.front();
    got.erase(got.begin());
    continue_(value_list(std::vector<value>(body(index, std::as_const(got)))), at);
    end(at);
    return op.results();
  }
  /* then() and otherwise() give the results, which have these types. */
  template <class Then, class Else>
  std::vector<value> if_else(tsr_value condition, const type_list &types, Then &&then,
                             Else &&otherwise, place at = {}) {
    operation op = if_(condition, types, at);
    yield_(value_list(std::vector<value>(then())), at);
    tsr_build_else_at(at.file, at.line, handle());
    yield_(value_list(std::vector<value>(otherwise())), at);
    end(at);
    return op.results();
  }
  /* Folds a dimension: combine(accumulated, element) gives the sum so far. */
  template <class Combine>
  value fold(const value &operand, std::int64_t dim, tsr_scalar identity, Combine &&combine,
             place at = {}) {
    operation op = reduce(operand, dim, identity, at);
    const std::vector<value> got = arguments(2, at);
    yield_(combine(got[1], got[0]), at);
    end(at);
    return op.result();
  }
  /* For regions that are opened by hand: for_, loop_, if_, reduce, scan. */
  value argument(std::size_t i, place at = {}) {
    return {*this, tsr_build_arg_at(at.file, at.line, handle(), i)};
  }
  void end(place at = {}) { tsr_build_end_at(at.file, at.line, handle()); }
  void else_(place at = {}) { tsr_build_else_at(at.file, at.line, handle()); }

#include <tessera/ops.hpp>

private:
  struct destroy {
    void operator()(tsr_builder *b) const noexcept { tsr_builder_destroy(b); }
  };
  std::vector<value> arguments(std::size_t n, place at) {
    std::vector<value> all;
    for (std::size_t i = 0; i < n; i++) all.push_back(argument(i, at));
    return all;
  }
  context context_;
  std::unique_ptr<tsr_builder, destroy> handle_;
};

namespace detail {
inline bool is_real(const value &v) {
  return tsr_elem_is_float(tsr_type_elem(v.type()));
}
} // namespace detail

inline value operator+(const value &x, const value &y) {
  return detail::is_real(x) ? x.owner().addf(x, y) : x.owner().addi(x, y);
}
inline value operator-(const value &x, const value &y) {
  return detail::is_real(x) ? x.owner().subf(x, y) : x.owner().subi(x, y);
}
inline value operator*(const value &x, const value &y) {
  return detail::is_real(x) ? x.owner().mulf(x, y) : x.owner().muli(x, y);
}
inline value operator/(const value &x, const value &y) {
  return detail::is_real(x) ? x.owner().divf(x, y) : x.owner().divi(x, y, TSR_SIGNED);
}
/* A number beside a value is one of its type. */
#define TSR_NUMBER_OPERATOR_(op)                                                                   \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                            \
  value operator op(const value &x, T y) {                                                         \
    using number = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;                \
    return x op x.owner().constant(x.type(), static_cast<number>(y));                              \
  }                                                                                                \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                            \
  value operator op(T x, const value &y) {                                                         \
    using number = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;                \
    return y.owner().constant(y.type(), static_cast<number>(x)) op y;                              \
  }
TSR_NUMBER_OPERATOR_(+)
TSR_NUMBER_OPERATOR_(-)
TSR_NUMBER_OPERATOR_(*)
TSR_NUMBER_OPERATOR_(/)
#undef TSR_NUMBER_OPERATOR_

} // namespace tessera

#endif

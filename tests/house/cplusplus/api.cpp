/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C++ header: every class of it, on the device that the argument names.
 */
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include <tessera/tessera.hpp>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

template <class F> static std::string message_of(F &&f, tsr_status status) {
  try {
    f();
  } catch (const tessera::error &e) {
    CHECK(e.status() == status);
    return e.what();
  }
  std::printf("no exception\n");
  std::exit(1);
}

static bool has(const std::string &text, const char *part) {
  if (text.find(part) != std::string::npos) return true;
  std::printf("'%s' is not in:\n%s\n", part, text.c_str());
  return false;
}

/* out[i] = (sum of k * x[i, k]) and 100 more where i is odd; all regions take part. */
static tessera::module build_sums(const tessera::context &context) {
  tessera::builder b(context, "sums");
  const tsr_type f32 = b.scalar(TSR_F32), i32 = b.scalar(TSR_I32), ptr = b.pointer(TSR_F32);
  b.entry("sums", {ptr, ptr, i32}, [&](const auto &p) {
    const auto row = b.get_tile_block_id();
    const auto zero = b.constant(i32, 0), one = b.constant(i32, 1);
    const auto total = b.for_each(zero, p[2], one, {b.constant(f32, 0.0)}, [&](auto k, auto &sum) {
      const auto at = b.offset(p[0], row * p[2] + k);
      const auto x = b.load_ptr_tko(at, TSR_MEMORY_WEAK);
      const auto weight = b.itof(k, TSR_SIGNED, f32);
      return std::vector<tessera::value>{sum[0] + x * weight};
    });
    const auto odd =
        b.cmpi(b.remi(row, b.constant(i32, 2), TSR_SIGNED), one, TSR_CMP_EQUAL, TSR_SIGNED);
    const auto result = b.if_else(
        odd, {f32}, [&] { return std::vector<tessera::value>{100 + total[0]}; },
        [&] { return std::vector<tessera::value>{total[0]}; });
    b.store_ptr_tko(b.offset(p[1], row), result[0], TSR_MEMORY_WEAK);
  });
  /* The largest element of a tile: a region that combines. */
  b.entry("largest", {ptr}, [&](const auto &p) {
    const tsr_type many = b.pointers(TSR_F32, {8});
    const auto at = b.offset(b.broadcast(b.reshape(p[0], b.pointers(TSR_F32, {1})), many),
                             b.iota(b.tile(TSR_I32, {8})));
    const auto x = b.load_ptr_tko(at, TSR_MEMORY_WEAK);
    const auto most =
        b.fold(x, 0, tsr_scalar_real(TSR_F32, -1e30),
               [&](const auto &so_far, const auto &next) { return b.maxf(so_far, next); });
    b.store_ptr_tko(p[0], most, TSR_MEMORY_WEAK);
  });
  return b.finish();
}

static void launches(const tessera::context &context, const char *name) {
  const tessera::device device(context, name);
  const tessera::module module = build_sums(context);
  CHECK(module.kernels() == (std::vector<std::string>{"sums", "largest"}));
  const tessera::program program(device, module);
  tessera::buffer<float> x(device, {1, 2, 3, 4, 5, 6}), out(device, 2);
  const tessera::kernel sums = program["sums"];
  CHECK(sums.name() == "sums");
  sums({2}, x, out, 3);
  CHECK(out[0] == 8 && out[1] == 117);
  out.write(std::array<float, 1>{5}, 1);
  CHECK(out.read() == (std::vector<float>{8, 5}));
  CHECK(std::accumulate(out.begin(), out.end(), 0.0f) == 13);

  std::vector<float> memory = {3, 9, -1, 4, 8, 2, 7, 5};
  const auto wrapped = tessera::buffer<float>::wrap(device, memory);
  program["largest"]({1}, wrapped);
  CHECK(memory[0] == 9);

  const tessera::stream stream(device);
  std::vector<float> back(2);
  stream.write(x, tessera::span<const float>(memory.data(), 6));
  sums.on(stream, {2}, x, out, 3);
  stream.read(out, tessera::span<float>(back));
  stream.wait();
  CHECK(back[0] == 7 && back[1] == 112);

  std::vector<std::thread> threads;
  std::array<float, 4> results[2] = {};
  for (auto &result : results)
    threads.emplace_back([&] {
      const auto own = tessera::buffer<float>::wrap(device, result);
      for (int i = 0; i < 50; i++) sums({2}, x, own, 3);
    });
  for (auto &t : threads) t.join();
  for (const auto &result : results) CHECK(result[0] == 7 && result[1] == 112);
}

/* Texts, bytecode, code. */
static void modules(const tessera::context &context) {
  const tessera::module module = build_sums(context);
  const std::string text = module.print();
  CHECK(has(text, "entry @sums"));
  const tessera::module again = tessera::module::parse(context, text, "again");
  CHECK(again.bytecode() == module.bytecode());
  CHECK(has(module.emit(TSR_GPU_PTX, "sm_80"), ".visible .entry sums"));
  CHECK(has(module.emit(TSR_EMIT_ASM, "avx2"), "sums"));
}

static void errors(const tessera::context &context) {
  CHECK(has(message_of([&] { tessera::module::load(context, "missing.mlir"); }, TSR_ERROR_INPUT),
            "cannot open 'missing.mlir'"));
  CHECK(
      has(message_of([&] { tessera::module::parse(context, "nonsense", "mine"); }, TSR_ERROR_INPUT),
          "mine:1:1: error:"));
  CHECK(has(message_of([&] { tessera::device(context, "gpu"); }, TSR_ERROR_INPUT), "gpu"));
  const unsigned line = __LINE__ + 5;
  const std::string wrong = message_of(
      [&] {
        tessera::builder b(context);
        b.entry("k", {b.scalar(TSR_F32), b.scalar(TSR_I32)},
                [&](const auto &p) { b.addf(p[0], p[1]); });
        b.finish();
      },
      TSR_ERROR_INPUT);
  CHECK(has(wrong, (std::string("api.cpp:") + std::to_string(line)).c_str()));

  const tessera::device device(context, "interp");
  const tessera::program program(device, build_sums(context));
  tessera::buffer<float> x(device, 6), out(device, 2);
  const std::string call =
      message_of([&] { program["sums"]({2}, x, out, std::int64_t{3}); }, TSR_ERROR_USAGE);
  CHECK(has(call, "i32"));
  CHECK(has(message_of([&] { program["none"]; }, TSR_ERROR_INPUT), "none"));
  CHECK(has(message_of([&] { program.only(); }, TSR_ERROR_INPUT), "kernels"));
  float *nothing = nullptr;
  message_of([&] { program["largest"]({1}, nothing); }, TSR_ERROR_USAGE);
}

/* Warnings go to the function; what is thrown later does not hold them. */
static void warnings() {
  int heard = 0;
  const tessera::context context(
      [&](const tsr_diagnostic &d) { heard += d.severity == TSR_WARNING; });
  const char *text =
      "cuda_tile.module @m { entry @k() optimization_hints=<sm_80 = {what = 1}> { } }";
  tessera::module::parse(context, text);
  CHECK(heard == 1);
}

/* Handles keep alive what they need. */
static void lifetimes() {
  std::vector<tessera::kernel> kernels;
  std::vector<tessera::buffer<float>> buffers;
  {
    const tessera::context context;
    const tessera::device device(context, "interp");
    kernels.push_back(tessera::program(device, build_sums(context))["largest"]);
    buffers.emplace_back(device, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  }
  kernels[0]({1}, buffers[0]);
  CHECK(buffers[0].read()[0] == 8);
}

static void numbers() {
  CHECK(tsr_arg(tessera::arg(true)).elem == TSR_I1);
  CHECK(tsr_arg(tessera::arg(std::int8_t{-1})).bits == 0xff);
  CHECK(tsr_arg(tessera::arg(std::uint16_t{65535})).elem == TSR_I16);
  CHECK(tsr_arg(tessera::arg(-1)).bits == 0xffffffffu);
  CHECK(tsr_arg(tessera::arg(TSR_F16, 1.0)).bits == 0x3c00);
  CHECK(tsr_arg(tessera::arg(TSR_BF16, -2.0)).bits == 0xc000);
  CHECK(tsr_arg(tessera::arg(2.0f)).bits == 0x40000000u);
}

int main(int argc, char **argv) {
  const tessera::context context;
  numbers();
  modules(context);
  errors(context);
  warnings();
  lifetimes();
  for (int i = 1; i < argc; i++) launches(context, argv[i]);
  std::printf("C++ %ld: all right\n", __cplusplus);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels from a file and built operation by operation, launched from C++17. Run it from the
 * repository's root.
 */
#include <cstdio>
#include <numeric>

#include <tessera/tessera.hpp>

/* y = a * x + y, of tiles of 256 elements. */
static tessera::module build_saxpy(const tessera::context &context) {
  constexpr std::int64_t tile = 256;
  tessera::builder b(context, "example");
  const tsr_type ptr = b.pointer(TSR_F32), f32 = b.scalar(TSR_F32), i64 = b.scalar(TSR_I64);
  const tsr_type view = b.tensor_view(TSR_F32, {TSR_DYNAMIC}, {1});
  const tsr_type tiles = b.partition_view({tile}, view);
  b.entry("saxpy", {ptr, ptr, f32, i64}, [&](const auto &p) {
    const auto block = b.get_tile_block_id();
    const auto over = [&](tsr_value memory) {
      return b.make_partition_view(b.make_tensor_view(memory, view, p[3]), tiles);
    };
    const auto x = over(p[0]), y = over(p[1]);
    const auto sum = b.load_view_tko(x, block, TSR_MEMORY_WEAK) * b.splat(p[2], {tile}) +
                     b.load_view_tko(y, block, TSR_MEMORY_WEAK);
    b.store_view_tko(sum, y, block, TSR_MEMORY_WEAK);
  });
  return b.finish();
}

static bool run(const tessera::device &device, const tessera::module &module, const char *name) {
  constexpr std::int64_t n = 1000;
  std::vector<float> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  tessera::buffer<float> x(device, numbers), y(device, std::vector<float>(n, 1.0f));
  const tessera::program program(device, module);
  const std::uint32_t blocks = name[5] ? 1 : 4;
  program[name]({blocks}, x, y, 2.0f, n);
  const std::vector<float> result = y.read();
  for (std::int64_t i = 0; i < n; i++)
    if (result[static_cast<std::size_t>(i)] != 2.0f * static_cast<float>(i) + 1) return false;
  std::printf("%s: y[999] = %g\n", name, static_cast<double>(result[n - 1]));
  return true;
}

int main() {
  try {
    const tessera::context context;
    const tessera::device cpu(context, "cpu");
    const bool right =
        run(cpu, tessera::module::load(context, "kernels/saxpy.mlir"), "saxpy_f32") &&
        run(cpu, build_saxpy(context), "saxpy");
    if (!right) std::printf("wrong\n");
    return right ? 0 : 1;
  } catch (const tessera::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}

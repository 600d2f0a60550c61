/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by scripts/gen-builder from the operation table (src/ir/ops.def): do not edit.
 *
 * Members of tessera::builder (tessera.hpp), one for every operation. What an operation
 * needs comes by position; what may be left out lies in the struct that C has for it:
 *   b.addf(x, y, {.rounding_mode = TSR_ROUND_ZERO})        // C++20
 * No header of its own: tessera.hpp includes it inside of the class.
 */
/* clang-format off */

  /* Gives the address of a global.
   *   result = &@name[0] */
  value get_global(const char *name, tsr_type type, place at = {}) {
    tsr_get_global_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.name = name, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "get_global", &more)};
  }

  /* Makes the sequence 0, 1, 2, …
   *   result[i] = i */
  value iota(tsr_type type, place at = {}) {
    tsr_iota_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "iota", &more)};
  }

  /* Gives the position of this tile block in the grid.
   *   (x, y, z), each from 0 to the grid's extent - 1 */
  value get_tile_block_id(place at = {}) {
    tsr_get_tile_block_id_args more = {};
    more.size_ = sizeof more, more.b = handle();
    return {*this, tsr_build_value_at(at.file, at.line, "get_tile_block_id", &more)};
  }

  /* Gives the extents of the grid.
   *   (x, y, z) of the launch; extents left out are 1 */
  value get_num_tile_blocks(place at = {}) {
    tsr_get_num_tile_blocks_args more = {};
    more.size_ = sizeof more, more.b = handle();
    return {*this, tsr_build_value_at(at.file, at.line, "get_num_tile_blocks", &more)};
  }

  /* Repeats a tile along its dimensions of size 1.
   *   result[i] = source[i where the source is larger than 1, else 0] */
  value broadcast(tsr_value source, tsr_type type, place at = {}) {
    tsr_broadcast_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "broadcast", &more)};
  }

  /* Gives a tile another shape; row-major order is kept.
   *   flat(result)[i] = flat(source)[i] */
  value reshape(tsr_value source, tsr_type type, place at = {}) {
    tsr_reshape_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "reshape", &more)};
  }

  /* Reorders the dimensions of a tile.
   *   result[i] = source[j], j[permutation[d]] = i[d] */
  value permute(tsr_value source, const int_list &permutation, tsr_type type, place at = {}) {
    tsr_permute_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.permutation = permutation, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "permute", &more)};
  }

  /* Joins two tiles along one dimension.
   *   result = lhs, then rhs, along dim */
  value cat(tsr_value lhs, tsr_value rhs, int64_t dim, tsr_type type, place at = {}) {
    tsr_cat_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.dim = dim, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "cat", &more)};
  }

  /* Takes one of the equal slices that a tile divides into.
   *   result[i] = source[indices * shape(result) + i] */
  value extract(tsr_value source, const value_list &indices, tsr_type type, place at = {}) {
    tsr_extract_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.indices = indices, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "extract", &more)};
  }

  /* Replaces one of the equal slices that a tile divides into.
   *   result[i] = i inside slice `indices` ? source[i - indices * shape(source)] : destination[i] */
  value insert(tsr_value source, tsr_value destination, const value_list &indices, place at = {}) {
    tsr_insert_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.destination = destination, more.indices = indices;
    return {*this, tsr_build_value_at(at.file, at.line, "insert", &more)};
  }

  /* Chooses between two tiles element by element.
   *   result[i] = cond[i] ? val_if_true[i] : val_if_false[i] */
  value select(tsr_value cond, tsr_value val_if_true, tsr_value val_if_false, place at = {}) {
    tsr_select_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.cond = cond, more.val_if_true = val_if_true, more.val_if_false = val_if_false;
    return {*this, tsr_build_value_at(at.file, at.line, "select", &more)};
  }

  /* Moves pointers by a number of elements.
   *   result[i] = ptr[i] + offset[i] * sizeof(pointee) */
  value offset(tsr_value ptr, tsr_value offset, place at = {}) {
    tsr_offset_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.ptr = ptr, more.offset = offset;
    return {*this, tsr_build_value_at(at.file, at.line, "offset", &more)};
  }

  /* Combines all elements along one dimension.
   *   result[.., ..] = fold(body, identity, operand[.., :, ..]) */
  operation reduce(const value_list &operands, int64_t dim, const scalar_list &identities, place at = {}) {
    tsr_reduce_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands, more.dim = dim, more.identities = identities;
    return {*this, tsr_build_args_at(at.file, at.line, "reduce", &more)};
  }

  /* Combines each element with all before it along one dimension.
   *   result[.., i, ..] = fold(body, identity, operand[.., 0..i, ..]) */
  operation scan(const value_list &operands, int64_t dim, tsr_flag reverse, const scalar_list &identities, place at = {}) {
    tsr_scan_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands, more.dim = dim, more.reverse = reverse, more.identities = identities;
    return {*this, tsr_build_args_at(at.file, at.line, "scan", &more)};
  }

  /* Lays the elements of a tile out as bytes.
   *   bytes of result = memory image of source */
  value pack(tsr_value source, tsr_type type, place at = {}) {
    tsr_pack_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "pack", &more)};
  }

  /* Reads elements from a tile of bytes.
   *   memory image of result = bytes of source */
  value unpack(tsr_value source, tsr_type type, place at = {}) {
    tsr_unpack_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "unpack", &more)};
  }

  /* Reads the same bits as another element type.
   *   bits(result[i]) = bits(source[i]) */
  value bitcast(tsr_value source, tsr_type type, place at = {}) {
    tsr_bitcast_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "bitcast", &more)};
  }

  /* Widens integers.
   *   result[i] = sign- or zero-extended from[i] */
  value exti(tsr_value from, tsr_signedness signedness, tsr_type type, place at = {}) {
    tsr_exti_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.from = from, more.signedness = signedness, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "exti", &more)};
  }

  /* Narrows integers.
   *   result[i] = low bits of from[i] */
  value trunci(tsr_value from, tsr_type type, tsr_trunci_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.from = from, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "trunci", &more)};
  }

  /* Converts between floating-point types.
   *   result[i] = round(from[i]) */
  value ftof(tsr_value from, tsr_type type, tsr_ftof_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.from = from, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "ftof", &more)};
  }

  /* Converts floating-point numbers to integers.
   *   result[i] = trunc(from[i]) */
  value ftoi(tsr_value from, tsr_signedness signedness, tsr_type type, tsr_ftoi_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.from = from, more.signedness = signedness, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "ftoi", &more)};
  }

  /* Converts integers to floating-point numbers.
   *   result[i] = round(from[i]) */
  value itof(tsr_value from, tsr_signedness signedness, tsr_type type, tsr_itof_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.from = from, more.signedness = signedness, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "itof", &more)};
  }

  /* Takes integers as addresses.
   *   result[i] = (pointer)source[i] */
  value int_to_ptr(tsr_value source, tsr_type type, place at = {}) {
    tsr_int_to_ptr_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "int_to_ptr", &more)};
  }

  /* Takes addresses as integers.
   *   result[i] = (integer)source[i] */
  value ptr_to_int(tsr_value source, tsr_type type, place at = {}) {
    tsr_ptr_to_int_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "ptr_to_int", &more)};
  }

  /* Changes what pointers point to.
   *   result[i] = source[i] */
  value ptr_to_ptr(tsr_value source, tsr_type type, place at = {}) {
    tsr_ptr_to_ptr_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "ptr_to_ptr", &more)};
  }

  /* Stops the kernel with a message when a condition is false.
   *   if any condition[i] is false: report message */
  operation assert_(tsr_value condition, const char *message, place at = {}) {
    tsr_assert_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.condition = condition, more.message = message;
    return {*this, tsr_build_args_at(at.file, at.line, "assert", &more)};
  }

  /* Leaves the enclosing loop with its results.
   *   results of loop = operands */
  operation break_(const value_list &operands, place at = {}) {
    tsr_break_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands;
    return {*this, tsr_build_args_at(at.file, at.line, "break", &more)};
  }

  /* Starts the next iteration of the enclosing for or loop.
   *   iteration values = operands */
  operation continue_(const value_list &operands, place at = {}) {
    tsr_continue_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands;
    return {*this, tsr_build_args_at(at.file, at.line, "continue", &more)};
  }

  /* Repeats its body over a range of integers.
   *   for (i = lowerBound; i < upperBound; i += step) body */
  operation for_(tsr_value lowerBound, tsr_value upperBound, tsr_value step, const value_list &initValues, tsr_for_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lowerBound = lowerBound, more.upperBound = upperBound, more.step = step, more.initValues = initValues;
    return {*this, tsr_build_args_at(at.file, at.line, "for", &more)};
  }

  /* Executes one of two regions.
   *   condition ? thenRegion : elseRegion */
  operation if_(tsr_value condition, const type_list &types = {}, place at = {}) {
    tsr_if_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.condition = condition, more.types = types;
    return {*this, tsr_build_args_at(at.file, at.line, "if", &more)};
  }

  /* Repeats its body until a break.
   *   while (true) body */
  operation loop_(const value_list &initValues, const type_list &types = {}, place at = {}) {
    tsr_loop_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.initValues = initValues, more.types = types;
    return {*this, tsr_build_args_at(at.file, at.line, "loop", &more)};
  }

  /* Ends the kernel for this tile block.
   *   return */
  operation return_(const value_list &operands, place at = {}) {
    tsr_return_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands;
    return {*this, tsr_build_args_at(at.file, at.line, "return", &more)};
  }

  /* Gives the results of the enclosing if, reduce or scan body.
   *   results = operands */
  operation yield_(const value_list &operands, place at = {}) {
    tsr_yield_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.operands = operands;
    return {*this, tsr_build_args_at(at.file, at.line, "yield", &more)};
  }

  /* Loads the elements that a tile of pointers points to.
   *   result[i] = mask[i] ? *source[i] : paddingValue[i] */
  value load_ptr_tko(tsr_value source, tsr_memory_ordering memory_ordering_semantics, tsr_load_ptr_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.memory_ordering_semantics = memory_ordering_semantics;
    return {*this, tsr_build_value_at(at.file, at.line, "load_ptr_tko", &more)};
  }

  /* Stores a tile through a tile of pointers.
   *   if mask[i]: *destination[i] = value[i] */
  value store_ptr_tko(tsr_value destination, tsr_value value, tsr_memory_ordering memory_ordering_semantics, tsr_store_ptr_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.destination = destination, more.value = value, more.memory_ordering_semantics = memory_ordering_semantics;
    return {*this, tsr_build_value_at(at.file, at.line, "store_ptr_tko", &more)};
  }

  /* Makes a token that depends on nothing.
   *   a fresh token */
  value make_token(place at = {}) {
    tsr_make_token_args more = {};
    more.size_ = sizeof more, more.b = handle();
    return {*this, tsr_build_value_at(at.file, at.line, "make_token", &more)};
  }

  /* Makes a token that depends on several.
   *   result comes after all tokens */
  value join_tokens(const value_list &tokens, place at = {}) {
    tsr_join_tokens_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.tokens = tokens;
    return {*this, tsr_build_value_at(at.file, at.line, "join_tokens", &more)};
  }

  /* Lets kernels that depend on this one be scheduled before it ends.
   *   this block allows dependent kernels to start */
  value gdc_launch_dependents_tko(tsr_gdc_launch_dependents_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    return {*this, tsr_build_value_at(at.file, at.line, "gdc_launch_dependents_tko", &more)};
  }

  /* Waits for the kernels that this one depends on.
   *   all that preceding kernels have written is visible behind it */
  value gdc_wait_tko(tsr_gdc_wait_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    return {*this, tsr_build_value_at(at.file, at.line, "gdc_wait_tko", &more)};
  }

  /* Orders accesses to the same memory through different addresses.
   *   accesses before it are complete for those behind it, whatever address they used */
  value memory_fence_alias_tko(tsr_value token, place at = {}) {
    tsr_memory_fence_alias_tko_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.token = token;
    return {*this, tsr_build_value_at(at.file, at.line, "memory_fence_alias_tko", &more)};
  }

  /* Allocates memory for as long as the enclosing scope runs.
   *   result = address of num_elem fresh elements */
  value alloca_(int64_t num_elem, int64_t alignment, tsr_type type, tsr_alloca_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.num_elem = num_elem, more.alignment = alignment, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "alloca", &more)};
  }

  /* Absolute value.
   *   result[i] = |source[i]| */
  value absf(tsr_value source, place at = {}) {
    tsr_absf_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "absf", &more)};
  }

  /* Negation: flips the sign.
   *   result[i] = -source[i] */
  value negf(tsr_value source, place at = {}) {
    tsr_negf_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "negf", &more)};
  }

  /* Rounds up to an integer.
   *   result[i] = ceil(source[i]) */
  value ceil(tsr_value source, place at = {}) {
    tsr_ceil_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "ceil", &more)};
  }

  /* Rounds down to an integer.
   *   result[i] = floor(source[i]) */
  value floor(tsr_value source, place at = {}) {
    tsr_floor_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "floor", &more)};
  }

  /* Adds.
   *   result[i] = round(lhs[i] + rhs[i]) */
  value addf(tsr_value lhs, tsr_value rhs, tsr_addf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "addf", &more)};
  }

  /* Subtracts.
   *   result[i] = round(lhs[i] - rhs[i]) */
  value subf(tsr_value lhs, tsr_value rhs, tsr_subf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "subf", &more)};
  }

  /* Multiplies.
   *   result[i] = round(lhs[i] * rhs[i]) */
  value mulf(tsr_value lhs, tsr_value rhs, tsr_mulf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "mulf", &more)};
  }

  /* Divides.
   *   result[i] = round(lhs[i] / rhs[i]) */
  value divf(tsr_value lhs, tsr_value rhs, tsr_divf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "divf", &more)};
  }

  /* Remainder of the division truncated towards zero.
   *   result[i] = fmod(lhs[i], rhs[i]), exact */
  value remf(tsr_value lhs, tsr_value rhs, place at = {}) {
    tsr_remf_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "remf", &more)};
  }

  /* Multiplies and adds with one rounding.
   *   result[i] = round(lhs[i] * rhs[i] + acc[i]) */
  value fma(tsr_value lhs, tsr_value rhs, tsr_value acc, tsr_fma_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.acc = acc;
    return {*this, tsr_build_value_at(at.file, at.line, "fma", &more)};
  }

  /* Maximum.
   *   result[i] = max(lhs[i], rhs[i]) */
  value maxf(tsr_value lhs, tsr_value rhs, tsr_maxf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "maxf", &more)};
  }

  /* Minimum.
   *   result[i] = min(lhs[i], rhs[i]) */
  value minf(tsr_value lhs, tsr_value rhs, tsr_minf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "minf", &more)};
  }

  /* Compares floating-point numbers.
   *   result[i] = lhs[i] ? rhs[i] */
  value cmpf(tsr_value lhs, tsr_value rhs, tsr_comparison comparison_predicate, tsr_comparison_ordering comparison_ordering, place at = {}) {
    tsr_cmpf_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.comparison_predicate = comparison_predicate, more.comparison_ordering = comparison_ordering;
    return {*this, tsr_build_value_at(at.file, at.line, "cmpf", &more)};
  }

  /* Square root.
   *   result[i] = round(sqrt(source[i])) */
  value sqrt(tsr_value source, tsr_sqrt_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "sqrt", &more)};
  }

  /* Reciprocal square root.
   *   result[i] = 1 / sqrt(source[i]) */
  value rsqrt(tsr_value source, tsr_rsqrt_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "rsqrt", &more)};
  }

  /* Exponential.
   *   result[i] = e ** source[i] */
  value exp(tsr_value source, tsr_exp_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "exp", &more)};
  }

  /* Power of two.
   *   result[i] = 2 ** source[i] */
  value exp2(tsr_value source, tsr_exp2_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "exp2", &more)};
  }

  /* Natural logarithm.
   *   result[i] = ln(source[i]) */
  value log(tsr_value source, place at = {}) {
    tsr_log_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "log", &more)};
  }

  /* Binary logarithm.
   *   result[i] = log2(source[i]) */
  value log2(tsr_value source, place at = {}) {
    tsr_log2_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "log2", &more)};
  }

  /* Raises to a power.
   *   result[i] = source[i] ** exponent[i] */
  value pow(tsr_value source, tsr_value exponent, place at = {}) {
    tsr_pow_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.exponent = exponent;
    return {*this, tsr_build_value_at(at.file, at.line, "pow", &more)};
  }

  /* Raises to an integer power.
   *   result[i] = source[i] ** exponent[i] */
  value fpowi(tsr_value source, tsr_value exponent, place at = {}) {
    tsr_fpowi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source, more.exponent = exponent;
    return {*this, tsr_build_value_at(at.file, at.line, "fpowi", &more)};
  }

  /* Sine.
   *   result[i] = sin(source[i]) */
  value sin(tsr_value source, place at = {}) {
    tsr_sin_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "sin", &more)};
  }

  /* Cosine.
   *   result[i] = cos(source[i]) */
  value cos(tsr_value source, place at = {}) {
    tsr_cos_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "cos", &more)};
  }

  /* Tangent.
   *   result[i] = tan(source[i]) */
  value tan(tsr_value source, place at = {}) {
    tsr_tan_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "tan", &more)};
  }

  /* Hyperbolic sine.
   *   result[i] = sinh(source[i]) */
  value sinh(tsr_value source, place at = {}) {
    tsr_sinh_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "sinh", &more)};
  }

  /* Hyperbolic cosine.
   *   result[i] = cosh(source[i]) */
  value cosh(tsr_value source, place at = {}) {
    tsr_cosh_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "cosh", &more)};
  }

  /* Hyperbolic tangent.
   *   result[i] = tanh(source[i]) */
  value tanh(tsr_value source, tsr_tanh_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "tanh", &more)};
  }

  /* Angle of the point (y, x).
   *   result[i] = atan2(x[i], y[i]) */
  value atan2(tsr_value x, tsr_value y, place at = {}) {
    tsr_atan2_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.x = x, more.y = y;
    return {*this, tsr_build_value_at(at.file, at.line, "atan2", &more)};
  }

  /* Multiplies two matrices and adds a third.
   *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * rhs[k, j] */
  value mmaf(tsr_value lhs, tsr_value rhs, tsr_value acc, tsr_mmaf_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.acc = acc;
    return {*this, tsr_build_value_at(at.file, at.line, "mmaf", &more)};
  }

  /* Multiplies two matrices whose blocks along k carry a scale, and adds a third.
   *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * lhs_scale[i, k / b] * rhs[k, j] * rhs_scale[k / b, j] */
  value mmaf_scaled(tsr_value lhs, tsr_value rhs, tsr_value acc, tsr_value lhs_scale, tsr_value rhs_scale, place at = {}) {
    tsr_mmaf_scaled_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.acc = acc, more.lhs_scale = lhs_scale, more.rhs_scale = rhs_scale;
    return {*this, tsr_build_value_at(at.file, at.line, "mmaf_scaled", &more)};
  }

  /* Absolute value of signed integers.
   *   result[i] = |source[i]|, unsigned */
  value absi(tsr_value source, place at = {}) {
    tsr_absi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "absi", &more)};
  }

  /* Negation.
   *   result[i] = -source[i] */
  value negi(tsr_value source, tsr_negi_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.source = source;
    return {*this, tsr_build_value_at(at.file, at.line, "negi", &more)};
  }

  /* Adds, modulo the type's width.
   *   result[i] = lhs[i] + rhs[i] */
  value addi(tsr_value lhs, tsr_value rhs, tsr_addi_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "addi", &more)};
  }

  /* Subtracts, modulo the type's width.
   *   result[i] = lhs[i] - rhs[i] */
  value subi(tsr_value lhs, tsr_value rhs, tsr_subi_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "subi", &more)};
  }

  /* Multiplies, modulo the type's width.
   *   result[i] = lhs[i] * rhs[i] */
  value muli(tsr_value lhs, tsr_value rhs, tsr_muli_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "muli", &more)};
  }

  /* High half of the unsigned product.
   *   result[i] = (x[i] * y[i]) >> width */
  value mulhii(tsr_value x, tsr_value y, place at = {}) {
    tsr_mulhii_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.x = x, more.y = y;
    return {*this, tsr_build_value_at(at.file, at.line, "mulhii", &more)};
  }

  /* Divides.
   *   result[i] = round(lhs[i] / rhs[i]) */
  value divi(tsr_value lhs, tsr_value rhs, tsr_signedness signedness, tsr_divi_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "divi", &more)};
  }

  /* Remainder of the division truncated towards zero.
   *   result[i] = lhs[i] - trunc(lhs[i] / rhs[i]) * rhs[i] */
  value remi(tsr_value lhs, tsr_value rhs, tsr_signedness signedness, place at = {}) {
    tsr_remi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "remi", &more)};
  }

  /* Maximum.
   *   result[i] = max(lhs[i], rhs[i]) */
  value maxi(tsr_value lhs, tsr_value rhs, tsr_signedness signedness, place at = {}) {
    tsr_maxi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "maxi", &more)};
  }

  /* Minimum.
   *   result[i] = min(lhs[i], rhs[i]) */
  value mini(tsr_value lhs, tsr_value rhs, tsr_signedness signedness, place at = {}) {
    tsr_mini_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "mini", &more)};
  }

  /* Compares integers.
   *   result[i] = lhs[i] ? rhs[i] */
  value cmpi(tsr_value lhs, tsr_value rhs, tsr_comparison comparison_predicate, tsr_signedness signedness, place at = {}) {
    tsr_cmpi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.comparison_predicate = comparison_predicate, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "cmpi", &more)};
  }

  /* Shifts left.
   *   result[i] = lhs[i] << rhs[i] */
  value shli(tsr_value lhs, tsr_value rhs, tsr_shli_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "shli", &more)};
  }

  /* Shifts right, filling with zeros or the sign.
   *   result[i] = lhs[i] >> rhs[i] */
  value shri(tsr_value lhs, tsr_value rhs, tsr_signedness signedness, place at = {}) {
    tsr_shri_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.signedness = signedness;
    return {*this, tsr_build_value_at(at.file, at.line, "shri", &more)};
  }

  /* Multiplies two matrices of bytes and adds a third of i32.
   *   result[i, j] = acc[i, j] + sum over k of lhs[i, k] * rhs[k, j] */
  value mmai(tsr_value lhs, tsr_value rhs, tsr_value acc, tsr_signedness signedness_lhs, tsr_signedness signedness_rhs, place at = {}) {
    tsr_mmai_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs, more.acc = acc, more.signedness_lhs = signedness_lhs, more.signedness_rhs = signedness_rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "mmai", &more)};
  }

  /* Bitwise and.
   *   result[i] = lhs[i] & rhs[i] */
  value andi(tsr_value lhs, tsr_value rhs, place at = {}) {
    tsr_andi_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "andi", &more)};
  }

  /* Bitwise or.
   *   result[i] = lhs[i] | rhs[i] */
  value ori(tsr_value lhs, tsr_value rhs, place at = {}) {
    tsr_ori_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "ori", &more)};
  }

  /* Bitwise exclusive or.
   *   result[i] = lhs[i] ^ rhs[i] */
  value xori(tsr_value lhs, tsr_value rhs, place at = {}) {
    tsr_xori_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.lhs = lhs, more.rhs = rhs;
    return {*this, tsr_build_value_at(at.file, at.line, "xori", &more)};
  }

  /* Compares and swaps, atomically for each element.
   *   result[i] = *pointers[i]; if result[i] == cmp[i]: *pointers[i] = val[i] */
  value atomic_cas_tko(tsr_value pointers, tsr_value cmp, tsr_value val, tsr_memory_ordering memory_ordering_semantics, tsr_memory_scope memory_scope, tsr_atomic_cas_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.pointers = pointers, more.cmp = cmp, more.val = val, more.memory_ordering_semantics = memory_ordering_semantics, more.memory_scope = memory_scope;
    return {*this, tsr_build_value_at(at.file, at.line, "atomic_cas_tko", &more)};
  }

  /* Updates memory atomically, element by element.
   *   result[i] = *pointers[i]; *pointers[i] = mode(result[i], arg[i]) */
  value atomic_rmw_tko(tsr_value pointers, tsr_value arg, tsr_memory_ordering memory_ordering_semantics, tsr_memory_scope memory_scope, tsr_rmw mode, tsr_atomic_rmw_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.pointers = pointers, more.arg = arg, more.memory_ordering_semantics = memory_ordering_semantics, more.memory_scope = memory_scope, more.mode = mode;
    return {*this, tsr_build_value_at(at.file, at.line, "atomic_rmw_tko", &more)};
  }

  /* Updates a tile of a view atomically.
   *   view[index][i] = mode(view[index][i], value[i]) */
  value atomic_red_view_tko(tsr_value view, const value_list &index, tsr_value value, tsr_memory_ordering memory_ordering_semantics, tsr_memory_scope memory_scope, tsr_rmw mode, const int_list &inbounds = {}, tsr_atomic_red_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.view = view, more.index = index, more.value = value, more.memory_ordering_semantics = memory_ordering_semantics, more.memory_scope = memory_scope, more.mode = mode, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "atomic_red_view_tko", &more)};
  }

  /* Updates a tile of a view atomically in every device's copy of memory.
   *   view[index][i] = reduction(view[index][i], tile[i]), in all copies */
  value multimem_reduce_view_tko(tsr_value view, tsr_value tile, const value_list &index, tsr_memory_ordering memory_ordering_semantics, tsr_memory_scope memory_scope, tsr_multimem_reduction reduction, const int_list &inbounds = {}, tsr_multimem_reduce_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.view = view, more.tile = tile, more.index = index, more.memory_ordering_semantics = memory_ordering_semantics, more.memory_scope = memory_scope, more.reduction = reduction, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "multimem_reduce_view_tko", &more)};
  }

  /* Gives memory a shape and strides.
   *   view[i0, i1, ..] = *(base + i0 * strides[0] + i1 * strides[1] + ..) */
  value make_tensor_view(tsr_value base, tsr_type type, const value_list &dynamicShape = {}, const value_list &dynamicStrides = {}, place at = {}) {
    tsr_make_tensor_view_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.base = base, more.type = type, more.dynamicShape = dynamicShape, more.dynamicStrides = dynamicStrides;
    return {*this, tsr_build_value_at(at.file, at.line, "make_tensor_view", &more)};
  }

  /* Cuts a tensor view into a grid of tiles.
   *   tile[index][i] = view[index * tile shape + i] */
  value make_partition_view(tsr_value tensor_view, tsr_type type, place at = {}) {
    tsr_make_partition_view_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.tensor_view = tensor_view, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "make_partition_view", &more)};
  }

  /* Lays tiles over a tensor view at given distances, overlapping or with gaps.
   *   tile[index][i] = view[index * traversal strides + i] */
  value make_strided_view(tsr_value tensor_view, tsr_type type, place at = {}) {
    tsr_make_strided_view_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.tensor_view = tensor_view, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "make_strided_view", &more)};
  }

  /* Lets tiles be gathered from a tensor view along one dimension.
   *   tile[index][i] = view[.., index[sparse_dim][i], ..] */
  value make_gather_scatter_view(tsr_value tensor_view, tsr_type type, place at = {}) {
    tsr_make_gather_scatter_view_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.tensor_view = tensor_view, more.type = type;
    return {*this, tsr_build_value_at(at.file, at.line, "make_gather_scatter_view", &more)};
  }

  /* Gives the extents of a tensor view.
   *   result[d] = extent of dimension d */
  operation get_tensor_shape(tsr_value src, tsr_get_tensor_shape_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.src = src;
    return {*this, tsr_build_args_at(at.file, at.line, "get_tensor_shape", &more)};
  }

  /* Gives how many tiles a view has.
   *   result[d] = ceil(extent / distance between tiles) */
  operation get_index_space_shape(tsr_value src, tsr_get_index_space_shape_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.src = src;
    return {*this, tsr_build_args_at(at.file, at.line, "get_index_space_shape", &more)};
  }

  /* Loads one tile of a view.
   *   result = view[index], with padding outside */
  value load_view_tko(tsr_value view, const value_list &index, tsr_memory_ordering memory_ordering_semantics, const int_list &inbounds = {}, tsr_load_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.view = view, more.index = index, more.memory_ordering_semantics = memory_ordering_semantics, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "load_view_tko", &more)};
  }

  /* Stores a tile into a view.
   *   view[index] = tile */
  value store_view_tko(tsr_value tile, tsr_value view, const value_list &index, tsr_memory_ordering memory_ordering_semantics, const int_list &inbounds = {}, tsr_store_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.tile = tile, more.view = view, more.index = index, more.memory_ordering_semantics = memory_ordering_semantics, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "store_view_tko", &more)};
  }

  /* Loads one tile of a view from every device's copy of memory, combined.
   *   result[i] = reduction over all copies of view[index][i] */
  value multimem_load_reduce_view_tko(tsr_value view, const value_list &index, tsr_memory_ordering memory_ordering_semantics, tsr_multimem_reduction reduction, tsr_type type, const int_list &inbounds = {}, tsr_multimem_load_reduce_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.view = view, more.index = index, more.memory_ordering_semantics = memory_ordering_semantics, more.reduction = reduction, more.type = type, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "multimem_load_reduce_view_tko", &more)};
  }

  /* Stores a tile into a view in every device's copy of memory.
   *   view[index] = tile, in all copies */
  value multimem_store_view_tko(tsr_value view, tsr_value tile, const value_list &index, tsr_memory_ordering memory_ordering_semantics, const int_list &inbounds = {}, tsr_multimem_store_view_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.view = view, more.tile = tile, more.index = index, more.memory_ordering_semantics = memory_ordering_semantics, more.inbounds = inbounds;
    return {*this, tsr_build_value_at(at.file, at.line, "multimem_store_view_tko", &more)};
  }

  /* States a fact about a value that compilers may use.
   *   result = value */
  value assume(tsr_value value, const tsr_predicate *predicate, place at = {}) {
    tsr_assume_args more = {};
    more.size_ = sizeof more, more.b = handle();
    more.value = value, more.predicate = predicate;
    return {*this, tsr_build_value_at(at.file, at.line, "assume", &more)};
  }

  /* Prints a formatted line.
   *   printf(str, args) */
  value print_tko(const char *str, const value_list &args = {}, tsr_print_tko_args more = {}, place at = {}) {
    more.size_ = sizeof more, more.b = handle();
    more.str = str, more.args = args;
    return {*this, tsr_build_value_at(at.file, at.line, "print_tko", &more)};
  }

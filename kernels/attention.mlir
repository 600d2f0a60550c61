// Attention forward: O = softmax(scale * Q K^T) V for every head, without ever holding all scores.
//
//   Q, O: heads x tokens x width      K, V: heads / group x keys x width      all row-major
//
// `heads` counts those of all batch entries, `group` query heads share the keys and values of one
// (1: each has its own). With `causal`, query i sees the keys up to i + keys - tokens, so the last
// query sees all. The entry's name says the elements and the width. One tile block makes 64 rows of
// O; launch ceil(tokens / 64) x heads tile blocks.
//
// For each row: m, the largest score so far; l, the sum of exp(score - m); o, the sum of
// exp(score - m) * value. When m grows, l and o shrink accordingly.
!heads_f32_64 = !cuda_tile.tensor_view<?x?x64xf32, strides=[?,64,1]>
!in_f32_64 = !cuda_tile.partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x64xf32, strides=[?,64,1]>>
!out_f32_64 = !cuda_tile.partition_view<tile=(1x64x64), tensor_view<?x?x64xf32, strides=[?,64,1]>>
!heads_f32_128 = !cuda_tile.tensor_view<?x?x128xf32, strides=[?,128,1]>
!in_f32_128 = !cuda_tile.partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x128xf32, strides=[?,128,1]>>
!out_f32_128 = !cuda_tile.partition_view<tile=(1x64x128), tensor_view<?x?x128xf32, strides=[?,128,1]>>
!heads_bf16_64 = !cuda_tile.tensor_view<?x?x64xbf16, strides=[?,64,1]>
!in_bf16_64 = !cuda_tile.partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x64xbf16, strides=[?,64,1]>>
!out_bf16_64 = !cuda_tile.partition_view<tile=(1x64x64), tensor_view<?x?x64xbf16, strides=[?,64,1]>>
!heads_bf16_128 = !cuda_tile.tensor_view<?x?x128xbf16, strides=[?,128,1]>
!in_bf16_128 = !cuda_tile.partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x128xbf16, strides=[?,128,1]>>
!out_bf16_128 = !cuda_tile.partition_view<tile=(1x64x128), tensor_view<?x?x128xbf16, strides=[?,128,1]>>
cuda_tile.module @attention {
  entry @attention_f32_64(%Q: tile<ptr<f32>>, %K: tile<ptr<f32>>, %V: tile<ptr<f32>>, %O: tile<ptr<f32>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %i, %head, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %width = constant <i32: 64> : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_f32_64
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_f32_64
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_f32_64
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_f32_64
    %q_tiles = make_partition_view %q_view : !in_f32_64
    %k_tiles = make_partition_view %k_view : !in_f32_64
    %v_tiles = make_partition_view %v_view : !in_f32_64
    %o_tiles = make_partition_view %o_view : !out_f32_64
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !in_f32_64, tile<i32> -> tile<1x64x64xf32>, token
    %q = reshape %q_3 : tile<1x64x64xf32> -> tile<64x64xf32>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<64xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<64xi32>
    %seen = addi %first_seen_all, %lane : tile<64xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<64xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<64xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<64xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<64xi1>, tile<64xi32>
    %limit_1 = reshape %limit : tile<64xi32> -> tile<64x1xi32>
    %limit_all = broadcast %limit_1 : tile<64x1xi32> -> tile<64x64xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %size : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %size signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<64x64xf32>
    %no_score = constant <f32: 0xFF800000> : tile<64x64xf32>
    %no_scores = constant <f32: 0.0> : tile<64x64xf32>
    %lowest = constant <f32: -1.0e30> : tile<64xf32>
    %no_sum = constant <f32: 0.0> : tile<64xf32>
    %no_output = constant <f32: 0.0> : tile<64x64xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<64xf32>, tile<64xf32>, tile<64x64xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !in_f32_64, tile<i32> -> tile<1x64x64xf32>, token
      %k = reshape %k_3 : tile<1x64x64xf32> -> tile<64x64xf32>
      %k_t = permute %k [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
      %products = mmaf %q, %k_t, %no_scores : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      %scores = mulf %products, %scale_all : tile<64x64xf32>
      %key = muli %j, %size : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<64xi32>
      %key_row = addi %key_all, %lane : tile<64xi32>
      %key_row_1 = reshape %key_row : tile<64xi32> -> tile<1x64xi32>
      %key_of = broadcast %key_row_1 : tile<1x64xi32> -> tile<64x64xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<64x64xi32> -> tile<64x64xi1>
      %s = select %visible, %scores, %no_score : tile<64x64xi1>, tile<64x64xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<64xf32>
      %m_1 = reshape %m_next : tile<64xf32> -> tile<64x1xf32>
      %m_all = broadcast %m_1 : tile<64x1xf32> -> tile<64x64xf32>
      %shifted = subf %s, %m_all : tile<64x64xf32>
      %p = exp2 %shifted : tile<64x64xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = subf %m, %m_next : tile<64xf32>
      %shrink = exp2 %fall : tile<64xf32>
      %l_next = fma %l, %shrink, %row : tile<64xf32>
      %shrink_1 = reshape %shrink : tile<64xf32> -> tile<64x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<64x1xf32> -> tile<64x64xf32>
      %o_kept = mulf %o, %shrink_all : tile<64x64xf32>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !in_f32_64, tile<i32> -> tile<1x64x64xf32>, token
      %v = reshape %v_3 : tile<1x64x64xf32> -> tile<64x64xf32>
      %o_next = mmaf %p, %v, %o_kept : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %m_next, %l_next, %o_next : tile<64xf32>, tile<64xf32>, tile<64x64xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<64xf32>
    %unit = constant <f32: 1.0> : tile<64xf32>
    %total = maxf %sum, %least : tile<64xf32>
    %share = divf %unit, %total : tile<64xf32>
    %share_1 = reshape %share : tile<64xf32> -> tile<64x1xf32>
    %share_all = broadcast %share_1 : tile<64x1xf32> -> tile<64x64xf32>
    %result = mulf %acc, %share_all : tile<64x64xf32>
    %result_3 = reshape %result : tile<64x64xf32> -> tile<1x64x64xf32>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x64x64xf32>, !out_f32_64, tile<i32> -> token
  }

  entry @attention_f32_128(%Q: tile<ptr<f32>>, %K: tile<ptr<f32>>, %V: tile<ptr<f32>>, %O: tile<ptr<f32>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %i, %head, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %width = constant <i32: 128> : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_f32_128
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_f32_128
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_f32_128
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_f32_128
    %q_tiles = make_partition_view %q_view : !in_f32_128
    %k_tiles = make_partition_view %k_view : !in_f32_128
    %v_tiles = make_partition_view %v_view : !in_f32_128
    %o_tiles = make_partition_view %o_view : !out_f32_128
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !in_f32_128, tile<i32> -> tile<1x64x128xf32>, token
    %q = reshape %q_3 : tile<1x64x128xf32> -> tile<64x128xf32>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<64xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<64xi32>
    %seen = addi %first_seen_all, %lane : tile<64xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<64xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<64xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<64xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<64xi1>, tile<64xi32>
    %limit_1 = reshape %limit : tile<64xi32> -> tile<64x1xi32>
    %limit_all = broadcast %limit_1 : tile<64x1xi32> -> tile<64x64xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %size : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %size signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<64x64xf32>
    %no_score = constant <f32: 0xFF800000> : tile<64x64xf32>
    %no_scores = constant <f32: 0.0> : tile<64x64xf32>
    %lowest = constant <f32: -1.0e30> : tile<64xf32>
    %no_sum = constant <f32: 0.0> : tile<64xf32>
    %no_output = constant <f32: 0.0> : tile<64x128xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<64xf32>, tile<64xf32>, tile<64x128xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !in_f32_128, tile<i32> -> tile<1x64x128xf32>, token
      %k = reshape %k_3 : tile<1x64x128xf32> -> tile<64x128xf32>
      %k_t = permute %k [1, 0] : tile<64x128xf32> -> tile<128x64xf32>
      %products = mmaf %q, %k_t, %no_scores : tile<64x128xf32>, tile<128x64xf32>, tile<64x64xf32>
      %scores = mulf %products, %scale_all : tile<64x64xf32>
      %key = muli %j, %size : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<64xi32>
      %key_row = addi %key_all, %lane : tile<64xi32>
      %key_row_1 = reshape %key_row : tile<64xi32> -> tile<1x64xi32>
      %key_of = broadcast %key_row_1 : tile<1x64xi32> -> tile<64x64xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<64x64xi32> -> tile<64x64xi1>
      %s = select %visible, %scores, %no_score : tile<64x64xi1>, tile<64x64xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<64xf32>
      %m_1 = reshape %m_next : tile<64xf32> -> tile<64x1xf32>
      %m_all = broadcast %m_1 : tile<64x1xf32> -> tile<64x64xf32>
      %shifted = subf %s, %m_all : tile<64x64xf32>
      %p = exp2 %shifted : tile<64x64xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = subf %m, %m_next : tile<64xf32>
      %shrink = exp2 %fall : tile<64xf32>
      %l_next = fma %l, %shrink, %row : tile<64xf32>
      %shrink_1 = reshape %shrink : tile<64xf32> -> tile<64x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<64x1xf32> -> tile<64x128xf32>
      %o_kept = mulf %o, %shrink_all : tile<64x128xf32>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !in_f32_128, tile<i32> -> tile<1x64x128xf32>, token
      %v = reshape %v_3 : tile<1x64x128xf32> -> tile<64x128xf32>
      %o_next = mmaf %p, %v, %o_kept : tile<64x64xf32>, tile<64x128xf32>, tile<64x128xf32>
      continue %m_next, %l_next, %o_next : tile<64xf32>, tile<64xf32>, tile<64x128xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<64xf32>
    %unit = constant <f32: 1.0> : tile<64xf32>
    %total = maxf %sum, %least : tile<64xf32>
    %share = divf %unit, %total : tile<64xf32>
    %share_1 = reshape %share : tile<64xf32> -> tile<64x1xf32>
    %share_all = broadcast %share_1 : tile<64x1xf32> -> tile<64x128xf32>
    %result = mulf %acc, %share_all : tile<64x128xf32>
    %result_3 = reshape %result : tile<64x128xf32> -> tile<1x64x128xf32>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x64x128xf32>, !out_f32_128, tile<i32> -> token
  }

  entry @attention_bf16_64(%Q: tile<ptr<bf16>>, %K: tile<ptr<bf16>>, %V: tile<ptr<bf16>>, %O: tile<ptr<bf16>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %i, %head, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %width = constant <i32: 64> : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_bf16_64
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_bf16_64
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_bf16_64
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_bf16_64
    %q_tiles = make_partition_view %q_view : !in_bf16_64
    %k_tiles = make_partition_view %k_view : !in_bf16_64
    %v_tiles = make_partition_view %v_view : !in_bf16_64
    %o_tiles = make_partition_view %o_view : !out_bf16_64
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !in_bf16_64, tile<i32> -> tile<1x64x64xbf16>, token
    %q = reshape %q_3 : tile<1x64x64xbf16> -> tile<64x64xbf16>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<64xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<64xi32>
    %seen = addi %first_seen_all, %lane : tile<64xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<64xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<64xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<64xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<64xi1>, tile<64xi32>
    %limit_1 = reshape %limit : tile<64xi32> -> tile<64x1xi32>
    %limit_all = broadcast %limit_1 : tile<64x1xi32> -> tile<64x64xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %size : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %size signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<64x64xf32>
    %no_score = constant <f32: 0xFF800000> : tile<64x64xf32>
    %no_scores = constant <f32: 0.0> : tile<64x64xf32>
    %lowest = constant <f32: -1.0e30> : tile<64xf32>
    %no_sum = constant <f32: 0.0> : tile<64xf32>
    %no_output = constant <f32: 0.0> : tile<64x64xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<64xf32>, tile<64xf32>, tile<64x64xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !in_bf16_64, tile<i32> -> tile<1x64x64xbf16>, token
      %k = reshape %k_3 : tile<1x64x64xbf16> -> tile<64x64xbf16>
      %k_t = permute %k [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
      %products = mmaf %q, %k_t, %no_scores : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
      %scores = mulf %products, %scale_all : tile<64x64xf32>
      %key = muli %j, %size : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<64xi32>
      %key_row = addi %key_all, %lane : tile<64xi32>
      %key_row_1 = reshape %key_row : tile<64xi32> -> tile<1x64xi32>
      %key_of = broadcast %key_row_1 : tile<1x64xi32> -> tile<64x64xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<64x64xi32> -> tile<64x64xi1>
      %s = select %visible, %scores, %no_score : tile<64x64xi1>, tile<64x64xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<64xf32>
      %m_1 = reshape %m_next : tile<64xf32> -> tile<64x1xf32>
      %m_all = broadcast %m_1 : tile<64x1xf32> -> tile<64x64xf32>
      %shifted = subf %s, %m_all : tile<64x64xf32>
      %p = exp2 %shifted : tile<64x64xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = subf %m, %m_next : tile<64xf32>
      %shrink = exp2 %fall : tile<64xf32>
      %l_next = fma %l, %shrink, %row : tile<64xf32>
      %shrink_1 = reshape %shrink : tile<64xf32> -> tile<64x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<64x1xf32> -> tile<64x64xf32>
      %o_kept = mulf %o, %shrink_all : tile<64x64xf32>
      %p_narrow = ftof %p : tile<64x64xf32> -> tile<64x64xbf16>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !in_bf16_64, tile<i32> -> tile<1x64x64xbf16>, token
      %v = reshape %v_3 : tile<1x64x64xbf16> -> tile<64x64xbf16>
      %o_next = mmaf %p_narrow, %v, %o_kept : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
      continue %m_next, %l_next, %o_next : tile<64xf32>, tile<64xf32>, tile<64x64xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<64xf32>
    %unit = constant <f32: 1.0> : tile<64xf32>
    %total = maxf %sum, %least : tile<64xf32>
    %share = divf %unit, %total : tile<64xf32>
    %share_1 = reshape %share : tile<64xf32> -> tile<64x1xf32>
    %share_all = broadcast %share_1 : tile<64x1xf32> -> tile<64x64xf32>
    %result = mulf %acc, %share_all : tile<64x64xf32>
    %narrow = ftof %result : tile<64x64xf32> -> tile<64x64xbf16>
    %result_3 = reshape %narrow : tile<64x64xbf16> -> tile<1x64x64xbf16>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x64x64xbf16>, !out_bf16_64, tile<i32> -> token
  }

  entry @attention_bf16_128(%Q: tile<ptr<bf16>>, %K: tile<ptr<bf16>>, %V: tile<ptr<bf16>>, %O: tile<ptr<bf16>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %i, %head, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %width = constant <i32: 128> : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_bf16_128
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_bf16_128
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_bf16_128
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_bf16_128
    %q_tiles = make_partition_view %q_view : !in_bf16_128
    %k_tiles = make_partition_view %k_view : !in_bf16_128
    %v_tiles = make_partition_view %v_view : !in_bf16_128
    %o_tiles = make_partition_view %o_view : !out_bf16_128
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !in_bf16_128, tile<i32> -> tile<1x64x128xbf16>, token
    %q = reshape %q_3 : tile<1x64x128xbf16> -> tile<64x128xbf16>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<64xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<64xi32>
    %seen = addi %first_seen_all, %lane : tile<64xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<64xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<64xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<64xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<64xi1>, tile<64xi32>
    %limit_1 = reshape %limit : tile<64xi32> -> tile<64x1xi32>
    %limit_all = broadcast %limit_1 : tile<64x1xi32> -> tile<64x64xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %size : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %size signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<64x64xf32>
    %no_score = constant <f32: 0xFF800000> : tile<64x64xf32>
    %no_scores = constant <f32: 0.0> : tile<64x64xf32>
    %lowest = constant <f32: -1.0e30> : tile<64xf32>
    %no_sum = constant <f32: 0.0> : tile<64xf32>
    %no_output = constant <f32: 0.0> : tile<64x128xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<64xf32>, tile<64xf32>, tile<64x128xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !in_bf16_128, tile<i32> -> tile<1x64x128xbf16>, token
      %k = reshape %k_3 : tile<1x64x128xbf16> -> tile<64x128xbf16>
      %k_t = permute %k [1, 0] : tile<64x128xbf16> -> tile<128x64xbf16>
      %products = mmaf %q, %k_t, %no_scores : tile<64x128xbf16>, tile<128x64xbf16>, tile<64x64xf32>
      %scores = mulf %products, %scale_all : tile<64x64xf32>
      %key = muli %j, %size : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<64xi32>
      %key_row = addi %key_all, %lane : tile<64xi32>
      %key_row_1 = reshape %key_row : tile<64xi32> -> tile<1x64xi32>
      %key_of = broadcast %key_row_1 : tile<1x64xi32> -> tile<64x64xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<64x64xi32> -> tile<64x64xi1>
      %s = select %visible, %scores, %no_score : tile<64x64xi1>, tile<64x64xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<64xf32>
      %m_1 = reshape %m_next : tile<64xf32> -> tile<64x1xf32>
      %m_all = broadcast %m_1 : tile<64x1xf32> -> tile<64x64xf32>
      %shifted = subf %s, %m_all : tile<64x64xf32>
      %p = exp2 %shifted : tile<64x64xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = subf %m, %m_next : tile<64xf32>
      %shrink = exp2 %fall : tile<64xf32>
      %l_next = fma %l, %shrink, %row : tile<64xf32>
      %shrink_1 = reshape %shrink : tile<64xf32> -> tile<64x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<64x1xf32> -> tile<64x128xf32>
      %o_kept = mulf %o, %shrink_all : tile<64x128xf32>
      %p_narrow = ftof %p : tile<64x64xf32> -> tile<64x64xbf16>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !in_bf16_128, tile<i32> -> tile<1x64x128xbf16>, token
      %v = reshape %v_3 : tile<1x64x128xbf16> -> tile<64x128xbf16>
      %o_next = mmaf %p_narrow, %v, %o_kept : tile<64x64xbf16>, tile<64x128xbf16>, tile<64x128xf32>
      continue %m_next, %l_next, %o_next : tile<64xf32>, tile<64xf32>, tile<64x128xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<64xf32>
    %unit = constant <f32: 1.0> : tile<64xf32>
    %total = maxf %sum, %least : tile<64xf32>
    %share = divf %unit, %total : tile<64xf32>
    %share_1 = reshape %share : tile<64xf32> -> tile<64x1xf32>
    %share_all = broadcast %share_1 : tile<64x1xf32> -> tile<64x128xf32>
    %result = mulf %acc, %share_all : tile<64x128xf32>
    %narrow = ftof %result : tile<64x128xf32> -> tile<64x128xbf16>
    %result_3 = reshape %narrow : tile<64x128xbf16> -> tile<1x64x128xbf16>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x64x128xbf16>, !out_bf16_128, tile<i32> -> token
  }
}

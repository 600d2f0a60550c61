// Attention forward as in attention.mlir, with tiles of 128 queries: for GPUs whose tensor cores want
// many rows at once. The entry's name says the elements, the width, and how many queries and keys make
// a tile. Arguments and results are the same, but `scale` must not be negative; launch
// ceil(tokens / 128) x heads tile blocks.
//
// The scale goes into the exponent, 2^(score * scale - m * scale), which is one multiply-add. Tile
// blocks along x begin with the last queries: with `causal` these see most keys, and what takes
// longest should not begin last.
!heads_64 = !cuda_tile.tensor_view<?x?x64xbf16, strides=[?,64,1]>
!queries_64 = !cuda_tile.partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x64xbf16, strides=[?,64,1]>>
!out_64 = !cuda_tile.partition_view<tile=(1x128x64), tensor_view<?x?x64xbf16, strides=[?,64,1]>>
!keys_64_128 = !cuda_tile.partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x64xbf16, strides=[?,64,1]>>
!heads_128 = !cuda_tile.tensor_view<?x?x128xbf16, strides=[?,128,1]>
!queries_128 = !cuda_tile.partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x128xbf16, strides=[?,128,1]>>
!out_128 = !cuda_tile.partition_view<tile=(1x128x128), tensor_view<?x?x128xbf16, strides=[?,128,1]>>
!keys_128_64 = !cuda_tile.partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x128xbf16, strides=[?,128,1]>>
!keys_128_128 = !cuda_tile.partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x128xbf16, strides=[?,128,1]>>
cuda_tile.module @attention_wide {
  entry @attention_bf16_64_128x128(%Q: tile<ptr<bf16>>, %K: tile<ptr<bf16>>, %V: tile<ptr<bf16>>, %O: tile<ptr<bf16>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %x, %head, %bz = get_tile_block_id : tile<i32>
    %blocks, %by, %nz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 128> : tile<i32>
    %step = constant <i32: 128> : tile<i32>
    %width = constant <i32: 64> : tile<i32>
    %last = subi %blocks, %one : tile<i32>
    %i = subi %last, %x : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_64
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_64
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 64], strides = [%k_step, 64, 1] : tile<i32> -> !heads_64
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 64], strides = [%q_step, 64, 1] : tile<i32> -> !heads_64
    %q_tiles = make_partition_view %q_view : !queries_64
    %k_tiles = make_partition_view %k_view : !keys_64_128
    %v_tiles = make_partition_view %v_view : !keys_64_128
    %o_tiles = make_partition_view %o_view : !out_64
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !queries_64, tile<i32> -> tile<1x128x64xbf16>, token
    %q = reshape %q_3 : tile<1x128x64xbf16> -> tile<128x64xbf16>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<128xi32>
    %place = iota : tile<128xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<128xi32>
    %seen = addi %first_seen_all, %lane : tile<128xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<128xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<128xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<128xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<128xi1>, tile<128xi32>
    %limit_1 = reshape %limit : tile<128xi32> -> tile<128x1xi32>
    %limit_all = broadcast %limit_1 : tile<128x1xi32> -> tile<128x128xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %step : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %step signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1xf32>
    %scale_rows = broadcast %scale_1 : tile<1xf32> -> tile<128xf32>
    %scale_11 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_11 : tile<1x1xf32> -> tile<128x128xf32>
    %no_score = constant <f32: 0xFF800000> : tile<128x128xf32>
    %no_scores = constant <f32: 0.0> : tile<128x128xf32>
    %lowest = constant <f32: -1.0e30> : tile<128xf32>
    %no_sum = constant <f32: 0.0> : tile<128xf32>
    %no_output = constant <f32: 0.0> : tile<128x64xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<128xf32>, tile<128xf32>, tile<128x64xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !keys_64_128, tile<i32> -> tile<1x128x64xbf16>, token
      %k = reshape %k_3 : tile<1x128x64xbf16> -> tile<128x64xbf16>
      %k_t = permute %k [1, 0] : tile<128x64xbf16> -> tile<64x128xbf16>
      %scores = mmaf %q, %k_t, %no_scores : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
      %key = muli %j, %step : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<128xi32>
      %key_row = addi %key_all, %place : tile<128xi32>
      %key_row_1 = reshape %key_row : tile<128xi32> -> tile<1x128xi32>
      %key_of = broadcast %key_row_1 : tile<1x128xi32> -> tile<128x128xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<128x128xi32> -> tile<128x128xi1>
      %s = select %visible, %scores, %no_score : tile<128x128xi1>, tile<128x128xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<128xf32>
      %m_scaled = mulf %m_next, %scale_rows : tile<128xf32>
      %m_below = negf %m_scaled : tile<128xf32>
      %m_1 = reshape %m_below : tile<128xf32> -> tile<128x1xf32>
      %m_all = broadcast %m_1 : tile<128x1xf32> -> tile<128x128xf32>
      %shifted = fma %s, %scale_all, %m_all : tile<128x128xf32>
      %p = exp2 %shifted flush_to_zero : tile<128x128xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<128x128xf32> -> tile<128xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = fma %m, %scale_rows, %m_below : tile<128xf32>
      %shrink = exp2 %fall flush_to_zero : tile<128xf32>
      %l_next = fma %l, %shrink, %row : tile<128xf32>
      %shrink_1 = reshape %shrink : tile<128xf32> -> tile<128x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<128x1xf32> -> tile<128x64xf32>
      %o_kept = mulf %o, %shrink_all : tile<128x64xf32>
      %p_narrow = ftof %p : tile<128x128xf32> -> tile<128x128xbf16>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !keys_64_128, tile<i32> -> tile<1x128x64xbf16>, token
      %v = reshape %v_3 : tile<1x128x64xbf16> -> tile<128x64xbf16>
      %o_next = mmaf %p_narrow, %v, %o_kept : tile<128x128xbf16>, tile<128x64xbf16>, tile<128x64xf32>
      continue %m_next, %l_next, %o_next : tile<128xf32>, tile<128xf32>, tile<128x64xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<128xf32>
    %unit = constant <f32: 1.0> : tile<128xf32>
    %total = maxf %sum, %least : tile<128xf32>
    %share = divf %unit, %total : tile<128xf32>
    %share_1 = reshape %share : tile<128xf32> -> tile<128x1xf32>
    %share_all = broadcast %share_1 : tile<128x1xf32> -> tile<128x64xf32>
    %result = mulf %acc, %share_all : tile<128x64xf32>
    %narrow = ftof %result : tile<128x64xf32> -> tile<128x64xbf16>
    %result_3 = reshape %narrow : tile<128x64xbf16> -> tile<1x128x64xbf16>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x128x64xbf16>, !out_64, tile<i32> -> token
  }

  entry @attention_bf16_128_128x64(%Q: tile<ptr<bf16>>, %K: tile<ptr<bf16>>, %V: tile<ptr<bf16>>, %O: tile<ptr<bf16>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %x, %head, %bz = get_tile_block_id : tile<i32>
    %blocks, %by, %nz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 128> : tile<i32>
    %step = constant <i32: 64> : tile<i32>
    %width = constant <i32: 128> : tile<i32>
    %last = subi %blocks, %one : tile<i32>
    %i = subi %last, %x : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_128
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_128
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_128
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_128
    %q_tiles = make_partition_view %q_view : !queries_128
    %k_tiles = make_partition_view %k_view : !keys_128_64
    %v_tiles = make_partition_view %v_view : !keys_128_64
    %o_tiles = make_partition_view %o_view : !out_128
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !queries_128, tile<i32> -> tile<1x128x128xbf16>, token
    %q = reshape %q_3 : tile<1x128x128xbf16> -> tile<128x128xbf16>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<128xi32>
    %place = iota : tile<64xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<128xi32>
    %seen = addi %first_seen_all, %lane : tile<128xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<128xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<128xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<128xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<128xi1>, tile<128xi32>
    %limit_1 = reshape %limit : tile<128xi32> -> tile<128x1xi32>
    %limit_all = broadcast %limit_1 : tile<128x1xi32> -> tile<128x64xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %step : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %step signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1xf32>
    %scale_rows = broadcast %scale_1 : tile<1xf32> -> tile<128xf32>
    %scale_11 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_11 : tile<1x1xf32> -> tile<128x64xf32>
    %no_score = constant <f32: 0xFF800000> : tile<128x64xf32>
    %no_scores = constant <f32: 0.0> : tile<128x64xf32>
    %lowest = constant <f32: -1.0e30> : tile<128xf32>
    %no_sum = constant <f32: 0.0> : tile<128xf32>
    %no_output = constant <f32: 0.0> : tile<128x128xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<128xf32>, tile<128xf32>, tile<128x128xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !keys_128_64, tile<i32> -> tile<1x64x128xbf16>, token
      %k = reshape %k_3 : tile<1x64x128xbf16> -> tile<64x128xbf16>
      %k_t = permute %k [1, 0] : tile<64x128xbf16> -> tile<128x64xbf16>
      %scores = mmaf %q, %k_t, %no_scores : tile<128x128xbf16>, tile<128x64xbf16>, tile<128x64xf32>
      %key = muli %j, %step : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<64xi32>
      %key_row = addi %key_all, %place : tile<64xi32>
      %key_row_1 = reshape %key_row : tile<64xi32> -> tile<1x64xi32>
      %key_of = broadcast %key_row_1 : tile<1x64xi32> -> tile<128x64xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<128x64xi32> -> tile<128x64xi1>
      %s = select %visible, %scores, %no_score : tile<128x64xi1>, tile<128x64xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<128x64xf32> -> tile<128xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<128xf32>
      %m_scaled = mulf %m_next, %scale_rows : tile<128xf32>
      %m_below = negf %m_scaled : tile<128xf32>
      %m_1 = reshape %m_below : tile<128xf32> -> tile<128x1xf32>
      %m_all = broadcast %m_1 : tile<128x1xf32> -> tile<128x64xf32>
      %shifted = fma %s, %scale_all, %m_all : tile<128x64xf32>
      %p = exp2 %shifted flush_to_zero : tile<128x64xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<128x64xf32> -> tile<128xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = fma %m, %scale_rows, %m_below : tile<128xf32>
      %shrink = exp2 %fall flush_to_zero : tile<128xf32>
      %l_next = fma %l, %shrink, %row : tile<128xf32>
      %shrink_1 = reshape %shrink : tile<128xf32> -> tile<128x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<128x1xf32> -> tile<128x128xf32>
      %o_kept = mulf %o, %shrink_all : tile<128x128xf32>
      %p_narrow = ftof %p : tile<128x64xf32> -> tile<128x64xbf16>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !keys_128_64, tile<i32> -> tile<1x64x128xbf16>, token
      %v = reshape %v_3 : tile<1x64x128xbf16> -> tile<64x128xbf16>
      %o_next = mmaf %p_narrow, %v, %o_kept : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
      continue %m_next, %l_next, %o_next : tile<128xf32>, tile<128xf32>, tile<128x128xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<128xf32>
    %unit = constant <f32: 1.0> : tile<128xf32>
    %total = maxf %sum, %least : tile<128xf32>
    %share = divf %unit, %total : tile<128xf32>
    %share_1 = reshape %share : tile<128xf32> -> tile<128x1xf32>
    %share_all = broadcast %share_1 : tile<128x1xf32> -> tile<128x128xf32>
    %result = mulf %acc, %share_all : tile<128x128xf32>
    %narrow = ftof %result : tile<128x128xf32> -> tile<128x128xbf16>
    %result_3 = reshape %narrow : tile<128x128xbf16> -> tile<1x128x128xbf16>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x128x128xbf16>, !out_128, tile<i32> -> token
  }

  entry @attention_bf16_128_128x128(%Q: tile<ptr<bf16>>, %K: tile<ptr<bf16>>, %V: tile<ptr<bf16>>, %O: tile<ptr<bf16>>, %tokens: tile<i32>, %keys: tile<i32>, %heads: tile<i32>, %group: tile<i32>, %scale: tile<f32>, %causal: tile<i32>) {
    %x, %head, %bz = get_tile_block_id : tile<i32>
    %blocks, %by, %nz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 128> : tile<i32>
    %step = constant <i32: 128> : tile<i32>
    %width = constant <i32: 128> : tile<i32>
    %last = subi %blocks, %one : tile<i32>
    %i = subi %last, %x : tile<i32>
    %kv_heads = divi %heads, %group signed : tile<i32>
    %kv_head = divi %head, %group signed : tile<i32>
    %q_step = muli %tokens, %width : tile<i32>
    %k_step = muli %keys, %width : tile<i32>
    %q_view = make_tensor_view %Q, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_128
    %k_view = make_tensor_view %K, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_128
    %v_view = make_tensor_view %V, shape = [%kv_heads, %keys, 128], strides = [%k_step, 128, 1] : tile<i32> -> !heads_128
    %o_view = make_tensor_view %O, shape = [%heads, %tokens, 128], strides = [%q_step, 128, 1] : tile<i32> -> !heads_128
    %q_tiles = make_partition_view %q_view : !queries_128
    %k_tiles = make_partition_view %k_view : !keys_128_128
    %v_tiles = make_partition_view %v_view : !keys_128_128
    %o_tiles = make_partition_view %o_view : !out_128
    %q_3, %t0 = load_view_tko weak %q_tiles[%head, %i, %zero] : !queries_128, tile<i32> -> tile<1x128x128xbf16>, token
    %q = reshape %q_3 : tile<1x128x128xbf16> -> tile<128x128xbf16>

    // The last key that each query sees, and how many tiles of keys some of them see.
    %is_causal = cmpi not_equal %causal, %zero, signed : tile<i32> -> tile<i1>
    %older = subi %keys, %tokens : tile<i32>
    %last_key = subi %keys, %one : tile<i32>
    %first_row = muli %i, %size : tile<i32>
    %first_seen = addi %first_row, %older : tile<i32>
    %lane = iota : tile<128xi32>
    %place = iota : tile<128xi32>
    %first_seen_1 = reshape %first_seen : tile<i32> -> tile<1xi32>
    %first_seen_all = broadcast %first_seen_1 : tile<1xi32> -> tile<128xi32>
    %seen = addi %first_seen_all, %lane : tile<128xi32>
    %last_key_1 = reshape %last_key : tile<i32> -> tile<1xi32>
    %last_key_all = broadcast %last_key_1 : tile<1xi32> -> tile<128xi32>
    %seen_causal = mini %seen, %last_key_all signed : tile<128xi32>
    %is_causal_1 = reshape %is_causal : tile<i1> -> tile<1xi1>
    %is_causal_all = broadcast %is_causal_1 : tile<1xi1> -> tile<128xi1>
    %limit = select %is_causal_all, %seen_causal, %last_key_all : tile<128xi1>, tile<128xi32>
    %limit_1 = reshape %limit : tile<128xi32> -> tile<128x1xi32>
    %limit_all = broadcast %limit_1 : tile<128x1xi32> -> tile<128x128xi32>
    %end_causal = addi %first_seen, %size : tile<i32>
    %end_in = mini %end_causal, %keys signed : tile<i32>
    %end = select %is_causal, %end_in, %keys : tile<i1>, tile<i32>
    %end_up = addi %end, %step : tile<i32>
    %end_above = subi %end_up, %one : tile<i32>
    %tiles = divi %end_above, %step signed : tile<i32>

    // 2^(x * log2(e)) for e^x.
    %log2_e = constant <f32: 1.44269504> : tile<f32>
    %scale_2 = mulf %scale, %log2_e : tile<f32>
    %scale_1 = reshape %scale_2 : tile<f32> -> tile<1xf32>
    %scale_rows = broadcast %scale_1 : tile<1xf32> -> tile<128xf32>
    %scale_11 = reshape %scale_2 : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_11 : tile<1x1xf32> -> tile<128x128xf32>
    %no_score = constant <f32: 0xFF800000> : tile<128x128xf32>
    %no_scores = constant <f32: 0.0> : tile<128x128xf32>
    %lowest = constant <f32: -1.0e30> : tile<128xf32>
    %no_sum = constant <f32: 0.0> : tile<128xf32>
    %no_output = constant <f32: 0.0> : tile<128x128xf32>
    %max, %sum, %acc = for %j in (%zero to %tiles, step %one) : tile<i32> iter_values(%m = %lowest, %l = %no_sum, %o = %no_output) -> (tile<128xf32>, tile<128xf32>, tile<128x128xf32>) {
      %k_3, %t1 = load_view_tko weak %k_tiles[%kv_head, %j, %zero] : !keys_128_128, tile<i32> -> tile<1x128x128xbf16>, token
      %k = reshape %k_3 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %k_t = permute %k [1, 0] : tile<128x128xbf16> -> tile<128x128xbf16>
      %scores = mmaf %q, %k_t, %no_scores : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      %key = muli %j, %step : tile<i32>
      %key_1 = reshape %key : tile<i32> -> tile<1xi32>
      %key_all = broadcast %key_1 : tile<1xi32> -> tile<128xi32>
      %key_row = addi %key_all, %place : tile<128xi32>
      %key_row_1 = reshape %key_row : tile<128xi32> -> tile<1x128xi32>
      %key_of = broadcast %key_row_1 : tile<1x128xi32> -> tile<128x128xi32>
      %visible = cmpi less_than_or_equal %key_of, %limit_all, signed : tile<128x128xi32> -> tile<128x128xi1>
      %s = select %visible, %scores, %no_score : tile<128x128xi1>, tile<128x128xf32>

      %here = reduce %s dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %m_next = maxf %m, %here : tile<128xf32>
      %m_scaled = mulf %m_next, %scale_rows : tile<128xf32>
      %m_below = negf %m_scaled : tile<128xf32>
      %m_1 = reshape %m_below : tile<128xf32> -> tile<128x1xf32>
      %m_all = broadcast %m_1 : tile<128x1xf32> -> tile<128x128xf32>
      %shifted = fma %s, %scale_all, %m_all : tile<128x128xf32>
      %p = exp2 %shifted flush_to_zero : tile<128x128xf32>
      %row = reduce %p dim=1 identities=[0.0 : f32] : tile<128x128xf32> -> tile<128xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %fall = fma %m, %scale_rows, %m_below : tile<128xf32>
      %shrink = exp2 %fall flush_to_zero : tile<128xf32>
      %l_next = fma %l, %shrink, %row : tile<128xf32>
      %shrink_1 = reshape %shrink : tile<128xf32> -> tile<128x1xf32>
      %shrink_all = broadcast %shrink_1 : tile<128x1xf32> -> tile<128x128xf32>
      %o_kept = mulf %o, %shrink_all : tile<128x128xf32>
      %p_narrow = ftof %p : tile<128x128xf32> -> tile<128x128xbf16>
      %v_3, %t2 = load_view_tko weak %v_tiles[%kv_head, %j, %zero] : !keys_128_128, tile<i32> -> tile<1x128x128xbf16>, token
      %v = reshape %v_3 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %o_next = mmaf %p_narrow, %v, %o_kept : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      continue %m_next, %l_next, %o_next : tile<128xf32>, tile<128xf32>, tile<128x128xf32>
    }

    // A query that sees no key has the sum 0 and the result 0.
    %least = constant <f32: 1.0e-30> : tile<128xf32>
    %unit = constant <f32: 1.0> : tile<128xf32>
    %total = maxf %sum, %least : tile<128xf32>
    %share = divf %unit, %total : tile<128xf32>
    %share_1 = reshape %share : tile<128xf32> -> tile<128x1xf32>
    %share_all = broadcast %share_1 : tile<128x1xf32> -> tile<128x128xf32>
    %result = mulf %acc, %share_all : tile<128x128xf32>
    %narrow = ftof %result : tile<128x128xf32> -> tile<128x128xbf16>
    %result_3 = reshape %narrow : tile<128x128xbf16> -> tile<1x128x128xbf16>
    %t3 = store_view_tko weak %result_3, %o_tiles[%head, %i, %zero] : tile<1x128x128xbf16>, !out_128, tile<i32> -> token
  }
}

// A layer of experts, f32: routing, and the matrix products of every token with the experts that it
// was sent to.
!logits = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!routes = !cuda_tile.partition_view<tile=(16x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!gathered = !cuda_tile.gather_scatter_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
!experts = !cuda_tile.tensor_view<?x?x?xf32, strides=[?,?,1]>
!expert_tiles = !cuda_tile.partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
!list = !cuda_tile.tensor_view<?xi32, strides=[1]>
!ids = !cuda_tile.partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
!one_id = !cuda_tile.partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
!rows = !cuda_tile.partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
cuda_tile.module @moe {
  // For every token the k largest of softmax(logits) and their experts, the largest first; of equal
  // ones the first. Logits are tokens x count, for up to 128 experts; weights and experts tokens x k.
  // A tile block takes 16 tokens: launch ceil(tokens / 16).
  entry @topk_softmax_f32(%logits: tile<ptr<f32>>, %weights: tile<ptr<f32>>, %experts: tile<ptr<i32>>, %tokens: tile<i32>, %count: tile<i32>, %k: tile<i32>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 16> : tile<i32>
    %view = make_tensor_view %logits, shape = [%tokens, %count], strides = [%count, 1] : tile<i32> -> !logits
    %tiles = make_partition_view %view : !routes
    %x, %t0 = load_view_tko weak %tiles[%i, %zero] : !routes, tile<i32> -> tile<16x128xf32>, token
    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<16x128xf32> -> tile<16xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<16xf32> -> tile<16x1xf32>
    %max_all = broadcast %max_1 : tile<16x1xf32> -> tile<16x128xf32>
    %shifted = subf %x, %max_all : tile<16x128xf32>
    %e = exp %shifted : tile<16x128xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<16x128xf32> -> tile<16xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }

    %row = iota : tile<16xi32>
    %from = muli %i, %size : tile<i32>
    %from_1 = reshape %from : tile<i32> -> tile<1xi32>
    %from_all = broadcast %from_1 : tile<1xi32> -> tile<16xi32>
    %token = addi %row, %from_all : tile<16xi32>
    %tokens_1 = reshape %tokens : tile<i32> -> tile<1xi32>
    %tokens_all = broadcast %tokens_1 : tile<1xi32> -> tile<16xi32>
    %exists = cmpi less_than %token, %tokens_all, signed : tile<16xi32> -> tile<16xi1>
    %k_1 = reshape %k : tile<i32> -> tile<1xi32>
    %k_all = broadcast %k_1 : tile<1xi32> -> tile<16xi32>
    %place = muli %token, %k_all : tile<16xi32>
    %expert = iota : tile<128xi32>
    %expert_1 = reshape %expert : tile<128xi32> -> tile<1x128xi32>
    %expert_all = broadcast %expert_1 : tile<1x128xi32> -> tile<16x128xi32>
    %taken = constant <f32: 0xFF800000> : tile<16x128xf32>
    %weights_1 = reshape %weights : tile<ptr<f32>> -> tile<1xptr<f32>>
    %weights_all = broadcast %weights_1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %experts_1 = reshape %experts : tile<ptr<i32>> -> tile<1xptr<i32>>
    %experts_all = broadcast %experts_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %rest = for %n in (%zero to %k, step %one) : tile<i32> iter_values(%left = %x) -> (tile<16x128xf32>) {
      %value, %best = reduce %left, %expert_all dim=1 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<16x128xf32>, tile<16x128xi32> -> tile<16xf32>, tile<16xi32>
      (%v_new: tile<f32>, %v_old: tile<f32>, %p_new: tile<i32>, %p_old: tile<i32>) {
        %more = cmpf greater_than ordered %v_new, %v_old : tile<f32> -> tile<i1>
        %same = cmpf equal ordered %v_new, %v_old : tile<f32> -> tile<i1>
        %before = cmpi less_than %p_new, %p_old, signed : tile<i32> -> tile<i1>
        %tie = andi %same, %before : tile<i1>
        %take = ori %more, %tie : tile<i1>
        %v_best = select %take, %v_new, %v_old : tile<i1>, tile<f32>
        %p_best = select %take, %p_new, %p_old : tile<i1>, tile<i32>
        yield %v_best, %p_best : tile<f32>, tile<i32>
      }
      %lower = subf %value, %max : tile<16xf32>
      %share = exp %lower : tile<16xf32>
      %weight = divf %share, %sum : tile<16xf32>
      %n_1 = reshape %n : tile<i32> -> tile<1xi32>
      %n_all = broadcast %n_1 : tile<1xi32> -> tile<16xi32>
      %at = addi %place, %n_all : tile<16xi32>
      %weight_at = offset %weights_all, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
      %expert_at = offset %experts_all, %at : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
      %t1 = store_ptr_tko weak %weight_at, %weight, %exists : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
      %t2 = store_ptr_tko weak %expert_at, %best, %exists : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token
      %best_1 = reshape %best : tile<16xi32> -> tile<16x1xi32>
      %best_all = broadcast %best_1 : tile<16x1xi32> -> tile<16x128xi32>
      %is_best = cmpi equal %expert_all, %best_all, signed : tile<16x128xi32> -> tile<16x128xi1>
      %left_next = select %is_best, %taken, %left : tile<16x128xi1>, tile<16x128xf32>
      continue %left_next : tile<16x128xf32>
    }
  }

  // C[id, :] = weight[id] * (A[id / replicas, :] * transposed B[expert]) for the token replicas that
  // `sorted` lists.
  //
  //   A  tokens x K        B  experts x N x K        C and weight  tokens * topk (x N)
  //   sorted   the ids of token replicas, sorted by expert; the list of each expert is filled up to a
  //            multiple of 64 with ids of tokens * topk or more, which are written nowhere. It has
  //            `length` entries.
  //   expert   of every 64 of them
  //
  // `replicas` is topk when each row of A stands for that many ids, 1 when A has a row for each id.
  // Launch length / 64 x ceil(N / 64).
  entry @fused_moe_f32(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %weight: tile<ptr<f32>>, %sorted: tile<ptr<i32>>, %expert: tile<ptr<i32>>, %tokens: tile<i32>, %replicas: tile<i32>, %ids: tile<i32>, %length: tile<i32>, %experts: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %a_view = make_tensor_view %A, shape = [%tokens, %K], strides = [%K, 1] : tile<i32> -> !matrix
    %b_step = muli %N, %K : tile<i32>
    %b_view = make_tensor_view %B, shape = [%experts, %N, %K], strides = [%b_step, %K, 1] : tile<i32> -> !experts
    %sorted_view = make_tensor_view %sorted, shape = [%length], strides = [1] : tile<i32> -> !list
    %expert_view = make_tensor_view %expert, shape = [%length], strides = [1] : tile<i32> -> !list
    %a_rows = make_gather_scatter_view %a_view : !gathered
    %b_tiles = make_partition_view %b_view : !expert_tiles
    %sorted_tiles = make_partition_view %sorted_view : !ids
    %expert_tiles = make_partition_view %expert_view : !one_id
    %id, %t0 = load_view_tko weak %sorted_tiles[%i] : !ids, tile<i32> -> tile<64xi32>, token
    %which_1, %t1 = load_view_tko weak %expert_tiles[%i] : !one_id, tile<i32> -> tile<1xi32>, token
    %which = reshape %which_1 : tile<1xi32> -> tile<i32>
    %replicas_1 = reshape %replicas : tile<i32> -> tile<1xi32>
    %replicas_all = broadcast %replicas_1 : tile<1xi32> -> tile<64xi32>
    %row = divi %id, %replicas_all unsigned : tile<64xi32>
    // Ids that only fill up read some row.
    %last = subi %tokens, %one : tile<i32>
    %last_1 = reshape %last : tile<i32> -> tile<1xi32>
    %last_all = broadcast %last_1 : tile<1xi32> -> tile<64xi32>
    %token = mini %row, %last_all unsigned : tile<64xi32>
    %steps:3 = get_index_space_shape %b_tiles : !expert_tiles -> tile<i32>
    %nothing = constant <f32: 0.0> : tile<64x64xf32>
    %sum = for %k in (%zero to %steps#2, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<64x64xf32>) {
      %k_at = muli %k, %size : tile<i32>
      %a, %t2 = load_view_tko weak %a_rows[%token, %k_at] : !gathered, tile<64xi32>, tile<i32> -> tile<64x64xf32>, token
      %b_3, %t3 = load_view_tko weak %b_tiles[%which, %j, %k] : !expert_tiles, tile<i32> -> tile<1x64x64xf32>, token
      %b_2 = reshape %b_3 : tile<1x64x64xf32> -> tile<64x64xf32>
      %b = permute %b_2 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
      %next = mmaf %a, %b, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %ids_1 = reshape %ids : tile<i32> -> tile<1xi32>
    %ids_all = broadcast %ids_1 : tile<1xi32> -> tile<64xi32>
    %exists = cmpi less_than %id, %ids_all, unsigned : tile<64xi32> -> tile<64xi1>
    %weight_1 = reshape %weight : tile<ptr<f32>> -> tile<1xptr<f32>>
    %weight_all = broadcast %weight_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %weight_at = offset %weight_all, %id : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %no_weight = constant <f32: 0.0> : tile<64xf32>
    %w, %t4 = load_ptr_tko weak %weight_at, %exists, %no_weight : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %w_1 = reshape %w : tile<64xf32> -> tile<64x1xf32>
    %w_all = broadcast %w_1 : tile<64x1xf32> -> tile<64x64xf32>
    %c = mulf %sum, %w_all : tile<64x64xf32>
    %j_at = muli %j, %size : tile<i32>
    %j_at_1 = reshape %j_at : tile<i32> -> tile<1xi32>
    %j_at_all = broadcast %j_at_1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %column = addi %j_at_all, %lane : tile<64xi32>
    %N_1 = reshape %N : tile<i32> -> tile<1xi32>
    %N_all = broadcast %N_1 : tile<1xi32> -> tile<64xi32>
    %column_in = cmpi less_than %column, %N_all, signed : tile<64xi32> -> tile<64xi1>
    %column_in_1 = reshape %column_in : tile<64xi1> -> tile<1x64xi1>
    %column_in_all = broadcast %column_in_1 : tile<1x64xi1> -> tile<64x64xi1>
    %exists_1 = reshape %exists : tile<64xi1> -> tile<64x1xi1>
    %exists_all = broadcast %exists_1 : tile<64x1xi1> -> tile<64x64xi1>
    %inside = andi %exists_all, %column_in_all : tile<64x64xi1>
    %row_at = muli %id, %N_all : tile<64xi32>
    %row_at_1 = reshape %row_at : tile<64xi32> -> tile<64x1xi32>
    %row_at_all = broadcast %row_at_1 : tile<64x1xi32> -> tile<64x64xi32>
    %column_1 = reshape %column : tile<64xi32> -> tile<1x64xi32>
    %column_all = broadcast %column_1 : tile<1x64xi32> -> tile<64x64xi32>
    %c_1 = reshape %C : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %c_all = broadcast %c_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %c_rows = offset %c_all, %row_at_all : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %c_at = offset %c_rows, %column_all : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %t5 = store_ptr_tko weak %c_at, %c, %inside : tile<64x64xptr<f32>>, tile<64x64xf32>, tile<64x64xi1> -> token
  }

  // C = A / (1 + exp(-A)) * B for matrices of rows x columns. Launch rows x ceil(columns / 1024).
  entry @silu_mul_f32(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %a_view = make_tensor_view %A, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %b_view = make_tensor_view %B, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %c_view = make_tensor_view %C, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %a_tiles = make_partition_view %a_view : !rows
    %b_tiles = make_partition_view %b_view : !rows
    %c_tiles = make_partition_view %c_view : !rows
    %a, %t0 = load_view_tko weak %a_tiles[%i, %j] : !rows, tile<i32> -> tile<1x1024xf32>, token
    %b, %t1 = load_view_tko weak %b_tiles[%i, %j] : !rows, tile<i32> -> tile<1x1024xf32>, token
    %one = constant <f32: 1.0> : tile<1x1024xf32>
    %minus = negf %a : tile<1x1024xf32>
    %e = exp %minus : tile<1x1024xf32>
    %below = addf %one, %e : tile<1x1024xf32>
    %silu = divf %a, %below : tile<1x1024xf32>
    %c = mulf %silu, %b : tile<1x1024xf32>
    %t2 = store_view_tko weak %c, %c_tiles[%i, %j] : tile<1x1024xf32>, !rows, tile<i32> -> token
  }
}

// c[i] = a[i] + b[i] for i < n, with tiles of pointers. One tile block adds 1024 elements; the mask
// keeps the last block inside the vectors.
cuda_tile.module @vector_add {
  entry @vector_add(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    // i = block * 1024 + [0, 1, 2, …]
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 1024> : tile<i32>
    %first = muli %block, %size : tile<i32>
    %first_1 = reshape %first : tile<i32> -> tile<1xi32>
    %first_all = broadcast %first_1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %i = addi %first_all, %lane : tile<1024xi32>

    // inside = i < n
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_all = broadcast %n_1 : tile<1xi32> -> tile<1024xi32>
    %inside = cmpi less_than %i, %n_all, signed : tile<1024xi32> -> tile<1024xi1>

    %a_1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %a_all = broadcast %a_1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %a_i = offset %a_all, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %x, %t0 = load_ptr_tko weak %a_i, %inside : tile<1024xptr<f32>>, tile<1024xi1> -> tile<1024xf32>, token

    %b_1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b_all = broadcast %b_1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %b_i = offset %b_all, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %y, %t1 = load_ptr_tko weak %b_i, %inside : tile<1024xptr<f32>>, tile<1024xi1> -> tile<1024xf32>, token

    %sum = addf %x, %y : tile<1024xf32>

    %c_1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %c_all = broadcast %c_1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %c_i = offset %c_all, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t2 = store_ptr_tko weak %c_i, %sum, %inside : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
  }
}

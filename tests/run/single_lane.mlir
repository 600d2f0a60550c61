// A store of which one element lies inside the view: what lies behind stays as it is.
// RUN: %engines %t %s --grid 1 x=uniform:i32:8 y=arange:i32:12 --save y
cuda_tile.module @m {
  entry @k0(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %v158 = iota : tile<4xi32>
    %v159 = constant <i32: 1> : tile<4xi32>
    %v160 = xori %v158, %v159 : tile<4xi32>
    %v165 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %v166 = broadcast %v165 : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %v167 = offset %v166, %v160 : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %v168, %t169 = load_ptr_tko acquire device %v167 : tile<4xptr<i32>> -> tile<4xi32>, token
    %v170 = mulhii %v168, %v168 : tile<4xi32>
    %v175 = make_tensor_view %y, shape = [7], strides = [1] : tensor_view<7xi32, strides=[1]>
    %v176 = constant <i32: 3> : tile<i32>
    %v177 = make_strided_view %v175 : strided_view<tile=(4), traversal_strides=[2], padding_value = zero, tensor_view<7xi32, strides=[1]>>
    %t178 = store_view_tko weak %v170, %v177[%v176] : tile<4xi32>, strided_view<tile=(4), traversal_strides=[2], padding_value = zero, tensor_view<7xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}

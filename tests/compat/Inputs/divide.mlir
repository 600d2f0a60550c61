// For tests/support/refused.py: a kernel whose places are in divide.py.
cuda_tile.module @m {
  entry @divide(%x: tile<i32>, %y: tile<i32>) {
    %q = divi %x, %y SIGN ROUND : tile<i32> loc(#here)
    return loc(#behind)
  } loc(#kernel)
}
#file = #cuda_tile.di_file<"divide.py" in "">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 2, name = "divide", linkageName = "divide", compileUnit = #unit, scopeLine = 2>
#line2 = loc("divide.py":2:1)
#kernel = #cuda_tile.di_loc<#line2 in #scope>
#line3 = loc("divide.py":3:12)
#here = #cuda_tile.di_loc<#line3 in #scope>
#line4 = loc("divide.py":4:5)
#behind = #cuda_tile.di_loc<#line4 in #scope>

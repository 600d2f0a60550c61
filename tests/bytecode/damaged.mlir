// RUN: %transcript %s
// What is said about bytecode that is not right.
cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    %y = exp %x rounding<approx> : tile<f32>
  }
}

// $ tessera as damaged.mlir -o k.bc
// $ head -c 30 k.bc >cut.bc; tessera check cut.bc
// cut.bc: error: byte 13: the functions section has 16 bytes, but 14 are left
// [1]
// $ head -c 9 k.bc >cut.bc; tessera check cut.bc
// cut.bc: error: byte 9: the file ends before the version
// [1]
// $ head -c 4 k.bc >cut.bc; tessera dis cut.bc
// cut.bc: error: byte 0: this is no Tile IR bytecode: it does not begin with 7F 'TileIR' 00
// [1]
// $ (cat k.bc; echo) | tessera check -
// <stdin>: error: byte 74: the file goes on behind the section that ends it
// [1]
// $ sed 's/^\(.TileIR.\).../\1\r\x09\x00/' k.bc >version.bc; tessera dis version.bc
// version.bc: error: byte 8: this is bytecode of version 13.9; versions 13.1 to 13.5 can be read
// [1]
// $ printf '\177TileIR\0\r\3\0\0\177' >section.bc; tessera check section.bc
// section.bc: error: byte 12: there is no section of kind 127
// [1]
// $ sed 's/\x17/\x19/' k.bc >op.bc; tessera run op.bc --grid 1 f32:1
// op.bc: error: byte 22, in the functions section: there is no operation 0x19
// [1]
// $ sed 's/\x17\x01\x04/\x17\x01\x02/' k.bc >rule.bc; tessera check rule.bc
// rule.bc: error: exp: rounding mode 'negative_inf' is not allowed here; expected approx or full
// [1]

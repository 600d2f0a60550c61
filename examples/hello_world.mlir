// The smallest kernel: every tile block prints one line.
cuda_tile.module @hello_world {
  entry @hello_world() {
    print_tko "Hello World!\n" -> token
  }
}

module attributes {llvm.data_layout = ""} {
  func.func private @f()
}

// The kernels of the conformance suite, for the interpreter.
module {
  // out[id] = x + 100 y + 10000 z of the program.
  tile.kernel @program_ids(%out: !tile.ptr<i64>)
      grid affine_map<()[] -> (1, 1, 1)> {
    %x, %y, %z = tile.program_id
    %nx, %ny, %nz = tile.program_count
    %0 = arith.muli %z, %ny : index
    %1 = arith.addi %0, %y : index
    %2 = arith.muli %1, %nx : index
    %id = arith.addi %2, %x : index
    %c100 = arith.constant 100 : index
    %c10000 = arith.constant 10000 : index
    %3 = arith.muli %y, %c100 : index
    %4 = arith.muli %z, %c10000 : index
    %5 = arith.addi %x, %3 : index
    %6 = arith.addi %5, %4 : index
    %value = arith.index_cast %6 : index to i64
    %offset = arith.index_cast %id : index to i64
    %at = tile.offset %out, %offset : !tile.ptr<i64>, i64
    tile.store_ptr %value, %at : !tile.ptr<i64>
  }

  // out[id] = tally[id]++.
  tile.kernel @tally(%out: !tile.ptr<i64>, %tally: !tile.ptr<i64>)
      grid affine_map<()[] -> (1)> {
    %x = tile.program_id
    %offset = arith.index_cast %x : index to i64
    %to = tile.offset %out, %offset : !tile.ptr<i64>, i64
    %at = tile.offset %tally, %offset : !tile.ptr<i64>, i64
    %old = tile.load_ptr %at : !tile.ptr<i64>
    tile.store_ptr %old, %to : !tile.ptr<i64>
    %one = arith.constant 1 : i64
    %new = arith.addi %old, %one : i64
    tile.store_ptr %new, %at : !tile.ptr<i64>
  }

  // data[id] = data[id] * factor + term.
  tile.kernel @multiply_add(%data: !tile.ptr<i64>, %factor: index, %term: index)
      grid affine_map<()[s0, s1] -> (1)> {
    %x = tile.program_id
    %offset = arith.index_cast %x : index to i64
    %at = tile.offset %data, %offset : !tile.ptr<i64>, i64
    %old = tile.load_ptr %at : !tile.ptr<i64>
    %f = arith.index_cast %factor : index to i64
    %t = arith.index_cast %term : index to i64
    %product = arith.muli %old, %f : i64
    %new = arith.addi %product, %t : i64
    tile.store_ptr %new, %at : !tile.ptr<i64>
  }
}

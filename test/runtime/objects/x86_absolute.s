# An absolute 32-bit address: out of reach wherever the object is loaded.
  .text
  .globl f
f:
  movl $value, %eax
  ret
  .data
value:
  .long 1

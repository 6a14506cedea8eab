# Relocations that C compilers rarely emit.
  .text
  .globl distance
distance:                       # returns value - here, as stored in data
  movq stored(%rip), %rax
  ret
  .globl far
far:                            # tail call: the stub if the target is far
  jmp external@PLT
  .data
  .globl here
here:
stored:
  .quad value - .               # R_X86_64_PC64
  .globl pointer
pointer:
  .quad value + 8               # R_X86_64_64
  .globl value
value:
  .quad 1, 2

// One site for each relocation; the test decodes what was written.
  .text
  .globl sites
sites:
  adrp x0, value
  add x0, x0, :lo12:value
  ldrb w1, [x0, :lo12:value]
  ldrh w1, [x0, :lo12:value]
  ldr w1, [x0, :lo12:value]
  ldr x1, [x0, :lo12:value]
  ldr q1, [x0, :lo12:value]
  adrp x2, :got:value
  ldr x2, [x2, :got_lo12:value]
  bl local
  b external
  .globl local
local:
  ret
  .section .rodata
  .globl numbers
numbers:
  .quad value + 16
  .quad value - .
  .long value - .
  .data
  .zero 112
  .balign 16
  .globl value
value:
  .quad 1, 2, 3

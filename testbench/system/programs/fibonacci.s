; SPDX-License-Identifier: Apache-2.0
; The first `count` Fibonacci numbers as int32, from core 0: scalar code, SMEM, and one DMA out of it.
; Arguments in SMEM: 0 = address of the result
        .entry  fibonacci, 1
        .const  count = 20
        .const  table = 64                        ; SMEM byte where the numbers gather
        .view   numbers, smem, int32, [count], base=table
        .view   result, hbm, int32, [count]

fibonacci:
        csrr    x1, core_id
        bne     x1, x0, done
        ld      x4, x0, 0
        li      x5, 0
        li      x6, 1
        li      x7, 0                             ; byte offset
        li      x8, count*4
next:   sw      x5, x7, table
        add     x9, x5, x6
        addi    x5, x6, 0
        addi    x6, x9, 0
        addi    x7, x7, 4
        blt     x7, x8, next
        view    v1, numbers
        view    v2, result, base=x4
        dma.copy v2, v1
        fence
done:   halt

; SPDX-License-Identifier: Apache-2.0
; A little of everything for the debugger: engines that follow each other, a loop in a scope, a semaphore left for later.
        .view  tile, spm, fp32, [2, 4]
        .view  copy, spm, fp32, [2, 4], base=0x100
start:  view     v1, tile
        view     v2, copy
        sem.post s0, 1
        li       x5, 7
        vpu.iota v1, x5, 1              post s1
        vpu.add  v2, v1, v1             wait s1, post s2
; the loop runs beside the engines
        li       x6, 0
next:   addi     x6, x6, 1
        slti     x7, x6, 3
        bne      x7, x0, next
        .scope   "turns"
        dma.copy v1, v2                 wait s2, post s3
        sem.wait s3, 1
        .endscope
        sem.wait s0, 1
        halt

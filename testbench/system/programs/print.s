; SPDX-License-Identifier: Apache-2.0
; Prints: a tile, and again when a later instruction has overwritten a part of it; a loop; what has no value.
        .entry start, 1                         ; 0: &out, fp32 [4]
        .view  tile, spm, fp32, [2, 4]
        .view  row,  spm, fp32, [4]
        .view  out,  hbm, fp32, [4]
start:  ld       x4, x0, 0
        view     v1, tile
        view     v2, row
        view     v3, out, base=x4
        li       x5, 0
        vpu.iota v1, x5, 1                      post s0
        .print   v1, "before"
        vpu.iota v2, x5, 10                     wait s0, post s1
        .print   v1, "after"
loop:   addi     x5, x5, 1
        .print   x5, "turn"
        slti     x6, x5, 3
        bne      x6, x0, loop
        dma.copy v3, v2                         wait s1
        .print   v3, "out"
        .print   v9, "unset"
        halt

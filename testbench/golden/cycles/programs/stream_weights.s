; SPDX-License-Identifier: Apache-2.0
; One row times a few [576, 1536] matrices: each core streams its half of the columns through four engines, double-buffered.
        .entry  start
        .const  reps = 4
        .const  strip = 64*768*2
        .view   wstrip, hbm, bf16, [16, 768], strides=[1536, 1]
        .view   sstrip, spm, bf16, [16, 768]
        .view   stile, spm, bf16, [64, 64], strides=[768, 1]
        .view   xhbm, hbm, bf16, [1, 576]
        .view   xspm, spm, bf16, [1, 576], base=1048576
        .view   xrow, spm, bf16, [1, 64], strides=[576, 1], base=1048576
        .view   yall, acc, fp32, [1, 768]
        .view   yacc, acc, fp32, [1, 64], strides=[768, 1]
start:  li      x4, 0x100000
        li      x5, 0x2000000
        csrr    x6, core_id
        muli    x7, x6, 1536
        add     x4, x4, x7         ; columns of this core
        view    v1, xhbm, base=x5
        view    v2, xspm
        view    v8, yall
        vpu.iota v8, x0, 0 post s5
        mxu.sync wait s5
        dma.copy v2, v1             post s4
        mxu.sync                    wait s4
        li      x8, reps*9         ; strips to fetch
        li      x9, reps*9         ; strips to use
        li      x10, 0             ; fetch slot offset
        li      x11, 0             ; use slot offset
        sem.post s1, 4
        sem.post s3, 4
        jal     x1, fetch
loop:   beq     x8, x0, nofetch
        jal     x1, fetch
nofetch: li     x12, 0             ; column tile
        mxu.sync                    wait s0:4
inner:  slli    x13, x12, 7
        add     x14, x13, x11
        view    v3, stile, base=x14
        mxu.load v3
        view    v4, xrow
        slli    x15, x12, 8
        view    v5, yacc, base=x15
        mxu.matmul v5, v4, accumulate
        addi    x12, x12, 1
        slti    x16, x12, 12
        bne     x16, x0, inner
        beq     x11, x0, post1
        mxu.sync                    post s3:4
        jal     x0, next
post1:  mxu.sync                    post s1:4
next:   xori    x11, x11, strip
        addi    x9, x9, -1
        bne     x9, x0, loop
        fence
        sem.wait s1, 4
        sem.wait s3, 4
        halt
fetch:  beq     x10, x0, even
        view    v6, sstrip, base=x10
        view    v7, wstrip, base=x4
        dma.copy v6, v7, on=0       wait s3, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=1       wait s3, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=2       wait s3, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=3       wait s3, post s0
        jal     x0, fetched
even:   view    v6, sstrip, base=x10
        view    v7, wstrip, base=x4
        dma.copy v6, v7, on=0       wait s1, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=1       wait s1, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=2       wait s1, post s0
        view.advance v6, x0, offset=16*768*2
        view.advance v7, x0, offset=16*1536*2
        dma.copy v6, v7, on=3       wait s1, post s0
fetched: xori   x10, x10, strip
        addi    x4, x4, 64*1536*2
        addi    x8, x8, -1
        jalr    x0, x1, 0

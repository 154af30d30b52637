; SPDX-License-Identifier: Apache-2.0
; y += a * x over n fp32 elements, up to 1024 at a time.
; Arguments in SMEM: 0 = address of x, 8 = address of y, 16 = n, 24 = a (fp32 bits)
        .entry  axpy, 4
        .const  tile = 1024
        .view   x_hbm, hbm, fp32, [tile]
        .view   y_hbm, hbm, fp32, [tile]
        .view   x_spm, spm, fp32, [tile]
        .view   y_spm, spm, fp32, [tile], base=tile*4

axpy:   ld      x4, x0, 0
        ld      x5, x0, 8
        ld      x6, x0, 16
        ld      x7, x0, 24

        .scope  "axpy"
loop:   bge     x0, x6, done
        mini    x8, x6, tile                      ; elements this time
        view    v1, x_hbm, base=x4, size0=x8
        view    v2, y_hbm, base=x5, size0=x8
        view    v3, x_spm, size0=x8
        view    v4, y_spm, size0=x8
        dma.copy  v3, v1                          post s0
        dma.copy  v4, v2                          post s0
        vpu.mul.x v3, v3, x7        wait s0:2
        vpu.add   v4, v4, v3                      post s1
        dma.copy  v2, v4            wait s1,      post s2
        sem.wait  s2, 1                           ; the tile is free again
        addi    x4, x4, tile*4
        addi    x5, x5, tile*4
        sub     x6, x6, x8
        jal     x0, loop
        .endscope
done:   halt

; SPDX-License-Identifier: Apache-2.0
; y = exp(x), with a race: the VPU waits for another tile, a larger one that a second DMA engine brings, and not for x.
; On the chip where this was written x is there first, so there every run is right.
; Arguments in SMEM: 0 = address of x, 8 = address of y, 16 = address of the other tile
        .entry  lucky, 3
        .view   x_hbm, hbm, fp32, [4, 64]
        .view   y_hbm, hbm, fp32, [4, 64]
        .view   other_hbm, hbm, fp32, [128, 64]
        .view   x, spm, fp32, [4, 64]
        .view   y, spm, fp32, [4, 64], base=4096
        .view   other, spm, fp32, [128, 64], base=8192

lucky:  csrr    x7, core_id                       ; one core is enough
        bne     x7, x0, done
        ld      x4, x0, 0
        ld      x5, x0, 8
        ld      x6, x0, 16
        view    v1, x_hbm, base=x4
        view    v2, y_hbm, base=x5
        view    v3, x
        view    v4, y
        view    v5, other
        view    v6, other_hbm, base=x6
        dma.fill  v3, 0.0                         post s0
        sem.wait  s0, 1
        dma.copy  v3, v1, on=0                    post s1
        dma.copy  v5, v6, on=1                    post s2
        vpu.exp   v5, v5            wait s2
        vpu.exp   v4, v3                          post s3 ; lacks a wait for s1
        dma.copy  v2, v4            wait s3,      post s4
        sem.wait  s1, 1
        sem.wait  s4, 1
done:   halt

; SPDX-License-Identifier: Apache-2.0
; y = exp(x), with a race: the VPU does not wait for x. It does other work first, which takes longer than the copy of x
; on the chip where this was written, so there every run is right. Arguments in SMEM: 0 = address of x, 8 = address of y
        .entry  lucky, 2
        .view   x_hbm, hbm, fp32, [4, 64]
        .view   y_hbm, hbm, fp32, [4, 64]
        .view   x, spm, fp32, [4, 64]
        .view   y, spm, fp32, [4, 64], base=4096
        .view   other, spm, fp32, [128, 64], base=8192

lucky:  csrr    x6, core_id                       ; one core is enough
        bne     x6, x0, done
        ld      x4, x0, 0
        ld      x5, x0, 8
        view    v1, x_hbm, base=x4
        view    v2, y_hbm, base=x5
        view    v3, x
        view    v4, y
        view    v5, other
        dma.fill  v3, 0.0                         post s0
        dma.fill  v5, 1.0                         post s0
        sem.wait  s0, 2
        dma.copy  v3, v1                          post s1
        vpu.exp   v5, v5
        vpu.exp   v4, v3                          post s2 ; lacks a wait for s1
        dma.copy  v2, v4            wait s2,      post s3
        sem.wait  s1, 1
        sem.wait  s3, 1
done:   halt

; SPDX-License-Identifier: Apache-2.0
; Data that the image brings along: y[i] = weights[i] * 2 + 1. Argument in SMEM: 0 = address of y
        .entry  constants, 1
        .data   unused: .zero 100                 ; so that the weights do not lie at x2 itself
        .data   weights:
        .fp32   0.5, -1.25, 3.0, 1e-3
        .fp32   inf, -0.0, 65504.0, 7.0
        .view   w, hbm, fp32, [8]
        .view   t, spm, fp32, [8]

constants:
        csrr    x5, core_id                       ; one core is enough
        bne     x5, x0, done
        ld      x4, x0, 0
        view    v1, w, base=x2, offset=weights
        view    v2, t
        view    v3, w, base=x4
        dma.copy  v2, v1                          post s0
        vpu.mul.i v2, v2, 2.0       wait s0
        vpu.add.i v2, v2, 1.0                     post s1
        dma.copy  v3, v2            wait s1
done:   halt

; SPDX-License-Identifier: Apache-2.0
; c[m,16] = a[m,16] * b[16,16], bf16 in, fp32 out, 16 rows of a at a time; m is a multiple of 16.
; Arguments in SMEM: 0 = address of a, 8 = address of b, 16 = address of c, 24 = m
        .entry  matmul, 4
        .const  n = 16
        .view   a_hbm, hbm, bf16, [n, n]
        .view   b_hbm, hbm, bf16, [n, n]
        .view   c_hbm, hbm, fp32, [n, n]
        .view   a_spm, spm, bf16, [n, n]
        .view   b_spm, spm, bf16, [n, n], base=n*n*2
        .view   c_acc, acc, fp32, [n, n]

matmul: ld      x4, x0, 0
        ld      x5, x0, 8
        ld      x6, x0, 16
        ld      x7, x0, 24
        view    v1, a_spm
        view    v2, b_spm
        view    v3, c_acc
        view    v5, b_hbm, base=x5
        dma.copy   v2, v5                       post s0
        mxu.load   v2              wait s0

rows:   bge     x0, x7, done
        view    v4, a_hbm, base=x4
        view    v6, c_hbm, base=x6
        dma.copy   v1, v4                       post s1
        mxu.matmul v3, v1          wait s1,     post s2
        dma.copy   v6, v3          wait s2,     post s3
        sem.wait   s3, 1
        addi    x4, x4, n*n*2
        addi    x6, x6, n*n*4
        addi    x7, x7, -n
        jal     x0, rows
done:   halt

; SPDX-License-Identifier: Apache-2.0
; One of each kind of transfer: dense, strided, ragged, transposed, filled, gathered, scattered, within and between memories.
        .view   dense_h, hbm, bf16, [64, 256], base=0x10000
        .view   dense_s, spm, bf16, [64, 256]
        .view   rows_h, hbm, bf16, [50, 24], strides=[1000, 1], base=0x20000
        .view   rows_s, spm, bf16, [50, 24], base=0x10000
        .view   deep_h, hbm, fp32, [3, 5, 7, 9], strides=[4000, 500, 40, 1], base=0x40000
        .view   deep_s, spm, fp32, [3, 5, 7, 9], base=0x20000
        .view   turn_h, hbm, bf16, [32, 64], base=0x60000
        .view   turn_s, spm, bf16, [64, 32], base=0x30000
        .view   fill_s, spm, fp32, [100], base=0x38000
        .view   fill_h, hbm, fp32, [1000], base=0x80000
        .view   copy_h, hbm, bf16, [64, 256], base=0x90000
        .view   list, smem, int32, [4], base=512
        .view   page_h, hbm, bf16, [16, 512], base=0xa0000
        .view   page_s, spm, bf16, [4, 512], base=0x40000
start:  li      x4, 3
        sw      x4, x0, 512
        sw      x0, x0, 516
        li      x4, 15
        sw      x4, x0, 520
        sw      x4, x0, 524
        view    v1, dense_h
        view    v2, dense_s
        dma.copy v2, v1                 post s0
        view    v3, rows_h
        view    v4, rows_s
        dma.copy v4, v3, on=1           post s0
        view    v5, deep_h
        view    v6, deep_s
        dma.copy v6, v5                 post s0
        view    v7, turn_h
        view    v8, turn_s
        dma.transpose v8, v7, on=1      post s0
        view    v9, fill_s
        dma.fill v9, 1.5
        view    v10, fill_h
        dma.fill v10, 0, on=1           post s0
        view    v11, copy_h
        dma.copy v11, v1                post s0
        dma.copy v11, v2, on=1          wait s0:6, post s1
        view    v12, list
        view    v13, page_h
        view    v14, page_s
        dma.gather v14, v13, v12        wait s1, post s2
        dma.scatter v13, v14, v12       wait s2, post s3
        sem.wait s3, 1
        dma.copy v3, v4
        fence
        halt

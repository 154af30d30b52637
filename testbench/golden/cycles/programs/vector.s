; SPDX-License-Identifier: Apache-2.0
; The vector unit: classes, shapes, reductions, accumulators and bank conflicts.
        .view   wide, spm, fp32, [7, 300]
        .view   other, spm, bf16, [7, 300], base=0x4000
        .view   col, spm, fp32, [7, 1], base=0x8000
        .view   one, spm, fp32, [1, 2048], base=0xc000
        .view   bank, spm, fp32, [64, 8], strides=[256, 1], base=0x10000
        .view   acc, acc, fp32, [64, 64]
        .view   best, spm, fp32, [7, 4], base=0x30000
        .view   place, spm, int32, [7, 4], base=0x31000
start:  view    v1, wide
        view    v2, other
        view    v3, col
        view    v4, one
        view    v5, bank
        view    v6, acc
        view    v7, best
        view    v8, place
        vpu.iota v1, x0, 1
        vpu.mov v2, v1
        vpu.exp v1, v1
        vpu.div.i v1, v1, 3.0
        vpu.sum v3, v1
        vpu.sub v1, v1, v3
        vpu.fused v1, v1, fn=exp, row=v3, reduce=sum
        vpu.topk v7, v8, v1
        vpu.iota v4, x0, 1
        vpu.gelu v4, v4
        vpu.add v4, v4, v4
        vpu.iota v5, x0, 1
        vpu.relu v5, v5
        vpu.iota v6, x0, 1
        vpu.affine_select v6, v6, x0, ci=1, cj=-1
        halt

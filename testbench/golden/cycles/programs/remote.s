; SPDX-License-Identifier: Apache-2.0
; Both cores send a tile to each other's scratchpad and post there; then each reads one back from the other's.
        .view   mine, spm, bf16, [64, 64]
        .view   theirs, spm, bf16, [64, 64], base=0x4000
start:  csrr    x4, core_id
        xori    x5, x4, 1
        view    v1, mine
        view    v2, theirs
        view    v3, theirs
        view.remote v3, x5, x0
        dma.copy v3, v1, remote_post    post s0, s1
        sem.wait s1, 1
        sem.wait s0, 1
        view    v4, mine
        view.remote v4, x5, x0
        dma.copy v2, v4, on=1           post s2
        sem.post.remote s3, 2, x5, x0
        sem.wait s3, 2
        sem.wait s2, 1
        halt

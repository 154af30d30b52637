; SPDX-License-Identifier: Apache-2.0
; Ends in HDL-SEM-01: each engine waits for what only the other would post after its own wait.
start:  dma.sync wait s1, post s2
        vpu.sync wait s2, post s1
        halt

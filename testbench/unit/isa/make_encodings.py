#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes encodings.txt: `hi:lo  text` lines, the independent oracle of the codec and the assembler.

The layout below is written out by hand from the description of the instruction word and shares no code with isa/:
bit positions are spelt as (lowest bit, width). Run it again only when the instruction set gains rows:

    python3 testbench/unit/isa/make_encodings.py > testbench/unit/isa/encodings.txt
"""

# Scalar side.
RD, RS1, RS2 = (8, 5), (13, 5), (18, 5)
IMM, IMM64 = (96, 32), (64, 64)
SEM, PLUS, CORE, CHIP = (8, 6), (14, 5), (19, 5), (24, 5)
CSR = (13, 8)
# View side.
V_VD, V_TEMPLATE, V_BASE, V_DIM0, V_SIZE0, V_DIM1, V_SIZE1, V_CHIP = (
    (8, 5), (13, 16), (29, 5), (34, 2), (36, 5), (41, 2), (43, 5), (34, 5))
# Engine side.
ON = (8, 4)
WAIT0, WAIT0N, WAIT1, WAIT1N = (12, 6), (18, 4), (22, 6), (28, 4)
POST0, POST0N, POST1, POST1N = (32, 6), (38, 4), (42, 6), (48, 4)
VD, VA, VB, VC, X = (52, 5), (57, 5), (62, 5), (67, 5), (72, 5)
BIAS, ROW, FN, REDUCE = (62, 6), (77, 6), (84, 6), (90, 2)
FLAG82, FLAG83 = (82, 1), (83, 1)
CI, CJ = (77, 8), (85, 8)


def word(opcode, *fields):
    bits = opcode
    owned = 0xFF
    for (low, width), value in fields:
        mask = ((1 << width) - 1) << low
        assert owned & mask == 0, "two fields share a bit"
        owned |= mask
        assert -(1 << (width - 1)) <= value < (1 << width), (low, width, value)
        bits |= (value << low) & mask
    return f"{bits >> 64:016x}:{bits & (2**64 - 1):016x}"


lines = []


def case(text, opcode, *fields):
    lines.append(f"{word(opcode, *fields)}  {text}")


def section(title):
    lines.append(f"\n# {title}")


section("control")
case("halt", 0x01)
case("nop", 0x02)
case("fence", 0x03)
case("trap 0", 0x04)
case("trap -7", 0x04, (IMM, -7))
case("sem.wait s0, 1", 0x05, (IMM, 1))
case("sem.wait s63, 2147483647, plus=x31", 0x05, (SEM, 63), (IMM, 2147483647), (PLUS, 31))
case("sem.post s5, 0, plus=x9", 0x06, (SEM, 5), (PLUS, 9))
case("sem.post.remote s42, 3, x21, x10", 0x07, (SEM, 42), (IMM, 3), (CORE, 21), (CHIP, 10))
case("sem.post.remote s1, -1, x31, x1, plus=x16", 0x07, (SEM, 1), (IMM, -1), (CORE, 31), (CHIP, 1), (PLUS, 16))
for number, csr in enumerate(["core_id", "num_cores", "chip_id", "num_chips"]):
    case(f"csrr x{number + 7}, {csr}", 0x08, (RD, number + 7), (CSR, number))

section("scalar, three registers")
for opcode, name in [(0x10, "add"), (0x11, "sub"), (0x12, "mul"), (0x13, "div"), (0x14, "rem"), (0x15, "and"),
                     (0x16, "or"), (0x17, "xor"), (0x18, "sll"), (0x19, "srl"), (0x1A, "sra"), (0x1B, "slt"),
                     (0x1C, "sltu"), (0x1D, "min"), (0x1E, "max")]:
    case(f"{name} x{opcode - 0x10}, x31, x21", opcode, (RD, opcode - 0x10), (RS1, 31), (RS2, 21))
case("add x31, x0, x0", 0x10, (RD, 31))

section("scalar, immediate")
for opcode, name in [(0x20, "addi"), (0x22, "muli"), (0x23, "divi"), (0x24, "remi"), (0x25, "andi"), (0x26, "ori"),
                     (0x27, "xori"), (0x28, "slli"), (0x29, "srli"), (0x2A, "srai"), (0x2B, "slti"), (0x2D, "mini"),
                     (0x2E, "maxi")]:
    case(f"{name} x10, x{opcode - 0x20}, {opcode * 1000}", opcode, (RD, 10), (RS1, opcode - 0x20), (IMM, opcode * 1000))
case("addi x7, x7, -1", 0x20, (RD, 7), (RS1, 7), (IMM, -1))
case("addi x0, x0, -2147483648", 0x20, (IMM, -2147483648))
case("addi x1, x2, 0x7fffffff", 0x20, (RD, 1), (RS1, 2), (IMM, 0x7FFFFFFF))
case("li x5, 0", 0x2F, (RD, 5))
case("li x31, 0x123456789abcdef0", 0x2F, (RD, 31), (IMM64, 0x123456789ABCDEF0))
case("li x1, -9223372036854775807", 0x2F, (RD, 1), (IMM64, -9223372036854775807))
case("li x2, 0xffffffffffffffff", 0x2F, (RD, 2), (IMM64, -1))

section("branches")
for opcode, name in [(0x30, "beq"), (0x31, "bne"), (0x32, "blt"), (0x33, "bge"), (0x34, "bltu"), (0x35, "bgeu")]:
    case(f"{name} x20, x{opcode - 0x20}, {opcode}", opcode, (RS1, 20), (RS2, opcode - 0x20), ((96, 32), opcode))
case("jal x1, 0", 0x36, (RD, 1))
case("jal x0, 100", 0x36, ((96, 32), 100))
case("jalr x1, x30, -4", 0x37, (RD, 1), (RS1, 30), (IMM, -4))

section("scalar memory")
for opcode, name in [(0x38, "lb"), (0x39, "lbu"), (0x3A, "lw"), (0x3B, "lwu"), (0x3C, "ld")]:
    case(f"{name} x9, x17, 64", opcode, (RD, 9), (RS1, 17), (IMM, 64))
for opcode, name in [(0x3D, "sb"), (0x3E, "sw"), (0x3F, "sd")]:
    case(f"{name} x9, x17, -8", opcode, (RS2, 9), (RS1, 17), (IMM, -8))

section("view registers (the test declares 43982 views)")
case("view v1, 0", 0x40, (V_VD, 1))
case("view v31, 43981", 0x40, (V_VD, 31), (V_TEMPLATE, 43981))
case("view v2, 3, base=x10", 0x40, (V_VD, 2), (V_TEMPLATE, 3), (V_BASE, 10))
case("view v21, 5, base=x31, offset=-64, dim0=3, size0=x21, dim1=2, size1=x10", 0x40, (V_VD, 21), (V_TEMPLATE, 5),
     (V_BASE, 31), (IMM, -64), (V_DIM0, 3), (V_SIZE0, 21), (V_DIM1, 2), (V_SIZE1, 10))
case("view.size v10, 2, x21", 0x41, (V_VD, 10), (V_DIM0, 2), (V_BASE, 21))
case("view.stride v21, 1, x10", 0x42, (V_VD, 21), (V_DIM0, 1), (V_BASE, 10))
case("view.advance v5, x6", 0x43, (V_VD, 5), (V_BASE, 6))
case("view.advance v31, x31, offset=4096", 0x43, (V_VD, 31), (V_BASE, 31), (IMM, 4096))
case("view.remote v7, x8, x9", 0x44, (V_VD, 7), (V_BASE, 8), (V_CHIP, 9))

# Every field that engine instructions share, once.
SYNC = ((ON, 9), (WAIT0, 33), (WAIT0N, 15), (WAIT1, 21), (WAIT1N, 10), (POST0, 42), (POST0N, 5), (POST1, 63), (POST1N, 8))
SYNC_TEXT = "on=9 wait s33:15, s21:10, post s42:5, s63:8"

section("DMA")
case("dma.copy v1, v8 post s1", 0x50, (VD, 1), (VA, 8), (POST0, 1), (POST0N, 1))
case(f"dma.copy v31, v21, remote_post, {SYNC_TEXT}", 0x50, (VD, 31), (VA, 21), (FLAG82, 1), *SYNC)
case("dma.gather v1, v2, v3", 0x51, (VD, 1), (VA, 2), (VB, 3))
case(f"dma.gather v21, v10, v31, remote_post, {SYNC_TEXT}", 0x51, (VD, 21), (VA, 10), (VB, 31), (FLAG82, 1), *SYNC)
case("dma.scatter v10, v21, v16", 0x52, (VD, 10), (VA, 21), (VB, 16))
case("dma.transpose v16, v17 wait s2", 0x53, (VD, 16), (VA, 17), (WAIT0, 2), (WAIT0N, 1))
case("dma.fill v3, 0.0", 0x54, (VD, 3))
case("dma.fill v3, 1.5, remote_post", 0x54, (VD, 3), (IMM, 0x3FC00000), (FLAG82, 1))
case("dma.fill v3, int(-1)", 0x54, (VD, 3), (IMM, -1))
case("dma.fill v3, 0x7fc00001", 0x54, (VD, 3), (IMM, 0x7FC00001))
case("dma.sync wait s4", 0x55, (WAIT0, 4), (WAIT0N, 1))
case("dma.sync wait _, s4:2, post _, s5", 0x55, (WAIT1, 4), (WAIT1N, 2), (POST1, 5), (POST1N, 1))
case(f"dma.sync {SYNC_TEXT}", 0x55, *SYNC)

section("MXU")
case("mxu.load v2 wait s2", 0x60, (VA, 2), (WAIT0, 2), (WAIT0N, 1))
case(f"mxu.load v21, transposed, {SYNC_TEXT}", 0x60, (VA, 21), (FLAG82, 1), *SYNC)
case("mxu.matmul v4, v1, accumulate wait s1, post s3", 0x61, (VD, 4), (VA, 1), (FLAG83, 1), (WAIT0, 1), (WAIT0N, 1),
     (POST0, 3), (POST0N, 1))
case("mxu.matmul v4, v1, on=1", 0x61, (VD, 4), (VA, 1), (ON, 1))
case("mxu.sync post s0", 0x62, (POST0N, 1))

section("VPU, one source")
for opcode, name in enumerate(["mov", "neg", "abs", "relu", "exp", "log", "sqrt", "rsqrt", "recip", "sigmoid", "tanh",
                               "erf", "silu", "gelu", "gelu_tanh", "sin", "cos", "floor", "round"], 0x70):
    case(f"vpu.{name} v{opcode - 0x70}, v30", opcode, (VD, opcode - 0x70), (VA, 30))
case(f"vpu.mov v21, v10, {SYNC_TEXT}", 0x70, (VD, 21), (VA, 10), *SYNC)

section("VPU, two sources")
for opcode, name in enumerate(["add", "sub", "mul", "div", "max", "min", "lt", "le", "eq", "ne"], 0x90):
    case(f"vpu.{name} v21, v10, v{opcode - 0x80}", opcode, (VD, 21), (VA, 10), (VB, opcode - 0x80))
case(f"vpu.add v1, v2, v31, {SYNC_TEXT}", 0x90, (VD, 1), (VA, 2), (VB, 31), *SYNC)

section("VPU, a source and a scalar")
for opcode, name in enumerate(["add", "sub", "rsub", "mul", "div", "rdiv", "max", "min", "lt", "le", "gt", "ge", "eq",
                               "ne"], 0xA0):
    case(f"vpu.{name}.x v1, v2, x{opcode - 0xA0 + 17}", opcode, (VD, 1), (VA, 2), (X, opcode - 0xA0 + 17))
    case(f"vpu.{name}.i v1, v2, -2.0", opcode + 0x10, (VD, 1), (VA, 2), (IMM, 0xC0000000))
case("vpu.mul.i v1, v2, inf", 0xB3, (VD, 1), (VA, 2), (IMM, 0x7F800000))
case("vpu.mul.i v1, v2, -inf", 0xB3, (VD, 1), (VA, 2), (IMM, 0xFF800000))
case("vpu.mul.i v1, v2, nan", 0xB3, (VD, 1), (VA, 2), (IMM, 0x7FC00000))
case("vpu.mul.i v1, v2, -0.0", 0xB3, (VD, 1), (VA, 2), (IMM, 0x80000000))
case("vpu.mul.i v1, v2, 0.1", 0xB3, (VD, 1), (VA, 2), (IMM, 0x3DCCCCCD))
case("vpu.mul.i v1, v2, 1e-45", 0xB3, (VD, 1), (VA, 2), (IMM, 0x00000001))
case("vpu.mul.i v1, v2, 3.4028235e38", 0xB3, (VD, 1), (VA, 2), (IMM, 0x7F7FFFFF))

section("VPU, reductions")
for opcode, name in enumerate(["sum", "rowmax", "rowmin", "sumsq", "argmax"], 0xC0):
    case(f"vpu.{name} v10, v21", opcode, (VD, 10), (VA, 21))
case("vpu.topk v1, v2, v3", 0xC5, (VD, 1), (VC, 2), (VA, 3))
case(f"vpu.topk v21, v31, v10, {SYNC_TEXT}", 0xC5, (VD, 21), (VC, 31), (VA, 10), *SYNC)

section("VPU, the rest")
case("vpu.fused v1, v2", 0xC8, (VD, 1), (VA, 2), (IMM, 0x3F800000))
case("vpu.fused v1, v2, scale=0.0", 0xC8, (VD, 1), (VA, 2))
case(f"vpu.fused v21, v10, fn=square, scale_x=x21, scale=-0.5, bias=v31, row=v30, reduce=max, {SYNC_TEXT}", 0xC8,
     (VD, 21), (VA, 10), (FN, 17), (X, 21), (IMM, 0xBF000000), (BIAS, 32), (ROW, 31), (REDUCE, 2), *SYNC)
for number, fn in enumerate(["identity", "neg", "abs", "relu", "exp", "log", "sqrt", "rsqrt", "recip", "sigmoid", "tanh",
                             "erf", "silu", "gelu", "gelu_tanh", "sin", "cos", "square"]):
    case(f"vpu.fused v1, v2, fn={fn}, bias=v0, reduce=sum, row=v0", 0xC8, (VD, 1), (VA, 2), (FN, number),
         (IMM, 0x3F800000), (BIAS, 1), (ROW, 1), (REDUCE, 1))
case("vpu.select v1, v2, v3, v4", 0xC9, (VD, 1), (VA, 2), (VB, 3), (VC, 4))
case(f"vpu.select v21, v10, v21, v10, {SYNC_TEXT}", 0xC9, (VD, 21), (VA, 10), (VB, 21), (VC, 10), *SYNC)
case("vpu.affine_select v1, v2, x3", 0xCA, (VD, 1), (VA, 2), (X, 3))
case(f"vpu.affine_select v21, v10, x21, ci=-128, cj=127, fill=-inf, {SYNC_TEXT}", 0xCA, (VD, 21), (VA, 10), (X, 21),
     (CI, -128), (CJ, 127), (IMM, 0xFF800000), *SYNC)
case("vpu.iota v1, x2, 1", 0xCB, (VD, 1), (X, 2), (IMM, 1))
case("vpu.iota v31, x31, -3, on=15", 0xCB, (VD, 31), (X, 31), (IMM, -3), (ON, 15))
case("vpu.sync wait s7", 0xCC, (WAIT0, 7), (WAIT0N, 1))

print("# hi:lo  text. Made by make_encodings.py from a layout of its own; see there.")
print("\n".join(lines))

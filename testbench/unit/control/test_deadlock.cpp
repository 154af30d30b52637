// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

using heddle::test::Rig;

TEST_CASE("a deadlock names every waiting instruction and who could end it") {
  Rig rig(R"(
        .view t, spm, fp32, [4]
        .view u, spm, fp32, [4], base=64
start:  view v1, t
        view v2, u
        dma.fill v1, 1.0                post s1
        vpu.add  v2, v1, v1   wait s1:2, post s2
        sem.wait s2, 1
        sem.post s3, 1
        halt
)");
  REQUIRE_THROWS_WITH(rig.run(), contains("k.s:7: HDL-SEM-01: deadlock: 2 instructions wait") &&
                                     contains("core 0 vpu0: vpu.add") && contains("k.s:7, instruction 3") &&
                                     contains("waits for 2 of s1, which holds 1; posted by dma.fill at k.s:6") &&
                                     contains("core 0 sequencer: sem.wait") &&
                                     contains("waits for 1 of s2, which holds 0; posted by vpu.add at k.s:7") &&
                                     contains("(itself waiting)"));
}

TEST_CASE("a semaphore nobody posts is said to be one") {
  Rig rig("start: sem.wait s4, 2\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(), contains("HDL-SEM-01") && contains("waits for 2 of s4, which holds 0; no instruction "
                                                                    "of the program posts it"));
}

TEST_CASE("a full queue and a fence behind a waiting head are part of the report") {
  SECTION("queue") {
    Rig rig(R"(
start:  dma.sync wait s1
        dma.sync
        dma.sync
        dma.sync
        dma.sync
        sem.post s1, 1
        halt
)");
    REQUIRE_THROWS_WITH(rig.run(),
                        contains("cannot issue: the queue of dma0 is full") && contains("posted by sem.post at k.s:7"));
  }
  SECTION("fence") {
    Rig rig("start: mxu.sync on=1 wait s1, s1\n fence\n sem.post s1, 2\n halt\n");
    REQUIRE_THROWS_WITH(rig.run(),
                        contains("waits until every engine") && contains("waits for 2 of s1, which holds 0"));
  }
}

TEST_CASE("one core waiting for another that has ended") {
  Rig rig(R"(
start:  csrr x1, core_id
        beq  x1, x0, done
        sem.wait s1, 1
done:   halt
)",
          2);
  REQUIRE_THROWS_WITH(rig.run(), contains("HDL-SEM-01") && contains("core 1 sequencer"));
}

TEST_CASE("semaphores must be zero at exit") {
  Rig rig("start: dma.sync post s1:3, s2\n sem.wait s2, 1\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(), contains("HDL-SEM-02") && contains("core 0 ended") &&
                                     contains("s1 holds 3; posted by dma.sync at k.s:1"));
}

TEST_CASE("a semaphore does not pass 2^31 - 1") {
  Rig ok("start: sem.post s1, 0x7fffffff\n sem.wait s1, 0x7fffffff\n halt\n");
  ok.run();
  Rig rig("start: sem.post s1, 0x7fffffff\n dma.sync post s1\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(), contains("HDL-SEM-03") && contains("k.s:2"));
  Rig negative("start: sem.post s1, -1\n halt\n");
  REQUIRE_THROWS_WITH(negative.run(), contains("HDL-SEM-03"));
}

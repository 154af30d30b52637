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

TEST_CASE("two engines that wait for each other are a circle, each with what the other would post") {
  Rig rig("start: mxu.sync wait s0, post s1\n vpu.sync wait s1, post s0\n fence\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(),
                      contains("the circle:\n    mxu0 at k.s:1, instruction 0 waits for s0, which vpu0's k.s:2, "
                               "instruction 1 posts when it ends\n    vpu0 at k.s:2, instruction 1 waits for s1, which "
                               "mxu0's k.s:1, instruction 0 posts when it ends") &&
                          !contains("the end of it"));
}

TEST_CASE("an engine that waits for what its own queue holds behind it is a circle of one") {
  Rig rig("start: dma.sync wait s0\n dma.sync post s0\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(), contains("the circle:\n    dma0 at k.s:1, instruction 0 waits for s0, which k.s:2, "
                                          "instruction 1 posts, behind what dma0 waits in"));
}

TEST_CASE("a sequencer before a full queue is in the circle with the post that it has not issued") {
  Rig rig(R"(
start:  dma.sync wait s1
        dma.sync
        dma.sync
        dma.sync
        dma.sync
        vpu.sync post s1
        halt
)");
  REQUIRE_THROWS_WITH(rig.run(),
                      contains("dma0 at k.s:2, instruction 0 waits for s1, which k.s:7, instruction 5 posts, to which "
                               "sequencer has not come") &&
                          contains("sequencer at k.s:6, instruction 4 waits for room in the queue of dma0"));
}

TEST_CASE("a fence is in the circle with the engine that it waits for") {
  Rig rig("start: mxu.sync wait s1\n fence\n sem.post s1, 1\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(), contains("waits until mxu0 is idle") && contains("to which sequencer has not come"));
}

TEST_CASE("cores that wait for each other are a circle over both") {
  // Each core's sequencer waits for what the other's posts next.
  Rig rig(R"(
start:  csrr x1, core_id
        li   x2, 1
        sub  x2, x2, x1
        sem.wait s0, 1
        sem.post.remote s0, 1, x2, x0
        halt
)",
          2);
  REQUIRE_THROWS_WITH(rig.run(), contains("core 0 sequencer at k.s:5") && contains("core 1 sequencer at k.s:5") &&
                                     contains("waits for s0, which k.s:6, instruction 4 posts, to which core "));
}

TEST_CASE("what nobody is left to post is the end of it, not a circle that happens to be there") {
  // The first post has been taken already; the sequencer is past it.
  Rig rig("start: sem.post s1, 1\n vpu.sync wait s1:2, post s2\n sem.wait s2, 1\n halt\n");
  REQUIRE_THROWS_WITH(rig.run(),
                      contains("the end of it: vpu0 at k.s:2, instruction 1 waits for s1, and nobody who is left posts "
                               "it") &&
                          !contains("the circle"));
}

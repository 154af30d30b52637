// SPDX-License-Identifier: Apache-2.0
// Random kernels, checked for races by an oracle that only sees the image; and the oracle checked by removing waits.
#include <random>

#include "isa/asm/disassembler.hpp"
#include "sdk/sdk.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/happens_before.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

namespace {

// Writes a random kernel: tiles declared anywhere, used by every kind of engine, whole or in part, in loops with bounds
// known or not, in branches, beside pipes.
class RandomKernel {
 public:
  RandomKernel(KernelBuilder& k, unsigned seed) : k_(k), random_(seed) {}

  void record() {
    hbm_ = Tensor(k_.arg(0), fp32, {8, 8});
    for (int i = 0; i < 3; ++i) declare();
    body(0, 10);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void declare() {
    if (pick(3) == 0)
      accs_.push_back(k_.acc({8, 8}, fp32, depth(1 + pick(3))));
    else
      spms_.push_back(k_.spm({8, 8}, fp32, depth(1 + pick(3))));
  }
  const Spm& spm() {
    if (spms_.empty()) spms_.push_back(k_.spm({8, 8}, fp32));
    return spms_[static_cast<std::size_t>(pick(static_cast<int>(spms_.size())))];
  }
  const Acc& acc() {
    if (accs_.empty()) accs_.push_back(k_.acc({8, 8}));
    return accs_[static_cast<std::size_t>(pick(static_cast<int>(accs_.size())))];
  }

  void operate() {
    switch (pick(11)) {
      case 0:
        k_.load(spm(), hbm_, on_dma(pick(3)));
        break;
      case 1:
        k_.store(hbm_, spm(), on_dma(3));
        break;
      case 2: {
        const Spm to = spm(), a = spm(), b = spm();
        k_.add(to, a, b);
        break;
      }
      case 3: {
        const Acc to = acc();
        k_.load_stationary(spm());
        k_.matmul(to, spm(), overwrite);
        break;
      }
      case 4: {
        const Spm to = spm();
        k_.exp(to, acc());
        break;
      }
      case 5: {
        const Spm to = spm(), from = spm();
        if (to.buffer() != from.buffer()) k_.copy(to, from, on_dma(pick(4)));
        break;
      }
      case 6: {
        const int row = pick(8);
        k_.mul(spm().row(row), spm().row(pick(8)), 2);
        break;
      }
      case 7:
        k_.load(spm().rows(pick(2) * 4, 4), hbm_.slice(0, 0, 4), on_dma(pick(3)));
        break;
      case 8: {
        const Spm to = spm(), a = spm();
        if (to.buffer() != a.buffer()) k_.rowmax(to.col(pick(8)), a);
        break;
      }
      case 9: {
        const Spm part = spm().cols(pick(2) * 4, 4);
        k_.fill(part, 1, on_dma(pick(4)));
        break;
      }
      default: {
        if (index_.is_constant()) break;
        k_.neg(spm().row(index_ & 7), spm().row(index_ & 3));
        break;
      }
    }
  }

  void use_pipe(int depth_now) {
    const int slots = 1 + pick(3);
    auto pipe = k_.pipe({8, 8}, fp32, slots, on_dma(pick(3)));
    const int ahead = slots - 1;
    for (int i = 0; i < ahead; ++i) pipe.load(hbm_);
    const int turns = ahead + pick(4);
    const Scalar n = pick(2) == 0 ? Scalar(turns) : k_.arg(1) + (turns - 2);  // argument 1 is 2
    k_.loop(n, [&](Scalar i) {
      k_.if_(i < n - ahead, [&] {
        auto slot = pipe.acquire();
        k_.load(slot, hbm_, pipe.dma());
        if (pick(3) == 0) k_.add(slot, slot, 1);
      });
      auto slot = pipe.wait();
      const auto known = spms_.size();
      spms_.push_back(slot);
      body(depth_now + 1, 2 + pick(4));
      k_.add(spm(), slot, spm());
      spms_.erase(spms_.begin() + static_cast<std::ptrdiff_t>(known), spms_.end());
    });
  }

  void body(int depth_now, int steps) {
    const auto spms = spms_.size();
    const auto accs = accs_.size();
    for (int s = 0; s < steps; ++s) {
      const int what = pick(12);
      if (what == 0 && depth_now < 3) {
        const int turns = pick(4);
        const Scalar n = pick(2) == 0 ? Scalar(turns) : k_.arg(1) + (turns - 2);
        k_.loop(n, [&](Scalar i) {
          const Scalar outer = index_;
          index_ = i;
          body(depth_now + 1, 2 + pick(6));
          index_ = outer;
        });
      } else if (what == 1 && depth_now < 3 && !index_.is_constant()) {
        k_.if_(
            index_ < pick(3), [&] { body(depth_now + 1, 1 + pick(3)); }, [&] { body(depth_now + 1, pick(3)); });
      } else if (what == 2) {
        declare();
      } else if (what == 3 && depth_now < 2) {
        use_pipe(depth_now);
      } else if (what == 4 && pick(6) == 0) {
        k_.fence();
      } else {
        operate();
      }
    }
    spms_.erase(spms_.begin() + static_cast<std::ptrdiff_t>(spms), spms_.end());
    accs_.erase(accs_.begin() + static_cast<std::ptrdiff_t>(accs), accs_.end());
  }

  KernelBuilder& k_;
  std::mt19937 random_;
  Tensor hbm_;
  std::vector<Spm> spms_;
  std::vector<Acc> accs_;
  Scalar index_ = 0;
};

Target roomy() {
  Target t = small_target();
  t.semaphores = 256;  // more than instructions can name: only counted here
  t.smem_bytes = 64 << 10;
  return t;
}

isa::ProgramImage random_kernel(unsigned seed) {
  Target t = roomy();
  t.semaphores = 64;
  KernelBuilder k(t, "random");
  {
    auto scope = k.kernel("random");
    RandomKernel(k, seed).record();
  }
  return k.finish();
}

}  // namespace

TEST_CASE("Random kernels are free of races and deadlocks, and leave semaphores at zero", "[sdk][order]") {
  int recorded = 0;
  std::uint64_t instructions = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    isa::ProgramImage image;
    try {
      image = random_kernel(seed);
    } catch (const Error& e) {
      // A kernel that needs more than 64 semaphores is refused, not miscompiled.
      REQUIRE(e.id() == "HDL-SDK-14");
      continue;
    }
    ++recorded;
    for (const std::uint64_t argument : {2, 3}) {
      const OrderReport report = check_order(image, {0x10000, argument});
      instructions += report.engine_instructions;
      INFO("seed " << seed << ", argument " << argument << "\n" << isa::disassemble(image));
      if (!report.faults.empty()) FAIL(report.faults.front());
      if (!report.races.empty()) FAIL(report.races.front());
    }
  }
  CHECK(recorded > 200);
  CHECK(instructions > 20000);
}

TEST_CASE("The oracle sees a wait that is missing", "[sdk][order]") {
  int dropped = 0, seen = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    isa::ProgramImage image;
    try {
      image = random_kernel(seed);
    } catch (const Error&) {
      continue;
    }
    for (std::size_t i = 0; i < image.code.size(); ++i) {
      isa::Instruction in = isa::decode(image.code[i]);
      if (in[isa::FieldId::wait0_n] == 0 || dropped > 300) continue;
      // The wait moves to a new instruction's place at the end of the program, in effect: its count is simply left.
      in[isa::FieldId::wait0_n] = 0;
      in[isa::FieldId::wait0_sem] = 0;
      isa::ProgramImage mutant = image;
      mutant.code[i] = isa::encode(in);
      const OrderReport report = check_order(mutant, {0x10000, 3});
      const OrderReport whole = check_order(image, {0x10000, 3});
      if (report.faults == whole.faults && report.races == whole.races) continue;  // never executed
      ++dropped;
      seen += !report.races.empty();
    }
  }
  INFO(seen << " of " << dropped << " dropped waits give a race");
  CHECK(dropped > 100);
  // The others are implied by a longer way round, or only leave their semaphore above zero.
  CHECK(seen * 4 > dropped);
}

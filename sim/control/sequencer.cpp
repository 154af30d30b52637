// SPDX-License-Identifier: Apache-2.0
#include "sim/control/sequencer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "sim/control/scalar_ops.hpp"

namespace heddle::control {
namespace {

using isa::Opcode;

std::int64_t divided(Opcode op, std::int64_t a, std::int64_t b) {
  if (b == 0 && op == Opcode::div) fail(ErrorKind::program, "HDL-EXEC-08", "{} is divided by zero", a);
  if (b == 0) fail(ErrorKind::program, "HDL-EXEC-08", "the remainder of {} by zero", a);
  return scalar_result(op, a, b);
}

std::int64_t semaphore_count(std::int64_t n) {
  if (n < 0 || n > Semaphores::most) fail(ErrorKind::program, "HDL-SEM-03", "a count of {}; expected 0 to 2^31 - 1", n);
  return n;
}

}  // namespace

Sequencer::Sequencer(const config::ChipSpec& chip, exec::MachineMemory& memory, exec::ValueStream* stream,
                     std::uint32_t chip_id, std::uint32_t core_id)
    : spec_(chip),
      memory_(memory),
      stream_(stream),
      chip_id_(chip_id),
      core_id_(core_id),
      smem_(memory.region(isa::Space::smem, chip_id, core_id)),
      tiles_(static_cast<std::size_t>(chip.core.mxu.count)) {}

void Sequencer::start(const Program& program, std::uint32_t first_instruction, std::uint64_t constants_address) {
  program_ = &program;
  pc_ = first_instruction;
  sequence_ = 0;
  x_.fill(0);
  x_[2] = s(constants_address);
  v_.fill({});
  v_template_.fill(0);
  std::fill(tiles_.begin(), tiles_.end(), exec::StationaryShape{});
  kept_.assign(program.print_registers(), 0);
  came_by_jump_of_ = nowhere;
}

std::uint64_t Sequencer::smem_address(std::uint64_t address, std::uint64_t bytes) const {
  if (stream_ != nullptr) stream_->sync_smem(core_id_);
  if (address % bytes != 0 || address > smem_.capacity || bytes > smem_.capacity - address)
    fail(ErrorKind::program, "HDL-EXEC-08", "{} bytes of SMEM at {:#x}: {}", bytes, address,
         address % bytes != 0 ? "not aligned" : fmt::format("the memory has {}", smem_.capacity));
  return address;
}

template <class T>
std::int64_t Sequencer::load(const Micro& m) const {
  const std::uint64_t at = smem_address(u(x_[m.rs1]) + u(m.imm), sizeof(T));
  if (smem_.written != nullptr) memory_.check_written({isa::Space::smem, chip_id_, core_id_, at, sizeof(T)});
  if (stream_ != nullptr && stream_->observer() != nullptr)
    stream_->observer()->sequencer_access(core_id_, pc_, at, sizeof(T), false);
  T value;
  std::memcpy(&value, smem_.data + at, sizeof(T));
  return static_cast<std::int64_t>(value);
}

template <class T>
void Sequencer::store(const Micro& m) {
  const std::uint64_t at = smem_address(u(x_[m.rs1]) + u(m.imm), sizeof(T));
  const T value = static_cast<T>(x_[m.rs2]);
  std::memcpy(smem_.data + at, &value, sizeof(T));
  if (smem_.written != nullptr) exec::set_bits(smem_.written, at, sizeof(T));
  if (stream_ != nullptr && stream_->observer() != nullptr)
    stream_->observer()->sequencer_access(core_id_, pc_, at, sizeof(T), true);
}

Event Sequencer::run(std::uint64_t max_instructions, std::int64_t cycle) {
  Event event;
  try {
    if (watch_ != nullptr || (prints_ != nullptr && !program_->image().prints.empty()))
      interpret<true>(max_instructions, cycle, event);
    else
      interpret<false>(max_instructions, cycle, event);
  } catch (const Error& e) {
    throw exec::locate(e, program_->image(), chip_id_, core_id_, pc_, cycle < 0 ? -1 : cycle + event.cycles);
  }
  return event;
}

template <bool Watched>
void Sequencer::interpret(const std::uint64_t max_instructions, std::int64_t cycle, Event& event) {
  const Micro* const code = program_->code().data();
  const auto code_size = static_cast<std::uint32_t>(program_->code().size());
  const config::SequencerSpec& cost = spec_.core.sequencer;
  const std::int64_t plain = cost.cycles_per_instruction;
  std::uint64_t done = 0;
  std::int64_t cycles = 0;
  auto& x = x_;

  const auto leave = [&](EventKind kind, std::uint32_t pc) {
    event.kind = kind;
    event.pc = pc;
    event.cycles = cycles;
    event.instructions = done;
  };
  for (;;) {
    const std::uint32_t pc = pc_;
    if (done == max_instructions) return leave(EventKind::budget, pc);
    event.cycles = cycles;  // for an error's place
    if (pc >= code_size)
      fail(ErrorKind::program, "HDL-EXEC-08", "the program counter left the code of {} instructions", code_size);
    const Micro& m = code[pc];
    if constexpr (Watched) show(cycle < 0 ? -1 : cycle + cycles);
    ++done;
    std::uint32_t next = pc + 1;
    std::int64_t took = plain;
    const std::int64_t a = x[m.rs1];
    const std::int64_t b = x[m.rs2];
    const auto set = [&](std::int64_t value) {
      x[m.rd] = value;
      x[0] = 0;
    };
    const auto branch_if = [&](bool taken) {
      if (!taken) return;
      next = m.target;
      took = cost.branch_taken_cycles;
      if constexpr (Watched) came_by_jump_of_ = pc;
    };
    switch (m.op) {
      case Opcode::nop:
        break;
      case Opcode::halt:
        cycles += took;
        return leave(EventKind::halt, pc);  // pc stays here: a halted core halts again
      case Opcode::fence:
        cycles += took;
        pc_ = next;
        return leave(EventKind::fence, pc);
      case Opcode::trap:
        fail(ErrorKind::program, "HDL-EXEC-09", "trap {}", m.imm);
      case Opcode::sem_wait:
      case Opcode::sem_post:
      case Opcode::sem_post_remote: {
        const std::int64_t n = semaphore_count(s(u(m.imm) + u(a)));
        if (m.sem >= spec_.core.semaphores)
          fail(ErrorKind::program, "HDL-EXEC-10", "semaphore s{}; the core has {}", m.sem, spec_.core.semaphores);
        const bool remote = m.op == Opcode::sem_post_remote;
        if (remote) check_core(b, x[m.rs3]);
        if (n == 0) break;
        event.sem = m.sem;
        event.n = n;
        event.core = remote ? static_cast<std::uint32_t>(b) : core_id_;
        event.chip = remote ? static_cast<std::uint32_t>(x[m.rs3]) : chip_id_;
        cycles += took;
        pc_ = next;
        return leave(m.op == Opcode::sem_wait ? EventKind::sem_wait : EventKind::sem_post, pc);
      }
      case Opcode::csr_read:
        switch (static_cast<isa::Csr>(m.csr)) {
          case isa::Csr::core_id:
            set(core_id_);
            break;
          case isa::Csr::num_cores:
            set(spec_.cores);
            break;
          case isa::Csr::chip_id:
            set(chip_id_);
            break;
          case isa::Csr::num_chips:
            set(memory_.chips());
            break;
        }
        break;
      case Opcode::add:
        set(scalar_result(Opcode::add, a, b));
        break;
      case Opcode::sub:
        set(scalar_result(Opcode::sub, a, b));
        break;
      case Opcode::mul:
        took = cost.multiply_cycles;
        set(scalar_result(Opcode::mul, a, b));
        break;
      case Opcode::div:
        took = cost.divide_cycles;
        set(divided(Opcode::div, a, b));
        break;
      case Opcode::rem:
        took = cost.divide_cycles;
        set(divided(Opcode::rem, a, b));
        break;
      case Opcode::and_:
        set(scalar_result(Opcode::and_, a, b));
        break;
      case Opcode::or_:
        set(scalar_result(Opcode::or_, a, b));
        break;
      case Opcode::xor_:
        set(scalar_result(Opcode::xor_, a, b));
        break;
      case Opcode::sll:
        set(scalar_result(Opcode::sll, a, b));
        break;
      case Opcode::srl:
        set(scalar_result(Opcode::srl, a, b));
        break;
      case Opcode::sra:
        set(scalar_result(Opcode::sra, a, b));
        break;
      case Opcode::slt:
        set(scalar_result(Opcode::slt, a, b));
        break;
      case Opcode::sltu:
        set(scalar_result(Opcode::sltu, a, b));
        break;
      case Opcode::min:
        set(scalar_result(Opcode::min, a, b));
        break;
      case Opcode::max:
        set(scalar_result(Opcode::max, a, b));
        break;
      case Opcode::addi:
        set(scalar_result(Opcode::add, a, m.imm));
        break;
      case Opcode::muli:
        took = cost.multiply_cycles;
        set(scalar_result(Opcode::mul, a, m.imm));
        break;
      case Opcode::divi:
        took = cost.divide_cycles;
        set(divided(Opcode::div, a, m.imm));
        break;
      case Opcode::remi:
        took = cost.divide_cycles;
        set(divided(Opcode::rem, a, m.imm));
        break;
      case Opcode::andi:
        set(scalar_result(Opcode::and_, a, m.imm));
        break;
      case Opcode::ori:
        set(scalar_result(Opcode::or_, a, m.imm));
        break;
      case Opcode::xori:
        set(scalar_result(Opcode::xor_, a, m.imm));
        break;
      case Opcode::slli:
        set(scalar_result(Opcode::sll, a, m.imm));
        break;
      case Opcode::srli:
        set(scalar_result(Opcode::srl, a, m.imm));
        break;
      case Opcode::srai:
        set(scalar_result(Opcode::sra, a, m.imm));
        break;
      case Opcode::slti:
        set(scalar_result(Opcode::slt, a, m.imm));
        break;
      case Opcode::mini:
        set(scalar_result(Opcode::min, a, m.imm));
        break;
      case Opcode::maxi:
        set(scalar_result(Opcode::max, a, m.imm));
        break;
      case Opcode::li:
        set(m.imm);
        break;
      case Opcode::beq:
        branch_if(a == b);
        break;
      case Opcode::bne:
        branch_if(a != b);
        break;
      case Opcode::blt:
        branch_if(a < b);
        break;
      case Opcode::bge:
        branch_if(a >= b);
        break;
      case Opcode::bltu:
        branch_if(u(a) < u(b));
        break;
      case Opcode::bgeu:
        branch_if(u(a) >= u(b));
        break;
      case Opcode::jal:
        set(next);
        branch_if(true);
        break;
      case Opcode::jalr: {
        const std::uint64_t to = u(a) + u(m.imm);
        if (to >= code_size)
          fail(ErrorKind::program, "HDL-EXEC-08", "jumps to {}; the code has {} instructions", s(to), code_size);
        set(next);
        next = static_cast<std::uint32_t>(to);
        took = cost.branch_taken_cycles;
        if constexpr (Watched) came_by_jump_of_ = pc;
        break;
      }
      case Opcode::lb:
        took = cost.smem_load_cycles;
        set(load<std::int8_t>(m));
        break;
      case Opcode::lbu:
        took = cost.smem_load_cycles;
        set(load<std::uint8_t>(m));
        break;
      case Opcode::lw:
        took = cost.smem_load_cycles;
        set(load<std::int32_t>(m));
        break;
      case Opcode::lwu:
        took = cost.smem_load_cycles;
        set(load<std::uint32_t>(m));
        break;
      case Opcode::ld:
        took = cost.smem_load_cycles;
        set(load<std::int64_t>(m));
        break;
      case Opcode::sb:
        store<std::uint8_t>(m);
        break;
      case Opcode::sw:
        store<std::uint32_t>(m);
        break;
      case Opcode::sd:
        store<std::uint64_t>(m);
        break;
      case Opcode::view:
        build_view(m);
        break;
      case Opcode::view_size:
      case Opcode::view_stride:
      case Opcode::view_advance:
      case Opcode::view_remote:
        change_view(m);
        break;
      default:  // an engine instruction
        fill_op(m, pc);
        event.op = &op_;
        cycles += took;
        pc_ = next;
        return leave(EventKind::issue, pc);
    }
    cycles += took;
    pc_ = next;
  }
}

}  // namespace heddle::control

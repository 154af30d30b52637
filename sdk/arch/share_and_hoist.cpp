// SPDX-License-Identifier: Apache-2.0
// Makes the sequencer's part of the program short: equal pure values and views are computed once, those that do not
// change in a loop are moved in front of it (not out of a kernel), unused ones go. Also sees that no value is used
// where it is not certain to have been computed.
#include <algorithm>
#include <map>
#include <set>

#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;

namespace {

// Calls f(ValueId&) for each scalar that the node reads, and g(ViewId&) for each view.
template <class F, class G>
void each_operand(Node& n, F f, G g) {
  for (ValueId* v : {&n.rs1, &n.rs2, &n.rs3, &n.size0, &n.size1})
    if (*v != 0) f(*v);
  for (ViewChange& c : n.changes) {
    if (c.a != 0) f(c.a);
    if (c.b != 0) f(c.b);
  }
  if (n.kind == NodeKind::view) return;  // vd is its result
  for (ViewId* v : {&n.vd, &n.va, &n.vb, &n.vc, &n.bias, &n.row})
    if (*v != 0) g(*v);
}

bool falls_through(const Node& n) { return n.kind == NodeKind::kernel || n.kind == NodeKind::scope; }

// What only prints need is not computed by the program's instructions, and must not be shared or moved as if it were.
class ShownMarker {
 public:
  explicit ShownMarker(const Program& program)
      : code_needs_(program.values.size()), print_needs_(program.values.size()), views_(program.views) {}

  // Pure values are made once, before they are used: one pass from the end finds all that is needed.
  void visit(Block& block) {
    for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
      Node& n = *it;
      if (n.other) visit(*n.other);
      if (n.body) visit(*n.body);
      const bool is_view = n.kind == NodeKind::view;
      const bool needed = n.kind != NodeKind::print && (!n.pure || (is_view ? views_[n.vd] : code_needs_[n.rd]));
      n.shown = n.pure && !is_view && !needed && print_needs_[n.rd];
      if (!needed && !n.shown && n.kind != NodeKind::print) continue;
      each_operand(
          n, [&](ValueId& v) { (needed ? code_needs_ : print_needs_)[v] = true; },
          [&](ViewId& v) { views_[v] = true; });
    }
  }

 private:
  std::vector<bool> code_needs_, print_needs_, views_;
};

// ---- Sharing
class Sharer {
 public:
  explicit Sharer(Program& program)
      : program_(program),
        value_(program.values.size()),
        view_(program.views),
        visible_(program.values.size()),
        version_(program.values.size()) {
    for (ValueId i = 0; i < value_.size(); ++i) value_[i] = i;
    for (ViewId i = 0; i < view_.size(); ++i) view_[i] = i;
    visible_[0] = visible_[constants_base_value] = true;
  }

  void run() {
    for (EntryInfo& e : program_.entries) {
      scopes_.assign(1, {});
      visit(*e.body);
    }
  }

 private:
  using Key = std::vector<std::int64_t>;
  struct Scope {
    std::map<Key, std::uint32_t> known;
    std::vector<ValueId> defined;
    bool closed = false;  // a kernel: nothing outside is shared into it
  };

  Key key(const Node& n) const {
    Key k{static_cast<std::int64_t>(n.in.op), n.in[FieldId::imm],  n.in[FieldId::imm64], n.in[FieldId::csr],
          n.in[FieldId::view_template],       n.in[FieldId::dim0], n.in[FieldId::dim1]};
    const auto add = [&](ValueId v) {
      k.push_back(v);
      k.push_back(version_[v]);
    };
    for (const ValueId v : {n.rs1, n.rs2, n.size0, n.size1}) add(v);
    for (const ViewChange& c : n.changes) {
      k.push_back(static_cast<std::int64_t>(c.op));
      k.push_back(c.dim);
      add(c.a);
      add(c.b);
    }
    return k;
  }

  void define(ValueId v) {
    if (v == 0) return;
    if (!visible_[v]) scopes_.back().defined.push_back(v);
    visible_[v] = true;
    if (program_.values[v].variable) ++version_[v];
  }

  void use(Node& n) {
    each_operand(
        n,
        [&](ValueId& v) {
          v = value_[v];
          if (!visible_[v])
            fail_at({program_.files[n.file], n.line, 0}, ErrorKind::program, "HDL-SDK-03",
                    "a value computed inside a loop or branch is used outside of it; carry it out in a Var");
        },
        [&](ViewId& v) { v = view_[v]; });
  }

  void forget_assigned(const Block& block) {
    for (const Node& n : block.nodes) {
      if (n.rd != 0 && program_.values[n.rd].variable) ++version_[n.rd];
      if (n.body) forget_assigned(*n.body);
      if (n.other) forget_assigned(*n.other);
    }
  }

  void nested(Node& n, Block& block) {
    scopes_.emplace_back();
    scopes_.back().closed = n.kind == NodeKind::kernel;
    define(n.kind == NodeKind::loop ? n.rd : 0);
    visit(block);
    Scope done = std::move(scopes_.back());
    scopes_.pop_back();
    for (const ValueId v : done.defined) {
      if (falls_through(n))
        scopes_.back().defined.push_back(v);
      else
        visible_[v] = false;
    }
  }

  const std::uint32_t* find(const Key& k) const {
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
      if (const auto found = s->known.find(k); found != s->known.end()) return &found->second;
      if (s->closed) break;
    }
    return nullptr;
  }

  void visit(Block& block) {
    std::vector<bool> dropped(block.nodes.size());
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
      Node& n = block.nodes[i];
      use(n);
      if (n.body) {
        if (n.kind == NodeKind::loop) forget_assigned(*n.body);
        nested(n, *n.body);
        if (n.other) nested(n, *n.other);
        forget_assigned(*n.body);
        if (n.other) forget_assigned(*n.other);
        continue;
      }
      if (n.pure && !n.shown) {
        const bool is_view = n.kind == NodeKind::view;
        Key k = key(n);
        if (const std::uint32_t* known = find(k)) {
          if (is_view)
            view_[n.vd] = *known;
          else
            value_[n.rd] = *known;
          dropped[i] = true;
          continue;
        }
        scopes_.back().known[std::move(k)] = is_view ? n.vd : n.rd;
      }
      define(n.rd);
    }
    std::vector<Node> kept;
    kept.reserve(block.nodes.size());
    for (std::size_t i = 0; i < block.nodes.size(); ++i)
      if (!dropped[i]) kept.push_back(std::move(block.nodes[i]));
    block.nodes = std::move(kept);
  }

  Program& program_;
  std::vector<ValueId> value_;
  std::vector<ViewId> view_;
  std::vector<bool> visible_;
  std::vector<std::int64_t> version_;
  std::vector<Scope> scopes_;
};

// ---- Hoisting
void collect_defined(const Block& block, std::multiset<ValueId>& values) {
  for (const Node& n : block.nodes) {
    if (n.rd != 0) values.insert(n.rd);
    if (n.body) collect_defined(*n.body, values);
    if (n.other) collect_defined(*n.other, values);
  }
}

void take_invariant(Block& block, std::multiset<ValueId>& defined, std::vector<Node>& out) {
  std::vector<Node> kept;
  kept.reserve(block.nodes.size());
  for (Node& n : block.nodes) {
    if (n.kind == NodeKind::branch || n.kind == NodeKind::scope) {
      take_invariant(*n.body, defined, out);
      if (n.other) take_invariant(*n.other, defined, out);
    }
    bool fixed = n.pure && n.movable && !n.shown;
    if (fixed)
      each_operand(
          n, [&](ValueId& v) { fixed = fixed && defined.count(v) == 0; }, [](ViewId&) {});
    if (!fixed) {
      kept.push_back(std::move(n));
      continue;
    }
    if (n.rd != 0) defined.erase(n.rd);
    out.push_back(std::move(n));
  }
  block.nodes = std::move(kept);
}

void hoist(Block& block) {
  std::vector<Node> nodes;
  nodes.reserve(block.nodes.size());
  for (Node& n : block.nodes) {
    if (n.body) hoist(*n.body);
    if (n.other) hoist(*n.other);
    if (n.kind == NodeKind::loop) {
      std::multiset<ValueId> defined;
      defined.insert(n.rd);
      collect_defined(*n.body, defined);
      take_invariant(*n.body, defined, nodes);
    }
    nodes.push_back(std::move(n));
  }
  block.nodes = std::move(nodes);
}

// ---- Removal of what nothing reads
void count_uses(Block& block, std::vector<int>& values, std::vector<int>& views) {
  for (Node& n : block.nodes) {
    if (n.kind == NodeKind::print || n.shown) continue;
    each_operand(
        n, [&](ValueId& v) { ++values[v]; }, [&](ViewId& v) { ++views[v]; });
    if (n.body) count_uses(*n.body, values, views);
    if (n.other) count_uses(*n.other, values, views);
  }
}

void remove_unused(Block& block, std::vector<int>& values, std::vector<int>& views) {
  std::vector<Node> kept;
  for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
    Node& n = *it;
    if (n.other) remove_unused(*n.other, values, views);
    if (n.body) remove_unused(*n.body, values, views);
    if (n.pure && !n.shown && (n.kind == NodeKind::view ? views[n.vd] : values[n.rd]) == 0) {
      each_operand(
          n, [&](ValueId& v) { --values[v]; }, [&](ViewId& v) { --views[v]; });
      continue;
    }
    kept.push_back(std::move(n));
  }
  std::reverse(kept.begin(), kept.end());
  block.nodes = std::move(kept);
}

void keep_apart(Block& block, const std::set<ViewId>& views) {
  for (Node& n : block.nodes) {
    if (n.kind == NodeKind::view && views.count(n.vd) != 0) n.pure = n.movable = false;
    if (n.body) keep_apart(*n.body, views);
    if (n.other) keep_apart(*n.other, views);
  }
}

}  // namespace

void share_and_hoist(Program& program, const std::set<ViewId>& changed_views) {
  for (EntryInfo& e : program.entries) {
    keep_apart(*e.body, changed_views);
    ShownMarker(program).visit(*e.body);
  }
  Sharer(program).run();
  for (EntryInfo& e : program.entries) hoist(*e.body);
  Sharer(program).run();
  for (EntryInfo& e : program.entries) {
    std::vector<int> values(program.values.size()), views(program.views);
    count_uses(*e.body, values, views);
    remove_unused(*e.body, values, views);
  }
}

}  // namespace heddle::sdk

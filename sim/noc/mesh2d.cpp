// SPDX-License-Identifier: Apache-2.0
// A grid of routers, one core at each in row-major order, XY routing: first along the row, then along the column.
// `columns` routers a row, or the squarest grid that holds the cores; a last row may have routers without a core.
// Memory ports sit at the left and right edges, the way stacks flank a die: port 0 left of row 0, port 1 right of row
// 0, port 2 left of row 1, and so on, beginning again at row 0 when the rows are used up. A port has links of its own
// into and out of its router.

#include <algorithm>

#include "sim/noc/link_network.hpp"
#include "sim/noc/registry.hpp"

namespace heddle::noc {
namespace {

int squarest(int cores) {
  int c = 1;
  while (c * c < cores) ++c;
  return c;
}

class Mesh2d final : public LinkNetwork {
 public:
  Mesh2d(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period)
      : LinkNetwork(spec, cores, memory_ports, period),
        columns_(spec.columns > 0 ? static_cast<int>(std::min<std::int64_t>(spec.columns, cores)) : squarest(cores)),
        rows_((cores + columns_ - 1) / columns_) {
    for (int n = 0; n < nodes(); ++n) add_link(node_name(n) + " out");
    for (int n = 0; n < nodes(); ++n) add_link(node_name(n) + " in");
    first_router_link_ = 2 * nodes();
    for (int r = 0; r < rows_ * columns_; ++r)
      for (const char* to : {"east", "west", "south", "north"}) add_link("router" + std::to_string(r) + " " + to);
  }

 protected:
  enum Direction { east, west, south, north };

  int router_of(int node) const {
    if (node < cores()) return node;
    const int port = node - cores();
    const int row = (port / 2) % rows_;
    return row * columns_ + (port % 2 == 0 ? 0 : columns_ - 1);
  }

  void route(int from, int to, std::vector<LinkIndex>& out) const override {
    const int source = router_of(from);
    const int target = router_of(to);
    int x = source % columns_;
    int y = source / columns_;
    const int to_x = target % columns_;
    const int to_y = target / columns_;
    out.push_back(from);
    for (; x < to_x; ++x) out.push_back(link(x, y, east));
    for (; x > to_x; --x) out.push_back(link(x, y, west));
    for (; y < to_y; ++y) out.push_back(link(x, y, south));
    for (; y > to_y; --y) out.push_back(link(x, y, north));
    out.push_back(nodes() + to);
  }

 private:
  LinkIndex link(int x, int y, Direction d) const { return first_router_link_ + 4 * (y * columns_ + x) + d; }

  int columns_, rows_;
  LinkIndex first_router_link_ = 0;
};

const Registration registration{
    "mesh2d", [](const config::NocSpec& spec, int cores, int memory_ports, TimeFs period) {
      return std::unique_ptr<INocModel>(std::make_unique<Mesh2d>(spec, cores, memory_ports, period));
    }};

}  // namespace
}  // namespace heddle::noc

// SPDX-License-Identifier: Apache-2.0
#include "isa/def/fields.hpp"

#include "isa/def/formats.hpp"

namespace heddle::isa {

std::span<const Field> fields_of(FormatId format) {
  switch (format) {
    case FormatId::none:
      return layout::none_;
#define HEDDLE_FORMAT(name) \
  case FormatId::name:      \
    return layout::name;
      HEDDLE_FORMAT(trap)
      HEDDLE_FORMAT(sem_wait)
      HEDDLE_FORMAT(sem_post)
      HEDDLE_FORMAT(sem_post_remote)
      HEDDLE_FORMAT(csr)
      HEDDLE_FORMAT(scalar_r)
      HEDDLE_FORMAT(scalar_i)
      HEDDLE_FORMAT(load_immediate)
      HEDDLE_FORMAT(branch)
      HEDDLE_FORMAT(jump)
      HEDDLE_FORMAT(jump_register)
      HEDDLE_FORMAT(smem_load)
      HEDDLE_FORMAT(smem_store)
      HEDDLE_FORMAT(view)
      HEDDLE_FORMAT(view_dim)
      HEDDLE_FORMAT(view_advance)
      HEDDLE_FORMAT(view_remote)
      HEDDLE_FORMAT(engine_only)
      HEDDLE_FORMAT(dma_2)
      HEDDLE_FORMAT(dma_3)
      HEDDLE_FORMAT(dma_fill)
      HEDDLE_FORMAT(mxu_load)
      HEDDLE_FORMAT(mxu_matmul)
      HEDDLE_FORMAT(vpu_unary)
      HEDDLE_FORMAT(vpu_binary)
      HEDDLE_FORMAT(vpu_scalar_x)
      HEDDLE_FORMAT(vpu_scalar_i)
      HEDDLE_FORMAT(vpu_topk)
      HEDDLE_FORMAT(vpu_fused)
      HEDDLE_FORMAT(vpu_select)
      HEDDLE_FORMAT(vpu_affine_select)
      HEDDLE_FORMAT(vpu_iota)
#undef HEDDLE_FORMAT
    case FormatId::count_:
      break;
  }
  return {};
}

}  // namespace heddle::isa

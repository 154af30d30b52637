// SPDX-License-Identifier: Apache-2.0
// heddle generate --bisect: where a model's run leaves the model's mathematics.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "models/session/session.hpp"
#include "sim/app/bisect/model_watch.hpp"

namespace heddle::app {

struct ModelBisection {
  std::string model, chip;
  DType dtype = DType::bf16;
  hdl_mode mode = HDL_MODE_FULL;
  std::int64_t prompt_tokens = 0, new_tokens = 0;
  std::int64_t launches = 0, operations = 0;  // that were held against the mathematics
  std::uint64_t instructions = 0;
  std::optional<ModelDivergence> divergence;

  std::string text() const;
  nlohmann::json json() const;
};

// The run of Session::generate(), and where it is wrong once more up to there. Throws what the session throws.
ModelBisection bisect_model(const hdl_api* api, sdk::OpenOptions device, const weights::ModelFile& model,
                            const models::SessionOptions& options, std::span<const std::int32_t> prompt,
                            std::int64_t new_tokens, const models::SamplingParams& sampling,
                            std::optional<double> tolerance = std::nullopt);

}  // namespace heddle::app

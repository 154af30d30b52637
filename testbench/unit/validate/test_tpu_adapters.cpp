// SPDX-License-Identifier: Apache-2.0
// What rows of the TPU tables become, and which are refused.
#include <algorithm>

#include "sim/app/validate/adapter.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::validate;

namespace {

std::vector<Case> cases(const std::string& text, const std::string& path = "tpu_v3_core.csv") {
  return make_cases(*parse_table(text, path), {});
}

std::string complaint(const std::string& text, const std::string& path = "tpu_v3_core.csv") {
  try {
    cases(text, path);
  } catch (const Error& e) {
    return e.id() + " " + e.what();
  }
  return {};
}

// Every metric that is needed, of one application.
std::string applications(const std::string& weights, const std::string& layers, const std::string& batch,
                         const std::string& shift, const std::string& useful, const std::string& tops) {
  return "metric,APP\nlayers_FC," + layers + "\nlayers_Conv,\nlayers_Vector,\nweights_M," + weights + "\nbatch," +
         batch + "\narray_active_pct,10\nuseful_macs_pct_peak," + useful + "\nweight_stall_pct,50\nweight_shift_pct," +
         shift + "\nnon_matrix_pct,20\nTOPS_measured," + tops + "\n";
}

}  // namespace

TEST_CASE("a workload's numbers are its kernel's sizes, and the chip follows from the table's name") {
  const auto all = cases(
      "workload,measured_cycles\ngemm_64x32x16,10\nlayernorm_8x768,10\nsoftmax_4x512,10\nattention_2x64x32,10\n"
      "bert_base,10\nbert_large,10\n");
  REQUIRE(all.size() == 6);
  CHECK(all[0].group == "gemm");
  CHECK(all[0].label == "64x32x16");
  CHECK(all[0].chip == "tpu-v3");
  CHECK(all[3].group == "attention");
  CHECK(all[5].group == "bert_large");
  for (const Case& c : all) CHECK(c.place.line > 1);
}

TEST_CASE("a workload that is none is refused by name, never skipped") {
  const std::string head = "workload,measured_cycles\n";
  for (const char* bad :
       {"conv_1x2x3", "gemm_64x32", "gemm_64x32x16x8", "gemm_64x32x", "gemm_64xx32x16", "gemm_0x32x16", "gemm_-1x32x16",
        "layernorm_8", "softmax_axb", "attention_1x2x3y", "bert", "gemm_99999999999999999999x1x1", ""}) {
    CAPTURE(bad);
    CHECK_THAT(complaint(head + bad + ",10\n"), contains("HDL-VAL-40") && contains(std::string("'") + bad + "'"));
  }
  CHECK_THAT(complaint("workload,measured_cycles,m\ngemm_1x1x1,10,2\n"), contains("HDL-VAL-04"));
  CHECK_THAT(complaint(head + "gemm_1x1x1,none\n"), contains("HDL-VAL-"));
}

TEST_CASE("on-chip rows are products whose operands lie in the scratchpad") {
  const std::string head = "kernel,m,k,n,dtype,measured_ns\n";
  const auto all = cases(head + "gemm,32,64,16,fp16,1100\n", "tpu_v4_gemm_on_chip.csv");
  REQUIRE(all.size() == 1);
  CHECK(all[0].chip == "tpu-v4");
  CHECK_THAT(complaint(head + "conv,32,64,16,fp16,1100\n", "tpu_v4_gemm_on_chip.csv"), contains("HDL-VAL-41"));
  CHECK_THAT(complaint(head + "gemm,32,64,16,fp4,1100\n", "tpu_v4_gemm_on_chip.csv"), contains("HDL-VAL-08"));
}

TEST_CASE("layers of an application follow from its weights, layers and counters") {
  // 20 M weights are 305 tiles, 61 a layer: 6 x 10 is nearest. The counters' shifts (283 tiles) are fewer.
  CHECK(cases(applications("20", "5", "200", "15.9", "12.5", "12.3"), "tpu_v1_x.csv").at(0).label ==
        "rows=200 k=1536 n=2560 layers=5");
  // 52 M are 793 tiles, 33 a layer: 4 x 8. Useful operations are twice what TOPS counts: two passes of the batch.
  CHECK(cases(applications("52", "24", "64", "15.8", "8.2", "3.7"), "tpu_v1_x.csv").at(0).label ==
        "rows=128 k=1024 n=2048 layers=24");
  // 34 M would be 519 tiles, but 17.1 % of 1.63 M cycles shift 1090: 29 a layer, 5 x 6.
  CHECK(cases(applications("34", "37", "96", "17.1", "6.3", "2.8"), "tpu_v1_x.csv").at(0).label ==
        "rows=192 k=1280 n=1536 layers=37");
}

TEST_CASE("a table of applications says what it lacks") {
  CHECK_THAT(complaint("metric,APP\nweight_shift_pct,10\n", "tpu_v1_x.csv"),
             contains("HDL-VAL-42") && contains("layers_FC"));
  CHECK_THAT(complaint(applications("0", "5", "200", "15.9", "12.5", "12.3"), "tpu_v1_x.csv"), contains("HDL-VAL-"));
  CHECK_THAT(complaint(applications("many", "5", "200", "15.9", "12.5", "12.3"), "tpu_v1_x.csv"), contains("HDL-VAL-"));
}

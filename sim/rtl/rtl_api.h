/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator with its matrix units in RTL, values and cycles, behind the device ABI. Opens in full mode, for chips
 * whose array the RTL was built as (HDL-RTL-02, -03 otherwise); HDL-RTL-01 where it was built without Verilator. */
#ifndef HEDDLE_SIM_RTL_RTL_API_H
#define HEDDLE_SIM_RTL_RTL_API_H
#include "isa/abi/device.h"

#ifdef __cplusplus
extern "C" {
#endif

const hdl_api* hdl_rtl_api(void);

#ifdef __cplusplus
}
#endif
#endif

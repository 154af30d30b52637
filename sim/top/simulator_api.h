/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator behind the device ABI. One timing or full mode device at a time in a process. */
#ifndef HEDDLE_SIM_TOP_SIMULATOR_API_H
#define HEDDLE_SIM_TOP_SIMULATOR_API_H
#include "isa/abi/device.h"

#ifdef __cplusplus
extern "C" {
#endif

const hdl_api* hdl_simulator_api(void);

#ifdef __cplusplus
}
#endif
#endif

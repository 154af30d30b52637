/* SPDX-License-Identifier: Apache-2.0 */
/* A plain CPU behind the device ABI: the program, interpreted without a clock, with the matrix unit's values from plain
 * scalar loops. Opens in values mode only (HDL-DEV-05 otherwise). */
#ifndef HEDDLE_SIM_TOP_REFERENCE_API_H
#define HEDDLE_SIM_TOP_REFERENCE_API_H
#include "isa/abi/device.h"

#ifdef __cplusplus
extern "C" {
#endif

const hdl_api* hdl_reference_api(void);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The device ABI: what a host program talks to. The simulator is one implementation; a CPU reference, RTL or silicon
 * may be others. Every function returns a status; the text of the last failure is in last_error(). Not thread-safe per
 * device.
 *
 * Launch state: each core starts at the entry point with all x registers zero but x2 (address in HBM of the image's
 * constants), and the arguments as 64-bit words at SMEM bytes 0.. . All cores run the same entry. */
#ifndef HEDDLE_ISA_ABI_DEVICE_H
#define HEDDLE_ISA_ABI_DEVICE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HDL_ABI_VERSION 1u

typedef enum hdl_status {
  HDL_OK = 0,
  HDL_BAD_INPUT = 1,
  HDL_PROGRAM_ERROR = 2,
  HDL_UNSUPPORTED = 3,
  HDL_INTERNAL = 4
} hdl_status;

typedef enum hdl_mode { HDL_MODE_VALUES = 0, HDL_MODE_TIMING = 1, HDL_MODE_FULL = 2 } hdl_mode;

typedef struct hdl_device hdl_device;
typedef uint32_t hdl_image; /* 0: none */

typedef struct hdl_open_options {
  const char* chip;             /* path of a chip file, or a preset's name */
  const char* const* overrides; /* "core.mxu.rows=128", ... */
  size_t override_count;
  hdl_mode mode;
  uint32_t host_threads; /* 0: as many as help; never changes a result */
} hdl_open_options;

/* What a program needs to know about a chip to be written for it. */
typedef struct hdl_chip_info {
  char name[64];
  uint64_t clock_hz;
  uint32_t cores, chips;
  uint32_t mxu_count, mxu_rows, mxu_cols;
  uint32_t vpu_count, vpu_lanes, vpu_sublanes;
  uint32_t dma_engines;
  uint32_t queue_depth;
  uint32_t semaphores;
  uint32_t spm_banks, spm_width_bytes;
  uint64_t spm_bytes, acc_bytes, smem_bytes, hbm_bytes;
  uint64_t hbm_bytes_per_second;
  double macs_per_cycle[8]; /* of one core, all MXUs together, by dtype number; 0: not supported */
  /* What programs compiled for this machine do by habit; a kernel may follow it. */
  uint64_t stage_bytes;      /* operands of up to so many bytes are copied whole to SPM before a product; 0: none */
  uint32_t ragged_attention; /* attention runs as JAX's ragged paged attention */
} hdl_chip_info;

typedef struct hdl_error_info {
  const char* id;      /* "HDL-..." */
  const char* message; /* one line, with the place in front */
  const char* file;    /* may be empty */
  uint32_t line;
} hdl_error_info;

/* Monotone since open; read before and after and subtract. Names are stable, such as "cycles", "core0.mxu0.busy". */
typedef struct hdl_counter {
  const char* name;
  const char* unit; /* "cycles", "bytes", "instructions", "fs", ... */
  const char* description;
  uint64_t value;
} hdl_counter;

typedef struct hdl_api {
  uint32_t abi_version;
  const char* name; /* "simulator", ... */
  hdl_status (*open)(const hdl_open_options* options, hdl_device** device);
  void (*close)(hdl_device* device);
  /* device may be NULL: the last failure of open in this thread. Valid until the next call. */
  hdl_error_info (*last_error)(const hdl_device* device);
  hdl_status (*chip_info)(hdl_device* device, hdl_chip_info* info);
  hdl_status (*allocate)(hdl_device* device, uint64_t bytes, uint64_t alignment, uint64_t* address);
  hdl_status (*release)(hdl_device* device, uint64_t address);
  hdl_status (*write)(hdl_device* device, uint64_t address, const void* data, uint64_t bytes);
  hdl_status (*read)(hdl_device* device, uint64_t address, void* data, uint64_t bytes);
  hdl_status (*load_image)(hdl_device* device, const void* data, size_t bytes, hdl_image* image);
  hdl_status (*unload_image)(hdl_device* device, hdl_image image);
  /* Starts a launch; wait() runs it to its end. A second launch before wait() is HDL_BAD_INPUT. */
  hdl_status (*launch)(hdl_device* device, hdl_image image, const char* entry, const uint64_t* arguments, size_t count);
  hdl_status (*wait)(hdl_device* device);
  /* Fills at most `capacity` rows, sets *count to how many there are. */
  hdl_status (*counters)(hdl_device* device, hdl_counter* rows, size_t capacity, size_t* count);
} hdl_api;

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * real_card: for tests of NVIDIA's cards. With TESSERA_TEST_REAL_CARD=1 a launch of PTX runs on the
 * machine's NVIDIA GPU instead of the PTX emulator, so that a test holds the card against the
 * reference interpreter, and what the emulator claims against the card. It needs NVIDIA's driver
 * library and a card that executes the target of the code.
 *
 * Memory of the emulated device is memory of the host, which the card reaches at the same address
 * while a launch runs (cuMemHostRegister); bulk reductions to it and multicast copies of it end as
 * illegal instructions. Nothing is found there (races, missing waits). After a fault, a failed
 * assertion too, no other launch of the process succeeds. A kernel that has not ended after 20
 * seconds ends the program: the card would not come back.
 */
#ifndef TSR_TESTS_REAL_CARD_H
#define TSR_TESTS_REAL_CARD_H

#include "emu/ptx/image.h"

bool real_card_wanted(void);

/* The name of a device for tsr_device_open: cuda:0 in place of an emulated card of NVIDIA's, where
 * the real card is wanted. */
const char *real_card_name(const char *device);

/* A device for the memory of a launch: what emu_device_create makes, with addresses of the host
 * where the real card is wanted. */
emu_device *real_card_device(const emu_device_info *info);

/* ptx_image_run, on the emulator or on the card. */
tsr_status real_card_run(const ptx_image *image, const ptx_function *entry,
                         const emu_launch_options *o, emu_fault *fault);

#endif

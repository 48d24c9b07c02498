/* What the fuzz targets share. Each is built and run by tests/fuzz/build-and-run. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called by libFuzzer with one input after the other. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): it must be there in every build. */
#define CHECK(condition) \
	((condition) ? (void) 0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif

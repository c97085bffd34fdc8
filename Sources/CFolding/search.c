#define _GNU_SOURCE
#include "CFolding.h"

#include <string.h>

int quire_contains(const void *text, size_t length, const void *run, size_t run_length) {
    return memmem(text, length, run, run_length) != NULL;
}

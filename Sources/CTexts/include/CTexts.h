#ifndef QUIRE_CTEXTS_H
#define QUIRE_CTEXTS_H

#include <stddef.h>

/// The bytes of a language's catalog, which live as long as the program; NULL without one.
const unsigned char *_Nullable quire_text_catalog(const char *_Nonnull language, size_t *_Nonnull size);

#endif

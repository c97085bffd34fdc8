#include "CTexts.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// In C, because Swift would compile everything above once more when a text changes.
static const unsigned char ru[] = {
#embed "../Localization/Texts/ru.json"
};

static const struct {
    const char *language;
    const unsigned char *bytes;
    size_t size;
} catalogs[] = {
    {"ru", ru, sizeof ru},
};

const unsigned char *quire_text_catalog(const char *language, size_t *size) {
    for (size_t index = 0; index < sizeof catalogs / sizeof *catalogs; index++) {
        if (strcmp(catalogs[index].language, language) == 0) {
            *size = catalogs[index].size;
            return catalogs[index].bytes;
        }
    }
    return NULL;
}

#ifndef QUIRE_CFOLDING_H
#define QUIRE_CFOLDING_H

#include <stddef.h>
#include <stdint.h>

// Two-stage table of the text folding (made by generate.py). A code point below QUIRE_FOLD_LIMIT is looked up as
// quire_fold_blocks[quire_fold_pages[c >> 6]][c & 63]:
//   0            stands for itself
//   1            is dropped (accents, joiners, apostrophes)
//   0x80000000+i becomes several code points: quire_fold_sequences[i] holds their number, they follow it
//   any other    becomes that code point (0x20 for punctuation and spaces)
#define QUIRE_FOLD_LIMIT 0x20000

extern const uint16_t quire_fold_pages[QUIRE_FOLD_LIMIT >> 6];
extern const uint32_t quire_fold_blocks[][64];
extern const uint32_t quire_fold_sequences[];

static inline uint32_t quire_fold_lookup(uint32_t c) {
    return c < QUIRE_FOLD_LIMIT ? quire_fold_blocks[quire_fold_pages[c >> 6]][c & 63] : 0;
}

/// Whether `run` occurs in `text`, both as bytes: memmem(3).
int quire_contains(const void *text, size_t length, const void *run, size_t run_length);

static inline uint32_t quire_fold_sequence(uint32_t place) { return quire_fold_sequences[place]; }

#endif

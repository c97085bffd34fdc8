// The corpus, and time: what the programs in C share.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(74);
}

// MARK: Time

static struct timespec timing_began;
static struct rusage usage_began;

static inline long long now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline double cpu_seconds(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static inline void begin_timing(void) {
    getrusage(RUSAGE_SELF, &usage_began);
    clock_gettime(CLOCK_MONOTONIC, &timing_began);
}

static inline void end_timing(size_t operations) {
    struct timespec now;
    struct rusage usage;
    clock_gettime(CLOCK_MONOTONIC, &now);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"wall\": %.6f, \"cpu\": %.6f, \"operations\": %zu}\n",
        (double)(now.tv_sec - timing_began.tv_sec) + (double)(now.tv_nsec - timing_began.tv_nsec) / 1e9,
        cpu_seconds(&usage) - cpu_seconds(&usage_began), operations);
}

// MARK: Files

static inline void write_all(int file, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t more = write(file, (const char *)bytes + done, count - done);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) die("write");
        done += (size_t)more;
    }
}

static inline void make_folder(const char *state, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", state, name);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) die(path);
}

static inline int folder_at(const char *state, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", state, name);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) die(path);
    return folder;
}

static inline const char *map_file(const char *path, size_t *length) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) die(path);
    *length = (size_t)status.st_size;
    const char *bytes = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) die(path);
    close(file);
    return bytes;
}

// MARK: The corpus

typedef struct {
    char *id, *hex, *title, *folded;
    const unsigned char *bytes;
    size_t length;
    long long expires, last_used;
} Document;

typedef struct {
    Document *documents;
    size_t count, longest;
} Corpus;

static inline char *field(char **rest) {
    char *start = *rest, *end = start + strcspn(start, "\t\n");
    *rest = *end ? end + 1 : end;
    *end = 0;
    return start;
}

/// Reads `corpus.tsv` and maps `corpus.bin`; every page is touched, so that no reading is measured.
static inline Corpus corpus_at(const char *folder) {
    char path[4096];
    size_t length, bytes;
    snprintf(path, sizeof path, "%s/corpus.tsv", folder);
    const char *table = map_file(path, &length);
    char *text = malloc(length + 1);
    memcpy(text, table, length);
    text[length] = 0;
    snprintf(path, sizeof path, "%s/corpus.bin", folder);
    const char *content = map_file(path, &bytes);
    volatile unsigned sum = 0;
    for (size_t i = 0; i < bytes; i += 4096) sum += (unsigned char)content[i];
    Corpus corpus = {0};
    size_t room = 1024, offset = 0;
    corpus.documents = malloc(room * sizeof(Document));
    for (char *rest = text; *rest;) {
        if (corpus.count == room) corpus.documents = realloc(corpus.documents, (room *= 2) * sizeof(Document));
        Document *document = &corpus.documents[corpus.count++];
        document->id = field(&rest);
        document->length = (size_t)atoll(field(&rest));
        document->hex = field(&rest);
        document->expires = atoll(field(&rest));
        document->last_used = atoll(field(&rest));
        document->title = field(&rest);
        document->folded = field(&rest);
        document->bytes = (const unsigned char *)content + offset;
        offset += document->length;
        if (document->length > corpus.longest) corpus.longest = document->length;
    }
    return corpus;
}

static inline size_t *shuffled(size_t count) {
    size_t *order = malloc((count + 1) * sizeof *order);
    unsigned long long state = 42;
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        size_t k = (size_t)((state >> 33) % i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    return order;
}

static inline int by_last_use(const void *left, const void *right) {
    long long a = (*(const Document *const *)left)->last_used, b = (*(const Document *const *)right)->last_used;
    return a < b ? -1 : a > b;
}

/// The half that was used least recently, or that has expired, ended by NULL.
static inline const Document **half_of(const Corpus *corpus, bool by_use) {
    const Document **half = calloc(corpus->count + 1, sizeof *half);
    size_t count = 0;
    for (size_t i = 0; i < corpus->count; i++)
        if (by_use || corpus->documents[i].expires <= now_milliseconds()) half[count++] = &corpus->documents[i];
    if (by_use) {
        qsort(half, count, sizeof *half, by_last_use);
        half[count / 2] = NULL;
    }
    return half;
}

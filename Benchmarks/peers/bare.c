// The bare loops: what each workload needs of the system and of zlib, and nothing more. They are the limit that the
// others are measured against. Each writes one line of JSON: seconds of wall time, seconds of CPU, operations.
//
//     bare WORKLOAD CORPUS STATE [NUMBER]
#define _GNU_SOURCE
#include "common.h"
#include "content.h"
#include <pthread.h>

static Corpus corpus;

// MARK: Filling and reading

typedef struct {
    const char *state;
    size_t first, step;
} Share;

static void *fill_share(void *argument) {
    const Share *share = argument;
    int temporary = folder_at(share->state, "tmp"), entries = folder_at(share->state, "entries");
    int blobs = folder_at(share->state, "blobs");
    z_stream stream;
    deflater(&stream);
    size_t room = deflateBound(&stream, corpus.longest) + 64;
    unsigned char *out = malloc(room);
    char hex[65], path[128], name[512], entry[4096], unnamed[32];
    for (size_t i = share->first; i < corpus.count; i += share->step) {
        const Document *document = &corpus.documents[i];
        sha256(document->bytes, document->length, hex);
        size_t length = packed(&stream, document->bytes, document->length, out, room);
        snprintf(unnamed, sizeof unnamed, "t%zx.tmp", i);
        snprintf(path, sizeof path, "%.2s/%s.json.gz", hex, hex);
        put(temporary, unnamed, out, length, blobs, path);
        int count = entry_of(document, hex, entry, sizeof entry);
        entry_name(document, name, sizeof name);
        put(temporary, unnamed, entry, (size_t)count, entries, name);
    }
    deflateEnd(&stream);
    free(out);
    return NULL;
}

static void fill(const char *state, size_t threads) {
    char shard[8];
    int blobs;
    make_folder(state, "");
    for (const char *const *name = (const char *const[]){"tmp", "entries", "blobs", NULL}; *name; name++)
        make_folder(state, *name);
    blobs = folder_at(state, "blobs");
    begin_timing();
    for (int i = 0; i < 256; i++) {
        snprintf(shard, sizeof shard, "%02x", i);
        if (mkdirat(blobs, shard, 0700) != 0) die(shard);
    }
    pthread_t running[64];
    Share shares[64];
    for (size_t i = 0; i < threads; i++) {
        shares[i] = (Share){state, i, threads};
        pthread_create(&running[i], NULL, fill_share, &shares[i]);
    }
    for (size_t i = 0; i < threads; i++) pthread_join(running[i], NULL);
    end_timing(corpus.count);
}

typedef struct {
    z_stream stream;
    unsigned char *stored, *bytes;
    size_t room;
} Reader;

/// The stream knows its own address, so it is made where it stays.
static Reader *reader_of(size_t longest) {
    Reader *reader = calloc(1, sizeof *reader);
    reader->room = longest + 65536;
    if (inflateInit2(&reader->stream, 15 + 16) != Z_OK) die("inflateInit2");
    reader->stored = malloc(reader->room);
    reader->bytes = malloc(reader->room);
    return reader;
}

/// Reads, unpacks and verifies one blob; returns its length.
static size_t content(Reader *reader, int blobs, const char *hex) {
    char path[128], found[65];
    snprintf(path, sizeof path, "%.2s/%s.json.gz", hex, hex);
    int file = openat(blobs, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) die(path);
    ssize_t count = read(file, reader->stored, reader->room);
    if (count < 0) die(path);
    close(file);
    inflateReset(&reader->stream);
    reader->stream.next_in = reader->stored;
    reader->stream.avail_in = (unsigned)count;
    reader->stream.next_out = reader->bytes;
    reader->stream.avail_out = (unsigned)reader->room;
    if (inflate(&reader->stream, Z_FINISH) != Z_STREAM_END) die("inflate");
    size_t length = reader->room - reader->stream.avail_out;
    sha256(reader->bytes, length, found);
    if (memcmp(hex, found, 64) != 0) die("digest");
    return length;
}

static void read_all(const char *state) {
    int blobs = folder_at(state, "blobs");
    Reader *reader = reader_of(corpus.longest);
    size_t *order = shuffled(corpus.count);
    begin_timing();
    for (size_t i = 0; i < corpus.count; i++) content(reader, blobs, corpus.documents[order[i]].hex);
    end_timing(corpus.count);
}

// MARK: Removing

static void unlink_half(const char *state, bool by_use) {
    int blobs = folder_at(state, "blobs"), entries = folder_at(state, "entries");
    const Document **half = half_of(&corpus, by_use);
    char path[128], name[512];
    size_t removed = 0;
    begin_timing();
    for (; half[removed]; removed++) {
        const char *hex = half[removed]->hex;
        entry_name(half[removed], name, sizeof name);
        if (unlinkat(entries, name, 0) != 0) die(name);
        snprintf(path, sizeof path, "%.2s/%s.json.gz", hex, hex);
        if (unlinkat(blobs, path, 0) != 0) die(path);
    }
    end_timing(removed);
}

// MARK: Whole processes: a packed table, and one document

static void pack_table(const char *state) {
    char path[4096];
    snprintf(path, sizeof path, "%s/table", state);
    FILE *table = fopen(path, "w");
    if (!table) die(path);
    for (size_t i = 0; i < corpus.count; i++) {
        const Document *document = &corpus.documents[i];
        fprintf(table, "%s\t%s\t%zu\t%lld\t%s\t%s\n", document->id, document->title, document->length, document->expires,
            document->expires > now_milliseconds() ? "fresh" : "stale", document->folded);
    }
    fclose(table);
}

static const char *mapped(const char *state, const char *name, size_t *length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", state, name);
    return map_file(path, length);
}

static void list(const char *state) {
    size_t length;
    const char *table = mapped(state, "table", &length), *end = table + length;
    FILE *out = stdout;
    setvbuf(out, NULL, _IOFBF, 1 << 16);
    for (const char *line = table; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *last = memrchr(line, '\t', (size_t)(stop - line));
        fwrite(line, 1, (size_t)(last - line), out);
        fputc('\n', out);
        line = stop + 1;
    }
    fflush(out);
}

static void find(const char *state, const char *word) {
    size_t length, count = strlen(word);
    const char *table = mapped(state, "table", &length), *end = table + length;
    for (const char *line = table; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *folded = (const char *)memrchr(line, '\t', (size_t)(stop - line)) + 1;
        if (memmem(folded, (size_t)(stop - folded), word, count)) {
            fwrite(line, 1, (size_t)(folded - line), stdout);
            fputc('\n', stdout);
        }
        line = stop + 1;
    }
}

/// A word in all texts, by reading every one of them.
static void scan(const char *state, const char *word) {
    int blobs = folder_at(state, "blobs");
    Reader *reader = reader_of(corpus.longest);
    size_t found = 0, count = strlen(word);
    for (size_t i = 0; i < corpus.count; i++) {
        size_t length = content(reader, blobs, corpus.documents[i].hex);
        // Cyrillic and Latin capitals, in place: as cheap as a fold can be.
        for (size_t k = 0; k < length; k++) {
            unsigned char byte = reader->bytes[k];
            if (byte >= 'A' && byte <= 'Z') reader->bytes[k] = byte | 32;
            if (byte == 0xD0 && k + 1 < length && reader->bytes[k + 1] >= 0x90 && reader->bytes[k + 1] < 0xA0)
                reader->bytes[k + 1] += 0x20;
            else if (byte == 0xD0 && k + 1 < length && reader->bytes[k + 1] >= 0xA0 && reader->bytes[k + 1] < 0xB0) {
                reader->bytes[k] = 0xD1;
                reader->bytes[k + 1] -= 0x20;
            }
        }
        if (memmem(reader->bytes, length, word, count)) found++;
    }
    printf("%zu\n", found);
}

static void get(const char *state, const char *id) {
    char name[512], entry[8192];
    int entries = folder_at(state, "entries"), blobs = folder_at(state, "blobs");
    snprintf(name, sizeof name, "http%%3A++127.0.0.1%%3A8484+v1+questionnaires+%s.json", id);
    int file = openat(entries, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) die(name);
    ssize_t count = read(file, entry, sizeof entry - 1);
    if (count <= 0) die(name);
    entry[count] = 0;
    const char *blob = strstr(entry, "\"blob\" : \"");
    if (!blob) die("blob");
    char hex[65] = {0};
    memcpy(hex, blob + 13, 64);
    Reader *reader = reader_of(4 << 20);
    fwrite(reader->bytes, 1, content(reader, blobs, hex), stdout);
}

// MARK: Durable

static void commit_tests(const char *state, size_t group) {
    make_folder(state, "");
    make_folder(state, "tmp");
    make_folder(state, "done");
    int temporary = folder_at(state, "tmp"), done = folder_at(state, "done");
    char name[64];
    begin_timing();
    for (size_t i = 0; i < corpus.count; i += group) {
        size_t end = i + group < corpus.count ? i + group : corpus.count;
        int files[256];
        for (size_t k = i; k < end; k++) {
            snprintf(name, sizeof name, "t%zu.tmp", k);
            files[k - i] = openat(temporary, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (files[k - i] < 0) die(name);
            write_all(files[k - i], corpus.documents[k].bytes, corpus.documents[k].length);
        }
        if (group == 1) {
            if (fsync(files[0]) != 0) die("fsync");
        } else if (syncfs(files[0]) != 0) {
            die("syncfs");
        }
        for (size_t k = i; k < end; k++) {
            char target[96];
            close(files[k - i]);
            snprintf(name, sizeof name, "t%zu.tmp", k);
            snprintf(target, sizeof target, "%s.test.json", corpus.documents[k].id);
            if (renameat(temporary, name, done, target) != 0) die(target);
        }
        if (fsync(done) != 0) die("fsync");
    }
    end_timing(corpus.count);
}

static void move_tests(const char *state, size_t group) {
    const char *const names[] = {"done", "sending", "sent", "rated"};
    int folders[4];
    char name[96];
    make_folder(state, "");
    for (int i = 0; i < 4; i++) {
        make_folder(state, names[i]);
        folders[i] = folder_at(state, names[i]);
    }
    for (size_t i = 0; i < corpus.count; i++) {
        snprintf(name, sizeof name, "%s.test.json", corpus.documents[i].id);
        int file = openat(folders[0], name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        write_all(file, corpus.documents[i].bytes, corpus.documents[i].length);
        close(file);
    }
    sync();
    begin_timing();
    for (size_t i = 0; i < corpus.count; i += group) {
        size_t end = i + group < corpus.count ? i + group : corpus.count;
        for (int step = 0; step < 3; step++) {
            for (size_t k = i; k < end; k++) {
                snprintf(name, sizeof name, "%s.test.json", corpus.documents[k].id);
                if (renameat2(folders[step], name, folders[step + 1], name, RENAME_NOREPLACE) != 0) die(name);
            }
            if (fsync(folders[step + 1]) != 0 || fsync(folders[step]) != 0) die("fsync");
        }
    }
    end_timing(3 * corpus.count);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "bare WORKLOAD CORPUS STATE [NUMBER or WORD]\n");
        return 64;
    }
    const char *workload = arguments[1], *state = arguments[3], *more = count > 4 ? arguments[4] : "1";
    // What is measured as a whole process does not look at the corpus.
    if (strcmp(workload, "list") == 0) return list(state), 0;
    if (strcmp(workload, "find") == 0) return find(state, more), 0;
    if (strcmp(workload, "get") == 0) return get(state, more), 0;
    corpus = corpus_at(arguments[2]);
    if (strcmp(workload, "fill") == 0) return fill(state, (size_t)atoi(more)), 0;
    if (strcmp(workload, "read") == 0) return read_all(state), 0;
    if (strcmp(workload, "trim") == 0) return unlink_half(state, true), 0;
    if (strcmp(workload, "purge") == 0) return unlink_half(state, false), 0;
    if (strcmp(workload, "pack") == 0) return pack_table(state), 0;
    if (strcmp(workload, "scan") == 0) return scan(state, more), 0;
    if (strcmp(workload, "commit") == 0) return commit_tests(state, (size_t)atoi(more)), 0;
    if (strcmp(workload, "move") == 0) return move_tests(state, (size_t)atoi(more)), 0;
    fprintf(stderr, "bare: no workload %s\n", workload);
    return 64;
}

// The same work through LMDB, from C: one database of contents, one of packed metadata.
//
//     lmdb WORKLOAD CORPUS STATE [ID]
#define _GNU_SOURCE
#include "common.h"
#include <lmdb.h>
#include <openssl/evp.h>
#include <zlib.h>

static void check(int code) {
    if (code != 0) {
        fprintf(stderr, "lmdb: %s\n", mdb_strerror(code));
        exit(74);
    }
}

typedef struct {
    MDB_env *environment;
    MDB_dbi contents, metadata;
} Store;

static Store opened(const char *state, bool writes) {
    Store store;
    MDB_txn *transaction;
    check(mdb_env_create(&store.environment));
    check(mdb_env_set_maxdbs(store.environment, 4));
    check(mdb_env_set_mapsize(store.environment, (size_t)8 << 30));
    // As for a cache: nothing is flushed.
    check(mdb_env_open(store.environment, state, writes ? MDB_NOSYNC | MDB_NOMETASYNC : MDB_RDONLY | MDB_NOLOCK, 0600));
    check(mdb_txn_begin(store.environment, NULL, writes ? 0 : MDB_RDONLY, &transaction));
    check(mdb_dbi_open(transaction, "contents", writes ? MDB_CREATE : 0, &store.contents));
    check(mdb_dbi_open(transaction, "metadata", writes ? MDB_CREATE : 0, &store.metadata));
    check(mdb_txn_commit(transaction));
    return store;
}

static void fill(const Corpus *corpus, const char *state) {
    make_folder(state, "");
    Store store = opened(state, true);
    z_stream stream = {0};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    size_t room = deflateBound(&stream, corpus->longest) + 64;
    unsigned char *out = malloc(room), digest[32];
    char row[4096];
    begin_timing();
    for (size_t i = 0; i < corpus->count;) {
        MDB_txn *transaction;
        check(mdb_txn_begin(store.environment, NULL, 0, &transaction));
        for (size_t end = i + 100; i < corpus->count && i < end; i++) {
            const Document *document = &corpus->documents[i];
            EVP_Digest(document->bytes, document->length, digest, NULL, EVP_sha256(), NULL);
            deflateReset(&stream);
            stream.next_in = (unsigned char *)document->bytes;
            stream.avail_in = (unsigned)document->length;
            stream.next_out = out;
            stream.avail_out = (unsigned)room;
            deflate(&stream, Z_FINISH);
            MDB_val key = {32, digest}, value = {room - stream.avail_out, out};
            check(mdb_put(transaction, store.contents, &key, &value, 0));
            memcpy(row, digest, 32);
            int length = 32 + snprintf(row + 32, sizeof row - 32, "%s\t%zu\t%lld\t%lld\t%s\t%s", document->title,
                document->length, document->expires, document->last_used,
                document->expires > now_milliseconds() ? "fresh" : "stale", document->folded);
            MDB_val name = {strlen(document->id), document->id}, text = {(size_t)length, row};
            check(mdb_put(transaction, store.metadata, &name, &text, 0));
        }
        check(mdb_txn_commit(transaction));
    }
    end_timing(corpus->count);
    mdb_env_sync(store.environment, 1);
    mdb_env_close(store.environment);
}

static size_t content(Store *store, MDB_txn *transaction, z_stream *stream, const char *id, unsigned char *out, size_t room) {
    MDB_val key = {strlen(id), (char *)id}, row, packed;
    unsigned char digest[32];
    check(mdb_get(transaction, store->metadata, &key, &row));
    MDB_val name = {32, row.mv_data};
    check(mdb_get(transaction, store->contents, &name, &packed));
    inflateReset(stream);
    stream->next_in = packed.mv_data;
    stream->avail_in = (unsigned)packed.mv_size;
    stream->next_out = out;
    stream->avail_out = (unsigned)room;
    if (inflate(stream, Z_FINISH) != Z_STREAM_END) die("inflate");
    size_t length = room - stream->avail_out;
    EVP_Digest(out, length, digest, NULL, EVP_sha256(), NULL);
    if (memcmp(digest, row.mv_data, 32) != 0) die("digest");
    return length;
}

static void read_all(const Corpus *corpus, const char *state) {
    Store store = opened(state, false);
    z_stream stream = {0};
    inflateInit2(&stream, 15 + 16);
    unsigned char *out = malloc(corpus->longest + 65536);
    size_t *order = shuffled(corpus->count);
    MDB_txn *transaction;
    begin_timing();
    check(mdb_txn_begin(store.environment, NULL, MDB_RDONLY, &transaction));
    for (size_t i = 0; i < corpus->count; i++)
        content(&store, transaction, &stream, corpus->documents[order[i]].id, out, corpus->longest + 65536);
    mdb_txn_abort(transaction);
    end_timing(corpus->count);
}

static void each_row(const char *state, const char *word) {
    Store store = opened(state, false);
    MDB_txn *transaction;
    MDB_cursor *cursor;
    MDB_val key, row;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    check(mdb_txn_begin(store.environment, NULL, MDB_RDONLY, &transaction));
    check(mdb_cursor_open(transaction, store.metadata, &cursor));
    while (mdb_cursor_get(cursor, &key, &row, MDB_NEXT) == 0) {
        const char *text = (const char *)row.mv_data + 32;
        size_t length = row.mv_size - 32;
        const char *folded = memrchr(text, '\t', length);
        if (word && !memmem(folded, (size_t)(text + length - folded), word, strlen(word))) continue;
        fwrite(key.mv_data, 1, key.mv_size, stdout);
        fputc('\t', stdout);
        fwrite(text, 1, (size_t)(folded - text), stdout);
        fputc('\n', stdout);
    }
    fflush(stdout);
}

static void get(const char *state, const char *id) {
    Store store = opened(state, false);
    z_stream stream = {0};
    inflateInit2(&stream, 15 + 16);
    unsigned char *out = malloc(4 << 20);
    MDB_txn *transaction;
    check(mdb_txn_begin(store.environment, NULL, MDB_RDONLY, &transaction));
    fwrite(out, 1, content(&store, transaction, &stream, id, out, 4 << 20), stdout);
}

static void remove_half(const Corpus *corpus, const char *state, bool by_use) {
    Store store = opened(state, true);
    const Document **half = half_of(corpus, by_use);
    MDB_txn *transaction;
    size_t removed = 0;
    begin_timing();
    check(mdb_txn_begin(store.environment, NULL, 0, &transaction));
    for (; half[removed]; removed++) {
        unsigned char digest[32];
        MDB_val key = {strlen(half[removed]->id), half[removed]->id}, row;
        check(mdb_get(transaction, store.metadata, &key, &row));
        memcpy(digest, row.mv_data, 32);
        check(mdb_del(transaction, store.metadata, &key, NULL));
        MDB_val name = {32, digest};
        check(mdb_del(transaction, store.contents, &name, NULL));
    }
    check(mdb_txn_commit(transaction));
    end_timing(removed);
}

int main(int count, char **arguments) {
    if (count < 4) return 64;
    const char *workload = arguments[1], *state = arguments[3];
    if (strcmp(workload, "list") == 0) return each_row(state, NULL), 0;
    if (strcmp(workload, "find") == 0) return each_row(state, arguments[4]), 0;
    if (strcmp(workload, "get") == 0) return get(state, arguments[4]), 0;
    Corpus corpus = corpus_at(arguments[2]);
    if (strcmp(workload, "fill") == 0) return fill(&corpus, state), 0;
    if (strcmp(workload, "read") == 0) return read_all(&corpus, state), 0;
    if (strcmp(workload, "trim") == 0) return remove_half(&corpus, state, true), 0;
    if (strcmp(workload, "purge") == 0) return remove_half(&corpus, state, false), 0;
    return 64;
}

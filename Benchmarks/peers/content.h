// Content and entries as the bare loops write them: what the programs in C that store documents share.
#include <openssl/evp.h>
#include <zlib.h>

static inline void deflater(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    if (deflateInit2(stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) die("deflateInit2");
}

static inline size_t packed(z_stream *stream, const unsigned char *bytes, size_t count, unsigned char *out, size_t room) {
    deflateReset(stream);
    stream->next_in = (unsigned char *)bytes;
    stream->avail_in = (unsigned)count;
    stream->next_out = out;
    stream->avail_out = (unsigned)room;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) die("deflate");
    return room - stream->avail_out;
}

static inline void sha256(const unsigned char *bytes, size_t count, char hex[65]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[32];
    if (EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) != 1) die("sha256");
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = 0;
}

static inline void put(int folder, const char *temporary, const void *bytes, size_t count, int target, const char *name) {
    int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) die(temporary);
    write_all(file, bytes, count);
    if (close(file) != 0) die("close");
    if (renameat(folder, temporary, target, name) != 0) die(name);
}

/// The same members as an entry of Quire's has.
static inline int entry_of(const Document *document, const char *hex, char *out, size_t room) {
    return snprintf(
        out, room,
        "{\n  \"blob\" : \"%.2s/%s.json.gz\",\n  \"document\" : {\n    \"description\" : \"\",\n    \"id\" : \"%s\",\n"
        "    \"media\" : [\n\n    ],\n    \"questionCount\" : 1,\n    \"title\" : \"%s\"\n  },\n  \"mediaType\" : "
        "\"application/json\",\n  \"requestTime\" : \"2026-11-21T06:32:10.635Z\",\n  \"responseTime\" : "
        "\"2026-11-21T06:32:10.635Z\",\n  \"sizeBytes\" : %zu,\n  \"status\" : 200,\n  \"expires\" : %lld,\n  \"url\" : "
        "\"http://127.0.0.1:8484/v1/questionnaires/%s\"\n}\n",
        hex, hex, document->id, document->title, document->length, document->expires, document->id);
}

static inline void entry_name(const Document *document, char *out, size_t room) {
    snprintf(out, room, "http%%3A++127.0.0.1%%3A8484+v1+questionnaires+%s.json", document->id);
}


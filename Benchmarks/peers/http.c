// Bare HTTP/1.1 clients over eight connections that are kept: the same requests, and the same files, as `quire pull` and
// `quire sync`, and nothing more.
//
//     http pull|sync CORPUS STATE PORT
#define _GNU_SOURCE
#include "common.h"
#include "content.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

enum { connections = 8, batch = 32 };

static Corpus corpus;
static const char *state;
static int port;

typedef struct {
    int socket;
    char *buffer;
    size_t room;
} Connection;

static Connection connected(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(made, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    return (Connection){made, malloc(1 << 20), 1 << 20};
}

/// Sends a request and reads its response; the length of its content, which begins at `*content`.
static size_t exchange(Connection *connection, const char *head, size_t head_length, const void *body, size_t body_length, char **content) {
    write_all(connection->socket, head, head_length);
    if (body_length) write_all(connection->socket, body, body_length);
    size_t count = 0, begins = 0, length = 0;
    for (;;) {
        ssize_t more = read(connection->socket, connection->buffer + count, connection->room - count - 1);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) die("read from the host");
        count += (size_t)more;
        connection->buffer[count] = 0;
        if (!begins) {
            char *end = strstr(connection->buffer, "\r\n\r\n");
            if (!end) continue;
            if (connection->buffer[9] != '2') {
                fprintf(stderr, "http: %.60s\n", connection->buffer);
                exit(69);
            }
            begins = (size_t)(end + 4 - connection->buffer);
            char *field = strcasestr(connection->buffer, "content-length:");
            if (!field || field > end) die("the response has no Content-Length");
            length = (size_t)atoll(field + 15);
            if (begins + length + 1 > connection->room)
                connection->buffer = realloc(connection->buffer, connection->room = begins + length + 65536);
        }
        if (count >= begins + length) break;
    }
    *content = connection->buffer + begins;
    return length;
}

// MARK: Pulling

static void *pull_share(void *argument) {
    size_t first = (size_t)argument;
    Connection connection = connected();
    int temporary = folder_at(state, "tmp"), entries = folder_at(state, "entries");
    int blobs = folder_at(state, "blobs");
    z_stream stream, inflater = {0};
    deflater(&stream);
    inflateInit2(&inflater, 15 + 16);
    size_t room = 1 << 20;
    unsigned char *out = malloc(room), *bytes = malloc(room);
    char head[1024], hex[65], path[128], name[512], entry[4096], unnamed[32], *content;
    for (size_t i = first; i < corpus.count; i += connections) {
        int length = snprintf(head, sizeof head,
            "GET /v1/questionnaires/%s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\naccept-encoding: gzip\r\n\r\n",
            corpus.documents[i].id, port);
        size_t count = exchange(&connection, head, (size_t)length, NULL, 0, &content);
        inflateReset(&inflater);
        inflater.next_in = (unsigned char *)content;
        inflater.avail_in = (unsigned)count;
        inflater.next_out = bytes;
        inflater.avail_out = (unsigned)room;
        if (inflate(&inflater, Z_FINISH) != Z_STREAM_END) die("inflate");
        count = room - inflater.avail_out;
        sha256(bytes, count, hex);
        size_t packed_length = packed(&stream, bytes, count, out, room);
        snprintf(unnamed, sizeof unnamed, "t%zx.tmp", i);
        snprintf(path, sizeof path, "%.2s/%s.json.gz", hex, hex);
        put(temporary, unnamed, out, packed_length, blobs, path);
        int entry_length = entry_of(&corpus.documents[i], hex, entry, sizeof entry);
        entry_name(&corpus.documents[i], name, sizeof name);
        put(temporary, unnamed, entry, (size_t)entry_length, entries, name);
    }
    return NULL;
}

static void pull(void) {
    pthread_t running[connections];
    char shard[16], head[1024], *content;
    make_folder(state, "");
    for (const char *const *name = (const char *const[]){"tmp", "entries", "blobs", NULL}; *name; name++)
        make_folder(state, *name);
    int blobs = folder_at(state, "blobs");
    begin_timing();
    for (int i = 0; i < 256; i++) {
        snprintf(shard, sizeof shard, "%02x", i);
        mkdirat(blobs, shard, 0700);
    }
    // The list's pages: the first by its address, each other by what stands before it.
    Connection connection = connected();
    char cursor[1024] = "";
    do {
        int length = snprintf(head, sizeof head,
            "GET /v1/questionnaires%s%s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\naccept-encoding: identity\r\n\r\n",
            *cursor ? "?cursor=" : "", cursor, port);
        size_t count = exchange(&connection, head, (size_t)length, NULL, 0, &content);
        content[count] = 0;
        char *next = strstr(content + (count > 1200 ? count - 1200 : 0), "\"next\":\"");
        if (!next) next = strncmp(content, "{\"next\":\"", 9) == 0 ? content + 1 : NULL;
        *cursor = 0;
        if (next) snprintf(cursor, sizeof cursor, "%.*s", (int)strcspn(next + 8, "\""), next + 8);
    } while (*cursor);
    for (size_t i = 0; i < connections; i++) pthread_create(&running[i], NULL, pull_share, (void *)i);
    for (size_t i = 0; i < connections; i++) pthread_join(running[i], NULL);
    end_timing(corpus.count);
}

// MARK: Sending

static Connection senders[connections];
static char receipts[batch][8192];
static size_t receipt_lengths[batch], batch_begins, batch_ends;

static void *send_share(void *argument) {
    size_t first = (size_t)argument;
    int sending = folder_at(state, "outbox/sending");
    char name[96], head[1024], *bytes = malloc(4 << 20), *content;
    unsigned char digest[32];
    char encoded[64];
    for (size_t i = batch_begins + first; i < batch_ends; i += connections) {
        snprintf(name, sizeof name, "%s.test.json", corpus.documents[i].id);
        int file = openat(sending, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0) die(name);
        ssize_t count = read(file, bytes, 4 << 20);
        close(file);
        EVP_Digest(bytes, (size_t)count, digest, NULL, EVP_sha256(), NULL);
        EVP_EncodeBlock((unsigned char *)encoded, digest, 32);
        int length = snprintf(head, sizeof head,
            "PUT /v1/tests/%s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\ncontent-length: %zd\r\n"
            "content-digest: sha-256=:%s:\r\n\r\n",
            corpus.documents[i].id, port, count, encoded);
        size_t receipt = exchange(&senders[first], head, (size_t)length, bytes, (size_t)count, &content);
        if (receipt > sizeof receipts[0]) die("the receipt is long");
        memcpy(receipts[i - batch_begins], content, receipt);
        receipt_lengths[i - batch_begins] = receipt;
    }
    close(sending);
    free(bytes);
    return NULL;
}

/// As `quire sync`: batches of 32, each claimed, sent, and settled with its receipts, every step durable.
static void send_all(void) {
    char name[96], receipt[96], unnamed[32];
    pthread_t running[connections];
    int done = folder_at(state, "outbox/done"), sending = folder_at(state, "outbox/sending");
    int sent = folder_at(state, "outbox/sent"), temporary = folder_at(state, "outbox/tmp");
    begin_timing();
    for (int i = 0; i < connections; i++) senders[i] = connected();
    for (batch_begins = 0; batch_begins < corpus.count; batch_begins = batch_ends) {
        batch_ends = batch_begins + batch < corpus.count ? batch_begins + batch : corpus.count;
        for (size_t i = batch_begins; i < batch_ends; i++) {
            snprintf(name, sizeof name, "%s.test.json", corpus.documents[i].id);
            if (renameat2(done, name, sending, name, RENAME_NOREPLACE) != 0) die(name);
        }
        if (fsync(sending) != 0 || fsync(done) != 0) die("fsync");
        for (size_t i = 0; i < connections; i++) pthread_create(&running[i], NULL, send_share, (void *)i);
        for (size_t i = 0; i < connections; i++) pthread_join(running[i], NULL);
        for (size_t i = batch_begins; i < batch_ends; i++) {
            snprintf(unnamed, sizeof unnamed, "t%zx.tmp", i);
            snprintf(receipt, sizeof receipt, "%s.receipt.json", corpus.documents[i].id);
            int file = openat(temporary, unnamed, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (file < 0) die(unnamed);
            write_all(file, receipts[i - batch_begins], receipt_lengths[i - batch_begins]);
            if (fsync(file) != 0) die("fsync");
            close(file);
            if (renameat(temporary, unnamed, sent, receipt) != 0) die(receipt);
        }
        if (fsync(sent) != 0) die("fsync");
        for (size_t i = batch_begins; i < batch_ends; i++) {
            snprintf(name, sizeof name, "%s.test.json", corpus.documents[i].id);
            if (renameat2(sending, name, sent, name, RENAME_NOREPLACE) != 0) die(name);
        }
        if (fsync(sent) != 0 || fsync(sending) != 0) die("fsync");
    }
    end_timing(corpus.count);
}

int main(int count, char **arguments) {
    if (count < 5) return 64;
    corpus = corpus_at(arguments[2]);
    state = arguments[3];
    port = atoi(arguments[4]);
    if (strcmp(arguments[1], "pull") == 0) pull();
    else send_all();
    return 0;
}

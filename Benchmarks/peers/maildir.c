// Delivery into a Maildir, durable: written in tmp, flushed, renamed into new, the folder flushed.
//
//     maildir commit CORPUS STATE
#define _GNU_SOURCE
#include "common.h"

int main(int count, char **arguments) {
    if (count < 4) return 64;
    Corpus corpus = corpus_at(arguments[2]);
    const char *state = arguments[3];
    char source[4096], target[4096];
    make_folder(state, "");
    for (const char *const *name = (const char *const[]){"tmp", "new", "cur", NULL}; *name; name++)
        make_folder(state, *name);
    begin_timing();
    for (size_t i = 0; i < corpus.count; i++) {
        // The name that the specification asks for: time, process and count, host.
        snprintf(source, sizeof source, "%s/tmp/%lld.M%zuP%d.bench", state, now_milliseconds() / 1000, i, getpid());
        snprintf(target, sizeof target, "%s/new/%lld.M%zuP%d.bench", state, now_milliseconds() / 1000, i, getpid());
        struct stat status;
        if (stat(source, &status) == 0) die(source);
        int file = open(source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) die(source);
        write_all(file, corpus.documents[i].bytes, corpus.documents[i].length);
        if (fsync(file) != 0) die("fsync");
        close(file);
        // A link and an unlink, as the specification has it; nobody may lose another's delivery.
        if (link(source, target) != 0 || unlink(source) != 0) die(target);
        int folder = folder_at(state, "new");
        if (fsync(folder) != 0) die("fsync");
        close(folder);
    }
    end_timing(corpus.count);
}

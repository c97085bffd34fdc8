#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

int quire_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int quire_allocate(int file, off_t size) { return fallocate(file, 0, 0, size); }

int quire_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags, mode);
}

int quire_set_modified(int folder, const char *path, int64_t nanoseconds) {
    const int64_t second = 1000000000;
    int64_t rest = nanoseconds % second;
    if (rest < 0) rest += second;
    struct timespec times[2] = {
        {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
        {.tv_sec = (time_t)((nanoseconds - rest) / second), .tv_nsec = (long)rest},
    };
    return utimensat(folder, path, times, AT_SYMLINK_NOFOLLOW);
}

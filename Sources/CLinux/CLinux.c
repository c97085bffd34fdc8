#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int quire_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int quire_allocate(int file, off_t size) { return fallocate(file, 0, 0, size); }

int quire_sync_file_system(int file) {
    struct statfs volume;
    struct utsname kernel;
    int major = 0, minor = 0;
    if (fstatfs(file, &volume) != 0 || uname(&kernel) != 0) return -1;
    if (sscanf(kernel.release, "%d.%d", &major, &minor) != 2 || major < 5 || (major == 5 && minor < 8)) return -1;
    switch ((unsigned long)volume.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC: return syncfs(file);
    default: return -1;
    }
}

int quire_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags, mode);
}

int quire_open_folder(int folder, const char *name) {
    return openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int quire_open_beneath(int folder, const char *path, int flags) {
    struct open_how how = {
        .flags = (unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int quire_open_folder_beneath(int folder, const char *path) {
    return quire_open_beneath(folder, path, O_PATH | O_DIRECTORY);
}

int quire_is_removed(int folder) {
    int opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return errno == ENOENT || errno == ESTALE;
    // The C library's readdir hides it: a folder without a name in any other cannot be listed. (Its link count is no
    // sign: overlayfs always gives 1.)
    char buffer[1024];
    long count = syscall(SYS_getdents64, opened, buffer, sizeof buffer);
    int removed = count < 0 && (errno == ENOENT || errno == ESTALE);
    close(opened);
    return removed;
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

int quire_route_socket(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int quire_drain(int descriptor) {
    char buffer[16384];
    for (;;) {
        ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count > 0 || (count < 0 && errno == EINTR)) continue;
        // ENOBUFS: more happened than the socket could hold, which is news too.
        if (count == 0 || errno == EAGAIN || errno == EWOULDBLOCK) return 0;
        if (errno != ENOBUFS) return -1;
    }
}

static atomic_int signal_end = -1;

static void note_signal(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    // A full pipe wakes its reader all the same.
    ssize_t ignored = write(atomic_load(&signal_end), &byte, 1);
    (void)ignored;
    errno = saved;
}

int quire_signal_pipe(const int *signals, int count) {
    static int read_end = -1;
    if (read_end < 0) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
        read_end = ends[0];
        atomic_store(&signal_end, ends[1]);
    }
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < count; i++) {
        if (sigaction(signals[i], &action, NULL) != 0) return -1;
    }
    return read_end;
}

int quire_spawn(const char *path, char *const arguments[], char *const environment[], const char *folder, int input,
                int output, int own_group) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) {
        errno = reason;
        return -1;
    }
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (own_group) {
        posix_spawnattr_setpgroup(&attributes, 0);
        flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes, flags);
    if (input < 0) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, input, 0);
    }
    if (output < 0) {
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, output, 1);
    }
    if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);
    pid_t process = -1;
    reason = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (reason != 0) {
        errno = reason;
        return -1;
    }
    return process;
}

int quire_wait(int process, int milliseconds, int *status) {
    if (milliseconds >= 0) {
        int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
        if (descriptor >= 0) {
            struct pollfd waited = {.fd = descriptor, .events = POLLIN};
            int ready = poll(&waited, 1, milliseconds);
            close(descriptor);
            if (ready == 0) return 0;
        } else {
            // A kernel before 5.3: looked at again and again.
            struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
            for (int rest = milliseconds; rest > 0; rest -= 10) {
                pid_t ended = waitpid(process, status, WNOHANG);
                if (ended != 0) return ended == process ? 1 : -1;
                nanosleep(&pause, NULL);
            }
            return 0;
        }
    }
    for (;;) {
        pid_t ended = waitpid(process, status, 0);
        if (ended == process) return 1;
        if (errno != EINTR) return -1;
    }
}

int quire_memory_file(const void *bytes, size_t count) {
    int descriptor = memfd_create("quire", MFD_CLOEXEC);
    if (descriptor < 0) return -1;
    size_t done = 0;
    while (done < count) {
        ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            close(descriptor);
            return -1;
        }
        done += (size_t)written;
    }
    lseek(descriptor, 0, SEEK_SET);
    return descriptor;
}

#ifndef QUIRE_CLINUX_H
#define QUIRE_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// renameat2(2) with RENAME_NOREPLACE: 0, or -1 with errno (EEXIST when the target is there,
/// EINVAL where the file system has no such rename).
int quire_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to);

/// fallocate(2), mode 0: gives the file real space of `size` bytes. 0, or -1 with errno.
int quire_allocate(int file, off_t size);

/// syncfs(2) where it is worth, with fsync(2) of one of them, as much as that of each file: on ext4, xfs, btrfs and f2fs,
/// with a kernel that tells of what could not be written since the file was opened (5.8). 0, or -1 where it is not, or
/// something could not be written.
int quire_sync_file_system(int file);

/// openat(2): a fixed-argument form of the variadic call.
int quire_openat(int folder, const char *path, int flags, mode_t mode);

/// openat(2) of a folder that serves as the beginning of paths alone (O_PATH), and is not reached through a link
/// (ENOTDIR then). The descriptor, or -1 with errno.
int quire_open_folder(int folder, const char *name);

/// openat2(2): opens what is there, some steps away, in one call; close-on-exec. No step, the last one included, may be a link
/// (ELOOP then) or lead out of `folder`. The descriptor, or -1 with errno: ENOSYS where the kernel has no such call.
int quire_open_beneath(int folder, const char *path, int flags);

/// The same for a folder that serves as the beginning of paths alone (O_PATH).
int quire_open_folder_beneath(int folder, const char *path);

/// Whether an open folder was removed from its file system since: 1, or 0 where it is still there or that cannot be told.
int quire_is_removed(int folder);

/// utimensat(2) that sets the modification time alone and follows no symbolic link. 0, or -1 with errno.
int quire_set_modified(int folder, const char *path, int64_t nanoseconds);

/// A netlink(7) socket that tells of links, addresses and routes as they come and go; never waits. -1 with errno.
int quire_route_socket(void);

/// Reads away what a netlink socket or an eventful descriptor holds. 0, or -1 with errno.
int quire_drain(int descriptor);

/// From now on each of these signals writes its number as a byte into a pipe; returns the end to read from, which never
/// waits. -1 with errno. One pipe a process: a second call gives the same one more signals.
int quire_signal_pipe(const int *signals, int count);

/// Starts a program with default signals, `input` as its standard input (-1: /dev/null) and nothing else of ours open. Its
/// output goes to `output`, or where that is -1 to /dev/null. It gets a process group of its own unless `own_group` is 0.
/// Returns its number, or -1 with errno.
int quire_spawn(const char *path, char *const arguments[], char *const environment[], const char *folder, int input,
                int output, int own_group);

/// Waits for a program to end, at most so long; -1 milliseconds for ever. 1 and its status when it has ended, 0 when the
/// time is over, -1 with errno.
int quire_wait(int process, int milliseconds, int *status);

/// A file in memory that holds these bytes, to be read from its beginning. -1 with errno.
int quire_memory_file(const void *bytes, size_t count);

#endif

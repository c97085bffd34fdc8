#ifndef QUIRE_CLINUX_H
#define QUIRE_CLINUX_H

#include <stdint.h>
#include <sys/types.h>

/// renameat2(2) with RENAME_NOREPLACE: 0, or -1 with errno (EEXIST when the target is there,
/// EINVAL where the file system has no such rename).
int quire_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to);

/// fallocate(2), mode 0: gives the file real space of `size` bytes. 0, or -1 with errno.
int quire_allocate(int file, off_t size);

/// openat(2): a fixed-argument form of the variadic call.
int quire_openat(int folder, const char *path, int flags, mode_t mode);

/// utimensat(2) that sets the modification time alone and follows no symbolic link. 0, or -1 with errno.
int quire_set_modified(int folder, const char *path, int64_t nanoseconds);

#endif

// Annotates the slow paths of Swift's Mutex for the thread sanitizer: preloaded by .ci/sanitize, part of nothing else.
//
// The fast paths of Synchronization.Mutex are inlined into our code, where the sanitizer sees their atomics. A mutex that
// two threads want at once is handed over by the kernel (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI) in libswiftSynchronization, which
// is not built with the sanitizer: it misses the hand-over and takes what the mutex guards for a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Absent in the programs that start the tests.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

typedef SWIFT void (*LockSlow)(uint32_t, SELF);
typedef SWIFT void (*UnlockSlow)(SELF);
typedef SWIFT bool (*TryLockSlow)(SELF);

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW))(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = ((TryLockSlow)dlsym(RTLD_NEXT, TRY_LOCK_SLOW))(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

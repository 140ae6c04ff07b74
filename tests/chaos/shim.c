/* Between the hub and the system: a disk that takes its time to sync, and a wall clock that is wrong.
 *
 * Loaded with LD_PRELOAD. CHAOS_SHIM names a file of two doubles, which the test writes at any time: seconds that each
 * fsync and fdatasync waits, and seconds that CLOCK_REALTIME is off. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double *shared;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CHAOS_SHIM");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *found = mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) shared = found;
    close(file);
}

static void wait_for_disk(void) {
    double seconds = shared ? shared[0] : 0;
    if (seconds > 0) {
        struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
        nanosleep(&pause, 0);
    }
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return next(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = next(clock, now);
    if (!failed && clock == CLOCK_REALTIME && shared) now->tv_sec += (time_t)shared[1];
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static int (*next)(struct timeval *, void *);
    if (!next) next = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int failed = next(now, zone);
    if (!failed && shared) now->tv_sec += (time_t)shared[1];
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

/* Calls to the system that fail when they are told to; put before the C library by LD_PRELOAD.

A process takes orders from a file that FAULTS names (or that `faults_attach` is given), which is shared with all
processes that do so. Only calls count that have to do with a path below `root`, or with the standard output if
`output` is set. The count goes over all of them; the one with the number `at` fails, as `what` says. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAIL, BREAK, FILL, SHORT, KILL, TEAR };

struct orders {
    int64_t count; /* of the calls so far that `what` could have hit */
    int64_t at;    /* the first that fails, from 1; 0: none does */
    int64_t what;
    int64_t error; /* errno of it */
    int64_t fired;
    int64_t output;
    char call[32]; /* which was the first to fail */
    char root[984];
};

static struct orders *orders;
static unsigned char ours[65536]; /* numbers of open files below `root` */

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) \
    real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

void faults_attach(const char *path) {
    int file = open(path, O_RDWR);
    void *found = mmap(0, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    orders = found == MAP_FAILED ? 0 : found;
}

__attribute__((constructor)) static void start(void) {
    if (getenv("FAULTS"))
        faults_attach(getenv("FAULTS"));
}

static int below(const char *path) {
    return orders && orders->at && path && *orders->root && !strncmp(path, orders->root, strlen(orders->root));
}

static int counts(int file) {
    return orders && orders->at && file >= 0 && file < 65536 && (ours[file] || (file == 1 && orders->output));
}

/* Whether this call is to fail (or to do a part of its work: SHORT, and the first write of a disk that gets full). */
static int hit(const char *call) {
    int64_t number = __atomic_add_fetch(&orders->count, 1, __ATOMIC_SEQ_CST);
    int lasting = orders->what == BREAK || orders->what == FILL;
    if (lasting ? number < orders->at : number != orders->at)
        return 0;
    if (!orders->fired++)
        strncpy(orders->call, call, 31);
    if (orders->what == KILL)
        _exit(137);
    errno = (int)orders->error;
    return 1;
}

/* Calls that a kind of fault leaves alone are not counted: only writing takes room, and only data can be partly done. */
static int applies(int takes_room, int data) {
    if (orders->what == FILL)
        return takes_room;
    if (orders->what == SHORT)
        return data;
    if (orders->what == TEAR)
        return takes_room && data;
    return 1;
}

static int opened(int file, const char *path) {
    if (file >= 0 && file < 65536)
        ours[file] = orders && *orders->root && path && !strncmp(path, orders->root, strlen(orders->root));
    return file;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        int mode = va_arg(rest, int); \
        va_end(rest); \
        if (below(path) && applies(flags & O_CREAT, 0) && hit("open")) \
            return -1; \
        return opened(real(path, flags, mode), path); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        int mode = va_arg(rest, int); \
        va_end(rest); \
        int inside = *path != '/' && counts(folder); \
        if ((inside || below(path)) && applies(flags & O_CREAT, 0) && hit("open")) \
            return -1; \
        return opened(real(folder, path, flags, mode), inside ? orders->root : path); \
    }
OPENAT(openat)
OPENAT(openat64)

static size_t part(size_t size) { return size > 1 ? size / 2 : size; }

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (counts(file) && applies(1, 1) && hit(file == 1 ? "output" : "write")) {
        int first = orders->fired == 1;
        if (orders->what == SHORT || (orders->what == FILL && first && size > 1))
            return real(file, data, part(size));
        if (orders->what == TEAR) {
            real(file, data, part(size));
            _exit(137);
        }
        return -1;
    }
    return real(file, data, size);
}

ssize_t read(int file, void *data, size_t size) {
    REAL(ssize_t, "read", int, void *, size_t);
    if (counts(file) && applies(0, 1) && hit("read"))
        return orders->what == SHORT ? real(file, data, part(size)) : -1;
    return real(file, data, size);
}

#define PREAD(name) \
    ssize_t name(int file, void *data, size_t size, off_t at) { \
        REAL(ssize_t, #name, int, void *, size_t, off_t); \
        if (counts(file) && applies(0, 1) && hit("read")) \
            return orders->what == SHORT ? real(file, data, part(size), at) : -1; \
        return real(file, data, size, at); \
    }
PREAD(pread)
PREAD(pread64)

/* The number is free again whatever is said. */
int close(int file) {
    REAL(int, "close", int);
    int fails = file > 2 && counts(file) && applies(0, 0) && hit("close");
    int error = errno;
    if (file >= 0 && file < 65536)
        ours[file] = 0;
    int result = real(file);
    if (fails)
        errno = error;
    return fails ? -1 : result;
}

#define ON_FILE(name, takes_room, declared, ...) \
    int name declared { \
        REAL(int, #name, __VA_ARGS__); \
        if (counts(file) && applies(takes_room, 0) && hit(#name)) \
            return -1;

#define ON_PATH(name, takes_room, declared, ...) \
    int name declared { \
        REAL(int, #name, __VA_ARGS__); \
        if (below(path) && applies(takes_room, 0) && hit(#name)) \
            return -1;

ON_FILE(fsync, 1, (int file), int) return real(file); }
ON_FILE(fdatasync, 1, (int file), int) return real(file); }
ON_FILE(flock, 0, (int file, int how), int, int) return real(file, how); }
ON_FILE(ftruncate, 0, (int file, off_t size), int, off_t) return real(file, size); }
ON_FILE(ftruncate64, 0, (int file, off_t size), int, off_t) return real(file, size); }
ON_FILE(fstat, 0, (int file, struct stat *found), int, struct stat *) return real(file, found); }
ON_FILE(fstat64, 0, (int file, struct stat64 *found), int, struct stat64 *) return real(file, found); }
ON_PATH(stat, 0, (const char *path, struct stat *found), const char *, struct stat *) return real(path, found); }
ON_PATH(stat64, 0, (const char *path, struct stat64 *found), const char *, struct stat64 *) return real(path, found); }
ON_PATH(lstat, 0, (const char *path, struct stat *found), const char *, struct stat *) return real(path, found); }
ON_PATH(lstat64, 0, (const char *path, struct stat64 *found), const char *, struct stat64 *) return real(path, found); }
ON_PATH(mkdir, 1, (const char *path, mode_t mode), const char *, mode_t) return real(path, mode); }
ON_PATH(unlink, 0, (const char *path), const char *) return real(path); }
ON_PATH(rename, 1, (const char *path, const char *to), const char *, const char *) return real(path, to); }

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    if (below(path) && applies(1, 0) && hit("mkdir"))
        return -1;
    return real(folder, path, mode);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    if (below(path) && applies(0, 0) && hit("unlink"))
        return -1;
    return real(folder, path, flags);
}

int renameat(int from, const char *path, int folder, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    if (below(path) && applies(1, 0) && hit("rename"))
        return -1;
    return real(from, path, folder, to);
}

/* Preloaded: the n-th call that changes a file whose name contains a word fails, breaks off, or ends the process. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FULL, BROKEN, TORN, KILLED };

static char word[256];
static long first, length, counted, struck;
static int how;

void fail_files(const char *name, long from, long many, int way) {
    strncpy(word, name, sizeof word - 1);
    first = from, length = many, how = way, counted = struck = 0;
}

long files_counted(void) { return counted; }
long files_struck(void) { return struck; }

static int due_at(const char *path) {
    if (!word[0] || !strstr(path, word)) return 0;
    counted++;
    if (counted < first || counted >= first + length) return 0;
    struck++;
    return 1;
}

static int due(int file) {
    char link[64], path[4096];
    if (!word[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return due_at(path);
}

static int refused(void) {
    if (how == KILLED) kill(getpid(), SIGKILL);
    errno = how == BROKEN ? EIO : ENOSPC;
    return -1;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static ssize_t part(ssize_t (*rest)(int, const void *, size_t, off_t), int file, const void *data, size_t size, off_t at) {
    if ((how == TORN && struck == 1) || how == KILLED) {
        ssize_t done = rest(file, data, size / 2 + 1, at);
        if (how == TORN) return done;
    }
    return refused();
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t at) {
    ssize_t (*real)(int, const void *, size_t, off_t) = REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    return due(file) ? part(real, file, data, size, at) : real(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) { return pwrite64(file, data, size, at); }

ssize_t write(int file, const void *data, size_t size) {
    return due(file) ? refused() : REAL(ssize_t, "write", int, const void *, size_t)(file, data, size);
}

#define PLAIN(name)                                                     \
    int name(int file) {                                                \
        return due(file) ? refused() : REAL(int, #name, int)(file);     \
    }
PLAIN(fsync)
PLAIN(fdatasync)

#define CUT(name)                                                                   \
    int name(int file, off_t size) {                                                \
        return due(file) ? refused() : REAL(int, #name, int, off_t)(file, size);    \
    }
CUT(ftruncate)
CUT(ftruncate64)

int unlink(const char *path) { return due_at(path) ? refused() : REAL(int, "unlink", const char *)(path); }

int rename(const char *from, const char *to) {
    return due_at(from) ? refused() : REAL(int, "rename", const char *, const char *)(from, to);
}

#define OPEN(name)                                                                              \
    int name(const char *path, int flags, ...) {                                                \
        va_list rest;                                                                           \
        va_start(rest, flags);                                                                  \
        int mode = flags & O_CREAT ? va_arg(rest, int) : 0;                                     \
        va_end(rest);                                                                           \
        if (flags & O_CREAT && access(path, F_OK) && due_at(path)) return refused();            \
        return REAL(int, #name, const char *, int, ...)(path, flags, mode);                     \
    }
OPEN(open)
OPEN(open64)

#define MAP(name)                                                                                                     \
    void *name(void *where, size_t size, int access, int flags, int file, off_t at) {                                 \
        if (file >= 0 && due(file)) {                                                                                 \
            refused();                                                                                                \
            errno = ENOMEM;                                                                                           \
            return MAP_FAILED;                                                                                        \
        }                                                                                                             \
        return REAL(void *, #name, void *, size_t, int, int, int, off_t)(where, size, access, flags, file, at);       \
    }
MAP(mmap)
MAP(mmap64)

/*
 * A disk between the node and the disk, for the simulator: loaded with LD_PRELOAD, it sees every call of libc that
 * changes a file below one folder, whichever thread or library makes it, and
 *
 *   FAULTS_ROOT=<folder>          the folder; nothing happens without
 *   FAULTS_JOURNAL=<file>         appends each change to a journal (journal.ts reads it), and what goes to stderr
 *   FAULTS_FAIL=<class>:<n>:<errno>:<mode>
 *                                 the n-th call (from 0) of a class fails: write, sync, create, rename, unlink, truncate.
 *                                 Modes: `once`; `lasting`: this one and all that come after, of every class;
 *                                 `full`: the disk is full from there on: a write that makes a file longer is cut
 *                                 short, then refused; what is removed makes room again; statfs says so
 *   FAULTS_KILL=<n>               dies before the n-th change, a write half done
 *   FAULTS_SWALLOW=<text>         files whose path ends so (`*`: all) are not synced, whatever the program asks for
 *
 * The calls themselves are made by syscall(2), so that nothing has to be looked up. Linux, 64 bits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, SYNC, TRUNCATE, RENAME, UNLINK, LINK, MKDIR, LOG };
enum class { C_WRITE, C_SYNC, C_CREATE, C_RENAME, C_UNLINK, C_TRUNCATE, CLASSES };
static const char *const CLASS_NAMES[CLASSES] = {"write", "sync", "create", "rename", "unlink", "truncate"};

/* Little-endian, followed by the path and the data. `change` and `nth` are what FAULTS_KILL and FAULTS_FAIL count. */
struct head {
  uint32_t kind, flags, path_bytes, data_bytes, change, nth;
  uint64_t file, offset;
};
enum { F_DURABLE = 1, F_FOLDER = 2 };

#define FDS 65536
#define PATH_BYTES 4096
#define BLOCK 4096

struct open_file {
  char *path;
  uint64_t file;
  int is_durable, is_folder;
};
static struct open_file files[FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *swallow;
static size_t root_bytes;
static int journal = -1;
static long kill_at = -1, changes;
static enum class last_class;
static long fail_at = -1, seen[CLASSES];
static enum class fail_class;
static int fail_errno, is_full_mode, is_lasting, has_failed;
static int64_t room;

static void read_fail(const char *text) {
  char name[16], mode[16];
  if (sscanf(text, "%15[a-z]:%ld:%d:%15[a-z]", name, &fail_at, &fail_errno, mode) != 4) abort();
  int c = 0;
  while (c < CLASSES && strcmp(name, CLASS_NAMES[c])) c++;
  if (c == CLASSES) abort();
  fail_class = (enum class)c;
  is_full_mode = !strcmp(mode, "full");
  is_lasting = !strcmp(mode, "lasting");
}

__attribute__((constructor)) static void begin(void) {
  root = getenv("FAULTS_ROOT");
  if (!root || !*root) {
    root = NULL;
    return;
  }
  root_bytes = strlen(root);
  swallow = getenv("FAULTS_SWALLOW");
  const char *text = getenv("FAULTS_JOURNAL");
  if (text) journal = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if ((text = getenv("FAULTS_FAIL"))) read_fail(text);
  if ((text = getenv("FAULTS_KILL"))) kill_at = atol(text);
}

/* The path made absolute, when it is below the folder; else NULL. */
static const char *below(int folder, const char *path, char *room_for_it) {
  if (!root || !path) return NULL;
  if (path[0] != '/') {
    if (folder != AT_FDCWD) return NULL;
    if (syscall(SYS_getcwd, room_for_it, PATH_BYTES) < 0) return NULL;
    size_t n = strlen(room_for_it);
    if (n + strlen(path) + 2 > PATH_BYTES) return NULL;
    room_for_it[n] = '/';
    strcpy(room_for_it + n + 1, path);
    path = room_for_it;
  }
  return !strncmp(path, root, root_bytes) && (path[root_bytes] == '/' || !path[root_bytes]) ? path : NULL;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

static int is_swallowed(const char *path) {
  return swallow && (!strcmp(swallow, "*") || ends_with(path, swallow));
}

static void put(const void *bytes, size_t n) {
  for (const char *at = bytes; n > 0;) {
    long done = syscall(SYS_write, journal, at, n);
    if (done <= 0) abort();
    at += done;
    n -= (size_t)done;
  }
}

static void record(enum kind kind, uint32_t flags, uint64_t file, uint64_t offset, const char *path, const void *data,
                   size_t data_bytes) {
  if (journal < 0) return;
  struct head head = {kind, flags, (uint32_t)strlen(path), (uint32_t)data_bytes, (uint32_t)changes - 1,
                      (uint32_t)seen[last_class] - 1, file, offset};
  put(&head, sizeof head);
  put(path, head.path_bytes);
  put(data, data_bytes);
}

/* Is this the change to die at? Counted before it is made. */
static int is_last(void) { return changes++ == kill_at; }

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

/* Does this call fail? Full disks are looked at by those that need room. */
static int fails(enum class c) {
  int is_it = fail_at >= 0 && c == fail_class && seen[c] == fail_at;
  seen[c]++;
  last_class = c;
  if (is_it) has_failed = 1;
  if (!has_failed || is_full_mode || !(is_it || is_lasting)) return 0;
  errno = fail_errno;
  return 1;
}

static uint64_t blocks(uint64_t bytes) { return (bytes + BLOCK - 1) / BLOCK * BLOCK; }

static int stat_fd(int fd, struct stat *out) { return fstat(fd, out); }

static void remember(int fd, const char *path, int flags) {
  if (fd < 0 || fd >= FDS) return;
  free(files[fd].path);
  files[fd].path = NULL;
  struct stat st;
  if (!path || stat_fd(fd, &st)) return;
  files[fd] = (struct open_file){strdup(path), st.st_ino, (flags & O_DSYNC) != 0 && !is_swallowed(path), S_ISDIR(st.st_mode)};
}

static struct open_file *known(int fd) {
  return root && fd >= 0 && fd < FDS && files[fd].path ? &files[fd] : NULL;
}

static int open_file(int folder, const char *given, int flags, mode_t mode) {
  char space[PATH_BYTES];
  const char *path = below(folder, given, space);
  if (!path) {
    int fd = (int)syscall(SYS_openat, folder, given, flags, mode);
    if (root) {
      pthread_mutex_lock(&lock);
      remember(fd, NULL, 0);
      pthread_mutex_unlock(&lock);
    }
    return fd;
  }
  pthread_mutex_lock(&lock);
  int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
  int fd = -1;
  if (is_new && is_last()) die();
  if (!is_new || !fails(C_CREATE)) {
    int real = is_swallowed(path) ? flags & ~O_SYNC : flags;
    struct stat before;
    int was = (flags & O_TRUNC) && !stat(path, &before);
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, real, mode);
    remember(fd, path, flags);
    if (fd >= 0 && fd < FDS && files[fd].path && is_new) record(CREATE, 0, files[fd].file, 0, path, NULL, 0);
    if (fd >= 0 && was && before.st_size > 0) {
      record(TRUNCATE, 0, before.st_ino, 0, path, NULL, 0);
      room += (int64_t)blocks((uint64_t)before.st_size);
    }
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define MODE(flags, mode)                                                                  \
  mode_t mode = 0;                                                                         \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                   \
    va_list rest;                                                                          \
    va_start(rest, flags);                                                                 \
    mode = va_arg(rest, mode_t);                                                           \
    va_end(rest);                                                                          \
  }
int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_file(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_file(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_file(folder, path, flags, mode);
}

int close(int fd) {
  if (root && fd >= 0 && fd < FDS) {
    pthread_mutex_lock(&lock);
    free(files[fd].path);
    files[fd].path = NULL;
    pthread_mutex_unlock(&lock);
  }
  return (int)syscall(SYS_close, fd);
}

/* How many bytes of a write a full disk takes; n when it has room or nothing grows. */
static size_t taken(int fd, size_t n, uint64_t offset) {
  if (!is_full_mode || !has_failed) return n;
  struct stat st;
  if (stat_fd(fd, &st)) return n;
  uint64_t size = (uint64_t)st.st_size, end = offset + n;
  if (end <= blocks(size)) return n;
  uint64_t most = blocks(size) + (uint64_t)(room > 0 ? room : 0);
  if (end <= most) {
    room -= (int64_t)(blocks(end) - blocks(size));
    return n;
  }
  room = 0;
  return most > offset ? (size_t)(most - offset) : 0;
}

/* The first n bytes of what was to be written, in one piece that the caller frees. */
static char *joined(const struct iovec *parts, int count, size_t *n) {
  *n = 0;
  for (int i = 0; i < count; i++) *n += parts[i].iov_len;
  char *all = malloc(*n + 1), *at = all;
  if (!all) abort();
  for (int i = 0; i < count; i++) {
    memcpy(at, parts[i].iov_base, parts[i].iov_len);
    at += parts[i].iov_len;
  }
  return all;
}

/* `given` is -1 for a write at the descriptor's own place. */
static ssize_t write_parts(int fd, const struct iovec *parts, int count, int64_t given) {
  struct open_file *file = known(fd);
  if (!file) {
    if (root && fd == 2 && journal >= 0) {
      size_t n;
      char *all = joined(parts, count, &n);
      pthread_mutex_lock(&lock);
      record(LOG, 0, 0, 0, "", all, n);
      pthread_mutex_unlock(&lock);
      free(all);
    }
    return given < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, given, 0L);
  }
  size_t n;
  char *all = joined(parts, count, &n);
  ssize_t done = -1;
  pthread_mutex_lock(&lock);
  struct stat st;
  int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
  uint64_t offset = given >= 0 ? (uint64_t)given
                    : (flags & O_APPEND) && !stat_fd(fd, &st) ? (uint64_t)st.st_size
                                                              : (uint64_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
  int is_end = is_last();
  int was_full = has_failed;
  if (!fails(C_WRITE)) {
    size_t most = is_end ? n / 2 : taken(fd, n, offset);
    /* The call that fills the disk writes a part of what it was given, as a real one does. */
    if (is_full_mode && has_failed && !was_full && most == 0 && n > 512) most = n / 2 / 512 * 512;
    if (most == 0 && n > 0 && !is_end) {
      errno = fail_errno;
    } else {
      done = given < 0 ? syscall(SYS_write, fd, all, most) : syscall(SYS_pwrite64, fd, all, most, given);
      if (done > 0) record(WRITE, file->is_durable ? F_DURABLE : 0, file->file, offset, file->path, all, (size_t)done);
    }
    if (is_end) die();
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  free(all);
  errno = kept;
  return done;
}

ssize_t write(int fd, const void *bytes, size_t n) {
  struct iovec part = {(void *)bytes, n};
  if (!known(fd) && !(fd == 2 && journal >= 0)) return syscall(SYS_write, fd, bytes, n);
  return write_parts(fd, &part, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset) {
  struct iovec part = {(void *)bytes, n};
  return write_parts(fd, &part, 1, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t offset) { return pwrite(fd, bytes, n, offset); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return write_parts(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return write_parts(fd, parts, count, offset);
}

static int sync_file(int fd, long call) {
  struct open_file *file = known(fd);
  if (!file) return (int)syscall(call, fd);
  if (is_swallowed(file->path)) return 0;
  pthread_mutex_lock(&lock);
  int done = -1;
  if (is_last()) die();
  if (!fails(C_SYNC)) {
    /* Slow and of no use here: the journal says what is durable, and no machine loses its power. */
    done = 0;
    record(SYNC, file->is_folder ? F_FOLDER : 0, file->file, 0, file->path, NULL, 0);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return done;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

int ftruncate(int fd, off_t length) {
  struct open_file *file = known(fd);
  if (!file) return (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&lock);
  int done = -1;
  if (is_last()) die();
  if (!fails(C_TRUNCATE)) {
    struct stat st;
    if (!stat_fd(fd, &st) && st.st_size > length) room += (int64_t)(blocks((uint64_t)st.st_size) - blocks((uint64_t)length));
    done = (int)syscall(SYS_ftruncate, fd, length);
    if (!done) record(TRUNCATE, 0, file->file, (uint64_t)length, file->path, NULL, 0);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return done;
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

/* A change of names: `to` is NULL where there is only one. */
static int change_name(enum kind kind, enum class c, const char *path, const char *to, mode_t mode) {
  pthread_mutex_lock(&lock);
  int done = -1;
  struct stat st = {0}, gone = {0};
  int is_there = !stat(path, &st);
  int replaces = kind == RENAME && !stat(to, &gone);
  if (is_last()) die();
  if (!fails(c)) {
    if (kind == MKDIR && is_full_mode && has_failed && room < BLOCK) errno = fail_errno;
    else if (kind == MKDIR) done = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    else if (kind == UNLINK) done = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    else if (kind == LINK) done = (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, to, 0);
    else done = (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, to, 0);
    if (!done && kind == UNLINK && st.st_nlink == 1) room += (int64_t)blocks((uint64_t)st.st_size);
    if (!done && replaces && gone.st_nlink == 1) room += (int64_t)blocks((uint64_t)gone.st_size);
    if (!done) record(kind, 0, is_there ? st.st_ino : 0, 0, path, to ? to : "", to ? strlen(to) : 0);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return done;
}

int rename(const char *from, const char *to) {
  char a[PATH_BYTES], b[PATH_BYTES];
  const char *one = below(AT_FDCWD, from, a), *two = below(AT_FDCWD, to, b);
  if (!one || !two) return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  return change_name(RENAME, C_RENAME, one, two, 0);
}
int link(const char *from, const char *to) {
  char a[PATH_BYTES], b[PATH_BYTES];
  const char *one = below(AT_FDCWD, from, a), *two = below(AT_FDCWD, to, b);
  if (!one || !two) return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  return change_name(LINK, C_CREATE, one, two, 0);
}
int unlink(const char *path) {
  char a[PATH_BYTES];
  const char *one = below(AT_FDCWD, path, a);
  return one ? change_name(UNLINK, C_UNLINK, one, NULL, 0) : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int mkdir(const char *path, mode_t mode) {
  char a[PATH_BYTES];
  const char *one = below(AT_FDCWD, path, a);
  return one ? change_name(MKDIR, C_CREATE, one, NULL, mode) : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int statfs(const char *path, struct statfs *out) {
  int done = (int)syscall(SYS_statfs, path, out);
  char a[PATH_BYTES];
  if (!done && is_full_mode && has_failed && below(AT_FDCWD, path, a)) {
    out->f_bavail = out->f_bfree = (uint64_t)(room > 0 ? room : 0) / (uint64_t)out->f_bsize;
  }
  return done;
}
int statfs64(const char *path, struct statfs64 *out) { return statfs(path, (struct statfs *)out); }

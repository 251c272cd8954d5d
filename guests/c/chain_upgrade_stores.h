/* What a handler in C reads and writes with: bytes, stores, walks, reports. chain_upgrade_handler.h includes it. */
#ifndef CHAIN_UPGRADE_STORES_H
#define CHAIN_UPGRADE_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __wasm_bulk_memory__
#error "compile with --target=wasm32 -mbulk-memory: there is no C library to copy memory with"
#endif

/* A view of some bytes; what a function of the handler is given is good until it returns. */
typedef struct {
    const uint8_t *at;
    uint32_t length;
} cu_bytes;

/* A store: its place in the manifest's list. */
typedef uint32_t cu_store;

enum cu_level { CU_DEBUG, CU_INFO, CU_WARN, CU_ERROR };

/* Codes below 0 are this header's own. */
enum { CU_MALFORMED = -4, CU_BAD_KEY = -5, CU_BAD_VALUE = -6, CU_CHECKS_TOO_LONG = -7 };
enum { CU_NO_ROOM = -10, CU_NO_MEMORY = -11, CU_DIFFERS = -13 };

#define CU_IMPORT(name) __attribute__((import_module("chain"), import_name(name)))
#define CU_EXPORT(name) __attribute__((export_name(name)))

CU_IMPORT("store_get") int32_t cu_import_get(cu_store, const uint8_t *, uint32_t, uint8_t *, uint32_t);
CU_IMPORT("store_set") int32_t cu_import_set(cu_store, const uint8_t *, uint32_t, const uint8_t *, uint32_t);
CU_IMPORT("store_write") int32_t cu_import_write(const uint8_t *, uint32_t);
CU_IMPORT("store_scan")
int32_t cu_import_scan(cu_store, const uint8_t *, uint32_t, const uint8_t *, uint32_t, uint8_t *, uint32_t);
CU_IMPORT("log") void cu_import_log(uint32_t, const char *, uint32_t);
CU_IMPORT("progress") void cu_import_progress(int64_t, int64_t);
CU_IMPORT("fail") void cu_import_fail(int32_t, const char *, uint32_t);

enum { CU_IN_BYTES = 65536, CU_OUT_BYTES = 262144, CU_KEPT_BYTES = 4096, CU_PREFIX_BYTES = 256, CU_HEAD = 4, CU_LAST = 1 };
enum { CU_KEY_BYTES = 65535, CU_VALUE_BYTES = 1048576 };
#define CU_OP_DELETE (UINT32_C(1) << 30)

static uint8_t cu_first_in[CU_IN_BYTES], cu_out[CU_OUT_BYTES], cu_kept[CU_KEPT_BYTES];
static uint8_t *cu_in = cu_first_in;
static uint32_t cu_in_bytes = CU_IN_BYTES, cu_written = CU_HEAD;

/* Reports */

static inline uint32_t cu_length(const char *text) {
    uint32_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

/* Ends the run: nothing that the handler wrote stays. The code is the author's, above 0. */
static inline _Noreturn void cu_fail(int32_t code, const char *message) {
    cu_import_fail(code, message, cu_length(message));
    __builtin_trap();
}

static inline void cu_log(enum cu_level level, const char *message) {
    cu_import_log((uint32_t)level, message, cu_length(message));
}

static inline void cu_progress(int64_t done, int64_t total) { cu_import_progress(done, total); }

/* Bytes */

static inline cu_bytes cu_view(const void *at, uint32_t length) { return (cu_bytes){(const uint8_t *)at, length}; }

static inline cu_bytes cu_text(const char *text) { return cu_view(text, cu_length(text)); }

static inline bool cu_equal(cu_bytes a, cu_bytes b) {
    if (a.length != b.length) return false;
    for (uint32_t i = 0; i < a.length; i++) {
        if (a.at[i] != b.at[i]) return false;
    }
    return true;
}

/* In the order of keys and names: by bytes. */
static inline bool cu_is_below(cu_bytes a, cu_bytes b) {
    for (uint32_t i = 0; i < a.length && i < b.length; i++) {
        if (a.at[i] != b.at[i]) return a.at[i] < b.at[i];
    }
    return a.length < b.length;
}

static inline uint32_t cu_word(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void cu_put_word(uint8_t *at, uint32_t word) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(word >> 8 * i);
}

/* Bytes in the making, in an array of the caller's: CU_WRITER(key, 64); */
typedef struct {
    uint8_t *at;
    uint32_t length, room;
} cu_writer;

#define CU_WRITER(name, bytes) \
    uint8_t name##_bytes[bytes]; \
    cu_writer name = {name##_bytes, 0, bytes}

static inline void cu_append(cu_writer *to, cu_bytes bytes) {
    if (bytes.length > to->room - to->length) cu_fail(CU_NO_ROOM, "a writer has no room for so many bytes");
    __builtin_memcpy(to->at + to->length, bytes.at, bytes.length);
    to->length += bytes.length;
}

static inline void cu_append_u8(cu_writer *to, uint8_t byte) { cu_append(to, cu_view(&byte, 1)); }

/* Big-endian, as keys have integers, so that their order is that of the numbers. */
static inline void cu_append_be64(cu_writer *to, uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) cu_append_u8(to, (uint8_t)(number >> shift));
}

static inline cu_bytes cu_made(const cu_writer *made) { return cu_view(made->at, made->length); }

/* Stores: writes are framed until the host takes them; a read sees every write before it. */

static inline void cu_flush(void) {
    if (cu_written == CU_HEAD) return;
    cu_import_write(cu_out + CU_HEAD, cu_written - CU_HEAD);
    cu_written = CU_HEAD;
}

static inline void cu_check_key(cu_bytes key) {
    if (key.length == 0 || key.length > CU_KEY_BYTES) cu_fail(CU_BAD_KEY, "a key has 1 to 65,535 bytes");
}

static inline void cu_frame(cu_bytes part) {
    __builtin_memcpy(cu_out + cu_written, part.at, part.length);
    cu_written += part.length;
}

static inline void cu_frame_word(uint32_t word) {
    cu_put_word(cu_out + cu_written, word);
    cu_written += 4;
}

static inline void cu_set(cu_store store, cu_bytes key, cu_bytes value) {
    cu_check_key(key);
    if (value.length > CU_VALUE_BYTES) cu_fail(CU_BAD_VALUE, "a value has at most 1 MiB");
    uint32_t size = 8 + key.length + value.length;
    if (cu_written + size > CU_OUT_BYTES) cu_flush();
    if (cu_written + size > CU_OUT_BYTES) {
        cu_import_set(store, key.at, key.length, value.at, value.length);
        return;
    }
    cu_frame_word(store << 24 | key.length);
    cu_frame_word(value.length);
    cu_frame(key);
    cu_frame(value);
}

static inline void cu_delete(cu_store store, cu_bytes key) {
    cu_check_key(key);
    if (cu_written + 4 + key.length > CU_OUT_BYTES) cu_flush();
    cu_frame_word(CU_OP_DELETE | store << 24 | key.length);
    cu_frame(key);
}

/* The value of a key into `room`: its length, or -1 when there is none. Fails when it is longer than the room. */
static inline int32_t cu_get(cu_store store, cu_bytes key, uint8_t *room, uint32_t bytes) {
    cu_flush();
    int32_t length = cu_import_get(store, key.at, key.length, room, bytes);
    if (length > (int32_t)bytes) cu_fail(CU_NO_ROOM, "a value is longer than the room that cu_get() was given");
    return length < 0 ? -1 : length;
}

static inline bool cu_has(cu_store store, cu_bytes key) {
    cu_flush();
    return cu_import_get(store, key.at, key.length, NULL, 0) >= 0;
}

/* A walk over the pairs whose keys begin with a prefix, ascending; `room` holds what is read at once. */
typedef struct {
    cu_store store;
    uint8_t *room;
    uint32_t bytes, start, at, stop, end_length;
    uint8_t end[CU_PREFIX_BYTES];
    cu_bytes key, value;
    bool is_done;
} cu_walk;

static inline void cu_open(cu_walk *walk, cu_store store, cu_bytes prefix, uint8_t *room, uint32_t bytes) {
    if (prefix.length > CU_PREFIX_BYTES || prefix.length > bytes)
        cu_fail(CU_NO_ROOM, "a walk's prefix has at most 256 bytes, and fits into its room");
    walk->store = store;
    walk->room = room;
    walk->bytes = bytes;
    walk->start = prefix.length;
    walk->at = walk->stop = 0;
    walk->is_done = false;
    __builtin_memcpy(room, prefix.at, prefix.length);
    __builtin_memcpy(walk->end, prefix.at, prefix.length);
    /* The first key after the prefix: its last byte that can be counted up, without what follows. */
    walk->end_length = prefix.length;
    while (walk->end_length > 0 && walk->end[walk->end_length - 1] == 0xff) walk->end_length--;
    if (walk->end_length > 0) walk->end[walk->end_length - 1]++;
}

static inline bool cu_fill(cu_walk *walk) {
    if (walk->is_done) return false;
    cu_flush();
    if (walk->stop != 0) {
        /* Right after the last key: the first key that is longer. */
        if (walk->key.length >= walk->bytes) cu_fail(CU_NO_ROOM, "a pair is longer than the room of its walk");
        __builtin_memmove(walk->room, walk->key.at, walk->key.length);
        walk->room[walk->key.length] = 0;
        walk->start = walk->key.length + 1;
    }
    uint32_t room = walk->bytes - walk->start;
    uint32_t length = (uint32_t)cu_import_scan(walk->store, walk->room, walk->start, walk->end, walk->end_length,
                                               walk->room + walk->start, room);
    if (length > room) cu_fail(CU_NO_ROOM, "a pair is longer than the room of its walk");
    walk->is_done = length == 0;
    walk->at = walk->start;
    walk->stop = walk->start + length;
    return length > 0;
}

/* Makes the next pair `walk->key` and `walk->value`; false after the last one. */
static inline bool cu_next(cu_walk *walk) {
    if (walk->at >= walk->stop && !cu_fill(walk)) return false;
    const uint8_t *frame = walk->room + walk->at;
    walk->key = cu_view(frame + 8, cu_word(frame));
    walk->value = cu_view(frame + 8 + walk->key.length, cu_word(frame + 4));
    walk->at += 8 + walk->key.length + walk->value.length;
    return true;
}

/* Is there a pair whose key begins with this? */
static inline bool cu_any(cu_store store, cu_bytes prefix) {
    uint8_t room[CU_PREFIX_BYTES];
    cu_walk walk;
    cu_open(&walk, store, prefix, room, sizeof room);
    cu_flush();
    return cu_import_scan(store, room, walk.start, walk.end, walk.end_length, NULL, 0) > 0;
}

#endif

/*
 * Upgrade handlers for blockchains in C: one .wasm that migrates the state of a chain in its upgrade block. What a handler
 * is and how it is tested: docs/write-a-handler.md; the interface beneath: docs/abi.md.
 *
 *     clang --target=wasm32 -std=c11 -O2 -mbulk-memory -ffreestanding -I guests/c -c handler.c -o handler.o
 *     wasm-ld --no-entry --strip-all -z stack-size=65536 --max-memory=33554432 handler.o -o bare.wasm
 *     chaind handler pack bare.wasm --manifest manifest.json --out handler.wasm
 *
 * The manifest says what the handler may touch; here are the functions that do it. Include this in one file alone, and end
 * that file with these lines, in the manifest's order; {0} where there is none:
 *
 *     CU_STEPS({"bank", 2, 3, NULL});
 *     CU_SCANS({on_balance, NULL});
 *     CU_INVARIANTS({"some", is_any, "no balance was moved"});
 *     CU_HANDLER
 *
 * Nothing here allocates but a frame that is longer than 64 KiB, and a plan that is longer than 4 KiB.
 */
#ifndef CHAIN_UPGRADE_HANDLER_H
#define CHAIN_UPGRADE_HANDLER_H

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

typedef struct {
    const char *module;
    uint64_t from; /* 0: the module is new */
    uint64_t to;
    void (*run)(void); /* NULL: the scans do the work */
} cu_step;

typedef struct {
    void (*on_pair)(cu_bytes key, cu_bytes value);
    void (*on_end)(void); /* may be NULL */
} cu_scan;

typedef struct {
    const char *name;
    bool (*holds)(void);
    const char *message;
} cu_invariant;

enum cu_level { CU_DEBUG, CU_INFO, CU_WARN, CU_ERROR };

/* Codes below 0 are this header's own. */
enum { CU_MALFORMED = -4, CU_BAD_KEY = -5, CU_BAD_VALUE = -6, CU_CHECKS_TOO_LONG = -7, CU_NO_ROOM = -10, CU_NO_MEMORY = -11 };

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
static cu_bytes cu_context;

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

/* The context: the messages of docs/abi.md, read where they are asked for */

typedef struct {
    cu_bytes rest, bytes;
    uint32_t field;
    uint64_t number;
} cu_fields;

static inline uint64_t cu_varint(cu_fields *fields) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (fields->rest.length == 0) break;
        uint8_t byte = *fields->rest.at;
        fields->rest = cu_view(fields->rest.at + 1, fields->rest.length - 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    cu_fail(CU_MALFORMED, "the host's message is malformed");
}

/* Makes the next field of this number the current one; false when there is none left. */
static inline bool cu_find(cu_fields *fields, uint32_t number) {
    while (fields->rest.length > 0) {
        uint64_t tag = cu_varint(fields), value = cu_varint(fields);
        fields->field = (uint32_t)(tag >> 3);
        fields->number = value;
        fields->bytes = cu_view(fields->rest.at, 0);
        if ((tag & 7) == 2) {
            if (value > fields->rest.length) cu_fail(CU_MALFORMED, "the host's message is malformed");
            fields->bytes.length = (uint32_t)value;
            fields->rest = cu_view(fields->rest.at + value, fields->rest.length - (uint32_t)value);
        }
        if (fields->field == number) return true;
    }
    return false;
}

static inline cu_bytes cu_bytes_of(cu_bytes message, uint32_t number) {
    cu_fields fields = {.rest = message};
    return cu_find(&fields, number) ? fields.bytes : cu_view(message.at, 0);
}

static inline uint64_t cu_number_of(cu_bytes message, uint32_t number) {
    cu_fields fields = {.rest = message};
    return cu_find(&fields, number) ? fields.number : 0;
}

static inline cu_bytes cu_chain_id(void) { return cu_bytes_of(cu_context, 1); }
/* Of the block that applies the upgrade. */
static inline int64_t cu_height(void) { return (int64_t)cu_number_of(cu_context, 2); }
/* Since 1970. */
static inline int64_t cu_seconds(void) { return (int64_t)cu_number_of(cu_bytes_of(cu_context, 3), 1); }
static inline cu_bytes cu_plan_info(void) { return cu_bytes_of(cu_bytes_of(cu_context, 4), 4); }

/* The stored version of a module; 0 when it has none. */
static inline uint64_t cu_version(const char *module) {
    cu_fields entries = {.rest = cu_bytes_of(cu_context, 5)};
    while (cu_find(&entries, 1)) {
        if (cu_equal(cu_bytes_of(entries.bytes, 1), cu_text(module))) return cu_number_of(entries.bytes, 2);
    }
    return 0;
}

/* What the host calls */

static inline uint8_t *cu_pages(uint32_t bytes) {
    size_t before = __builtin_wasm_memory_grow(0, (bytes + 65535) / 65536);
    if (before == SIZE_MAX) cu_fail(CU_NO_MEMORY, "no memory for a pair, or for the plan and its versions");
    return (uint8_t *)(before * 65536);
}

static inline uint8_t *cu_handler_in(uint32_t cap) {
    if (cap > cu_in_bytes) {
        cu_in = cu_pages(cap);
        cu_in_bytes = cap;
    }
    return cu_in;
}

static inline void cu_keep(uint32_t length) {
    uint8_t *copy = length <= CU_KEPT_BYTES ? cu_kept : cu_pages(length);
    __builtin_memcpy(copy, cu_in, length);
    cu_context = cu_view(copy, length);
}

static inline bool cu_same(const char *a, const char *b) { return cu_equal(cu_text(a), cu_text(b)); }

static inline int32_t cu_handler_run(uint32_t length, const cu_step *steps, uint32_t count) {
    cu_keep(length);
    for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) {
        uint64_t version = cu_version(steps[i].module);
        for (uint32_t j = 0; j < i; j++) {
            if (cu_same(steps[j].module, steps[i].module) && steps[j].from == version) version = steps[j].to;
        }
        if (version == steps[i].from && steps[i].run != NULL) steps[i].run();
    }
    cu_flush();
    return 0;
}

static inline int32_t cu_handler_batch(uint32_t length, uint32_t flags, const cu_scan *scan) {
    for (uint32_t at = 0; at < length;) {
        cu_bytes key = cu_view(cu_in + at + 8, cu_word(cu_in + at));
        cu_bytes value = cu_view(key.at + key.length, cu_word(cu_in + at + 4));
        scan->on_pair(key, value);
        at += 8 + key.length + value.length;
    }
    if ((flags & CU_LAST) != 0 && scan->on_end != NULL) scan->on_end();
    uint32_t written = cu_written;
    cu_put_word(cu_out, length);
    cu_written = CU_HEAD;
    return (int32_t)written;
}

static inline void cu_field(cu_writer *to, uint8_t tag, uint32_t length) {
    cu_append_u8(to, tag);
    for (; length >= 0x80; length >>= 7) cu_append_u8(to, (uint8_t)length | 0x80);
    cu_append_u8(to, (uint8_t)length);
}

static inline uint32_t cu_field_bytes(cu_bytes bytes) {
    uint32_t head = 2;
    for (uint32_t rest = bytes.length >> 7; rest > 0; rest >>= 7) head++;
    return bytes.length == 0 ? 0 : head + bytes.length;
}

static inline void cu_field_text(cu_writer *to, uint8_t tag, cu_bytes text) {
    if (text.length == 0) return;
    cu_field(to, tag, text.length);
    cu_append(to, text);
}

/* CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 } */
static inline int32_t cu_handler_check(const cu_invariant *invariants, uint32_t count) {
    cu_writer results = {cu_out, 0, CU_OUT_BYTES};
    for (uint32_t i = 0; i < count && invariants[i].name != NULL; i++) {
        bool holds = invariants[i].holds();
        cu_bytes name = cu_text(invariants[i].name), message = cu_text(holds ? "" : invariants[i].message);
        cu_field(&results, 0x0a, cu_field_bytes(name) + (holds ? 2 : 0) + cu_field_bytes(message));
        cu_field_text(&results, 0x0a, name);
        if (holds) cu_field(&results, 0x10, 1);
        cu_field_text(&results, 0x1a, message);
    }
    return (int32_t)results.length;
}

#define CU_COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define CU_STEPS(...) static const cu_step cu_steps[] = {__VA_ARGS__}
#define CU_SCANS(...) static const cu_scan cu_scans[] = {__VA_ARGS__}
#define CU_INVARIANTS(...) static const cu_invariant cu_invariants[] = {__VA_ARGS__}

#define CU_HANDLER \
    CU_EXPORT("handler_abi_1") void cu_export_abi(void) {} \
    CU_EXPORT("handler_in") uint8_t *cu_export_in(uint32_t cap) { return cu_handler_in(cap); } \
    CU_EXPORT("handler_out") uint8_t *cu_export_out(uint32_t cap) { return cap > CU_OUT_BYTES ? NULL : cu_out; } \
    CU_EXPORT("handler_run") int32_t cu_export_run(uint32_t length) { \
        return cu_handler_run(length, cu_steps, CU_COUNT(cu_steps)); \
    } \
    CU_EXPORT("handler_batch") int32_t cu_export_batch(uint32_t scan, uint32_t length, uint32_t flags) { \
        return cu_handler_batch(length, flags, &cu_scans[scan]); \
    } \
    CU_EXPORT("handler_check") int32_t cu_export_check(uint32_t length) { \
        (void)length; \
        return cu_handler_check(cu_invariants, CU_COUNT(cu_invariants)); \
    }

#endif

/*
 * Upgrade handlers for blockchains in C: one .wasm that migrates the state of a chain in its upgrade block. What a handler
 * is and how it is tested: docs/write-a-handler.md; the interface beneath: docs/abi.md.
 *
 *     clang --target=wasm32 -std=c11 -O2 -mbulk-memory -ffreestanding -I guests/c -c handler.c -o handler.o
 *     wasm-ld --no-entry --strip-all -z stack-size=65536 --max-memory=33554432 handler.o -o bare.wasm
 *     chaind handler pack bare.wasm --out handler.wasm
 *
 * Here is what the functions of a handler are called by, and in chain_upgrade_stores.h what they work with. Include this in one file alone.
 * chain_upgrade_declaration.h says how that file declares what the handler may touch; or a file does (`handler pack --manifest FILE`): then
 * these lines are its end, in the manifest's order, {0} where there is none. Where they and the manifest differ the run fails with the name of the module or list.
 *
 *     CU_STEPS({"bank", 2, 3, NULL});
 *     CU_REMOVES("crisis");  as the manifest's "removes"; left out where there are none
 *     CU_SCANS({on_balance, NULL});
 *     CU_INVARIANTS({"some", is_any, "no balance was moved"});
 *     CU_HANDLER
 *
 * Nothing here allocates but a frame that is longer than 64 KiB, and a plan that is longer than 4 KiB.
 */
#ifndef CHAIN_UPGRADE_HANDLER_H
#define CHAIN_UPGRADE_HANDLER_H

#include "chain_upgrade_stores.h"

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

typedef struct {
    const char *const *modules;
    uint32_t count;
} cu_names;

static cu_bytes cu_context;
/* Of the manifest's scans, those whose last batch came. */
static uint32_t cu_scanned;
/* Stays empty where there is no CU_REMOVES. */
static const cu_names cu_removes;

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

/* What the host takes: messages */

static inline void cu_field(cu_writer *to, uint8_t tag, uint64_t number) {
    cu_append_u8(to, tag);
    for (; number >= 0x80; number >>= 7) cu_append_u8(to, (uint8_t)number | 0x80);
    cu_append_u8(to, (uint8_t)number);
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

/* Where so many steps bring a module: each that is due goes on from the one before it. */
static inline uint64_t cu_version_after(const cu_step *steps, uint32_t count, cu_bytes module, uint64_t version) {
    for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) {
        if (steps[i].from == version && cu_equal(cu_text(steps[i].module), module)) version = steps[i].to;
    }
    return version;
}

/* VersionMap { repeated ModuleVersion { string name = 1; uint64 version = 2 } = 1 }: see cu_versions_after. */
static inline void cu_put_version(cu_writer *map, cu_bytes module, uint64_t version, const cu_names *removes) {
    for (uint32_t i = 0; i < removes->count; i++) {
        if (cu_equal(cu_text(removes->modules[i]), module)) return;
    }
    uint32_t bytes = cu_field_bytes(module) + (version > 0);
    for (uint64_t rest = version; rest > 0; rest >>= 7) bytes++;
    cu_field(map, 0x0a, bytes);
    cu_field_text(map, 0x0a, module);
    if (version > 0) cu_field(map, 0x10, version);
}

/* New modules whose names are after `last` and before `next` (where there is one), ascending. */
static inline void cu_put_new(cu_writer *map, const cu_step *steps, uint32_t count, cu_bytes last, const cu_bytes *next,
                              const cu_names *removes) {
    for (;;) {
        const cu_step *first = NULL;
        for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) {
            cu_bytes name = cu_text(steps[i].module);
            bool is_due = steps[i].from == 0 && cu_is_below(last, name) && (next == NULL || cu_is_below(name, *next));
            if (is_due && (first == NULL || cu_is_below(name, cu_text(first->module)))) first = &steps[i];
        }
        if (first == NULL) return;
        last = cu_text(first->module);
        cu_put_version(map, last, cu_version_after(steps, count, last, 0), removes);
    }
}

/*
 * The versions that the steps lead to. The host holds them against its manifest, and refuses the run with the name of a
 * module that differs: a module there without a step here never rises in silence.
 */
static inline int32_t cu_versions_after(const cu_step *steps, uint32_t count, const cu_names *removes) {
    cu_writer map = {cu_out, 0, CU_OUT_BYTES};
    cu_fields entries = {.rest = cu_bytes_of(cu_context, 5)};
    cu_bytes last = cu_view(cu_out, 0);
    while (cu_find(&entries, 1)) {
        cu_bytes name = cu_bytes_of(entries.bytes, 1);
        uint64_t stored = cu_number_of(entries.bytes, 2);
        cu_put_new(&map, steps, count, last, &name, removes);
        cu_put_version(&map, name, cu_version_after(steps, count, name, stored), removes);
        last = name;
    }
    cu_put_new(&map, steps, count, last, NULL, removes);
    return (int32_t)map.length;
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

/* A step whose module is at no version of the list, as one with a misspelled name, would be passed in silence. */
static inline void cu_require_step(const cu_step *steps, uint32_t count, const char *module) {
    uint64_t version = cu_version(module);
    for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) {
        bool is_known = steps[i].from == version || steps[i].to == version;
        if (is_known && cu_equal(cu_text(steps[i].module), cu_text(module))) return;
    }
    cu_writer text = {cu_out, 0, CU_OUT_BYTES};
    cu_append(&text, cu_text("CU_STEPS: no step of module \""));
    cu_append(&text, cu_text(module));
    cu_append(&text, cu_text("\" begins or ends at its stored version"));
    cu_import_fail(CU_DIFFERS, (const char *)text.at, text.length);
    __builtin_trap();
}

static inline int32_t cu_handler_run(uint32_t length, const cu_step *steps, uint32_t count, const cu_names *removes) {
    cu_keep(length);
    for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) cu_require_step(steps, count, steps[i].module);
    for (uint32_t i = 0; i < count && steps[i].module != NULL; i++) {
        uint64_t version = cu_version_after(steps, i, cu_text(steps[i].module), cu_version(steps[i].module));
        if (version == steps[i].from && steps[i].run != NULL) steps[i].run();
    }
    cu_flush();
    return cu_versions_after(steps, count, removes);
}

static inline int32_t cu_handler_batch(uint32_t index, uint32_t length, uint32_t flags, const cu_scan *scans, uint32_t count) {
    if (index >= count || scans[index].on_pair == NULL)
        cu_fail(CU_DIFFERS, "CU_SCANS: the manifest has a scan that is not in this list");
    const cu_scan *scan = &scans[index];
    if ((flags & CU_LAST) != 0) cu_scanned++;
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

/* CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 } */
static inline int32_t cu_handler_check(const cu_invariant *invariants, uint32_t count, uint32_t scans) {
    if (cu_scanned != scans) cu_fail(CU_DIFFERS, "CU_SCANS: the manifest does not have as many scans as this list");
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
#define CU_REMOVES(...) \
    static const char *const cu_removed[] = {__VA_ARGS__}; \
    static const cu_names cu_removes = {cu_removed, CU_COUNT(cu_removed)}
#define CU_INVARIANTS(...) static const cu_invariant cu_invariants[] = {__VA_ARGS__}

#define CU_HANDLER \
    CU_EXPORT("handler_abi_1") void cu_export_abi(void) {} \
    CU_EXPORT("handler_in") uint8_t *cu_export_in(uint32_t cap) { return cu_handler_in(cap); } \
    CU_EXPORT("handler_out") uint8_t *cu_export_out(uint32_t cap) { return cap > CU_OUT_BYTES ? NULL : cu_out; } \
    CU_EXPORT("handler_run") int32_t cu_export_run(uint32_t length) { \
        return cu_handler_run(length, cu_steps, CU_COUNT(cu_steps), &cu_removes); \
    } \
    CU_EXPORT("handler_batch") int32_t cu_export_batch(uint32_t scan, uint32_t length, uint32_t flags) { \
        return cu_handler_batch(scan, length, flags, cu_scans, CU_COUNT(cu_scans)); \
    } \
    CU_EXPORT("handler_check") int32_t cu_export_check(uint32_t length) { \
        (void)length; \
        uint32_t scans = cu_scans[0].on_pair == NULL ? 0 : CU_COUNT(cu_scans); \
        return cu_handler_check(cu_invariants, CU_COUNT(cu_invariants), scans); \
    }

#include "chain_upgrade_declaration.h"

#endif

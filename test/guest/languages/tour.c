/* Everything that the header has, once: what it must do is in languages.test.ts, and the same in Rust beside it. */
#include "chain_upgrade_handler.h"

enum { BANK, NOTES, AFTER, AUTH };

static uint64_t total, accounts;

static void note(const char *key, cu_bytes value) { cu_set(NOTES, cu_text(key), value); }

static void first(void) { note("first", cu_chain_id()); }

static void second(void) {
    CU_WRITER(value, 64);
    cu_append_be64(&value, (uint64_t)cu_height());
    cu_append_be64(&value, (uint64_t)cu_seconds());
    cu_append_be64(&value, cu_version("bank"));
    cu_append_be64(&value, cu_version("nobody"));
    note("second", cu_made(&value));
}

static void genesis(void) {
    uint8_t room[64];
    uint64_t count = 0;
    cu_walk pairs;
    cu_open(&pairs, AFTER, cu_text("k"), room, sizeof room);
    while (cu_next(&pairs)) {
        cu_set(NOTES, pairs.key, pairs.value);
        count++;
    }
    CU_WRITER(counted, 8);
    cu_append_be64(&counted, count);
    note("count", cu_made(&counted));
    uint8_t value[16];
    int32_t length = cu_get(AFTER, cu_text("k00"), value, sizeof value);
    if (length >= 0) cu_set(AFTER, cu_text("k00"), cu_view(value, (uint32_t)length - 1));
    if (cu_get(AFTER, cu_text("absent"), value, sizeof value) >= 0 || cu_has(AFTER, cu_text("absent")) ||
        !cu_has(AFTER, cu_text("k00")))
        cu_fail(2, "what is absent is there");
    cu_delete(AFTER, cu_text("k01"));
    note("info", cu_plan_info());
    note("plan", cu_bytes_of(cu_bytes_of(cu_context, 4), 1));
}

static void on_pair(cu_bytes key, cu_bytes value) {
    if (cu_equal(value, cu_text("bad"))) cu_fail(7, "a bad value");
    cu_delete(BANK, key);
    CU_WRITER(moved, 64);
    cu_append_u8(&moved, 2);
    cu_append(&moved, cu_view(key.at + 1, key.length - 1));
    cu_set(BANK, cu_made(&moved), value);
    total += value.length;
}

static void on_end(void) {
    char digits[20];
    uint32_t at = sizeof digits;
    uint64_t rest = total;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    note("total", cu_view(digits + at, sizeof digits - at));
    cu_log(CU_WARN, "the end of a scan");
    cu_progress(1, 2);
}

static void on_account(cu_bytes key, cu_bytes value) {
    (void)key;
    (void)value;
    accounts++;
}

static bool is_moved(void) { return cu_any(BANK, cu_text("\x02")) && !cu_any(BANK, cu_text("\x01")); }

static bool is_read(void) { return accounts == 1; }

CU_STEPS({"bank", 1, 2, first}, {"bank", 2, 3, second}, {"notes", 0, 1, genesis});
CU_REMOVES("gone");
CU_SCANS({on_pair, on_end}, {on_account, NULL});
CU_INVARIANTS({"moved", is_moved, "nothing was moved"}, {"read", is_read, ""});
CU_HANDLER

/*
 * re-key, the same migration as its AssemblyScript twin beside it, with chain_upgrade_handler.h. From the repository:
 *
 *     clang --target=wasm32 -std=c11 -O2 -mbulk-memory -ffreestanding -I guests/c -c examples/re-key-c/re-key.c -o re-key.o
 *     wasm-ld --no-entry --strip-all -z stack-size=65536 --max-memory=33554432 re-key.o -o bare.wasm
 *     chaind handler pack bare.wasm --out re-key.wasm
 *
 *   names  01 | owner           -> name      is gone
 *   names  02 | length | owner  -> name      is new
 */
#include "chain_upgrade_handler.h"

enum { OWNER_BYTES_MAX = 255 };

CU_PLAN("re-key", 50000000000);
CU_STORES(store(names, "names", "01", "02"));

static void move_name(cu_bytes old, cu_bytes name) {
    cu_bytes owner = cu_view(old.at + 1, old.length - 1);
    if (owner.length == 0 || owner.length > OWNER_BYTES_MAX) cu_fail(1, "an owner has 1 to 255 bytes");
    cu_delete(names, old);
    CU_WRITER(key, 2 + OWNER_BYTES_MAX);
    cu_append_u8(&key, 0x02);
    cu_append_u8(&key, (uint8_t)owner.length);
    cu_append(&key, owner);
    cu_set(names, cu_made(&key), name);
}

static bool is_no_old_key_left(void) { return !cu_any(names, cu_text("\x01")); }

CU_DECLARE(
    migrate("names", 1, 2, NULL),
    scan(names, "01", move_name, NULL),
    invariant("old-keys", is_no_old_key_left, "a pair is still under its old key"))

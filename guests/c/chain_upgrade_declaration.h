/*
 * The declaration of a handler in C, in its source: the same as that of a handler in AssemblyScript, and the only place where it is.
 * chain_upgrade_handler.h includes this; `chaind handler pack` makes the manifest of it.
 *
 *     CU_PLAN("v3", 20000000000);                    its name, and the most gas
 *     CU_STORES(
 *         store(bank, "bank", "02", "03"),           a name for the code, the store, the prefixes of its keys (none: all)
 *         read_store(auth, "auth"),
 *         add_store(supply, "supply"),
 *         rename_store(after, "before", "after"),
 *         delete_store("old"));
 *     ...functions...
 *     CU_DECLARE(
 *         migrate("bank", 2, 3, first_step),         the function may be NULL
 *         add_module("supply", 1, genesis),
 *         remove_module("old"),
 *         scan(bank, "02", on_pair, on_end),         "": all pairs; on_end may be NULL
 *         invariant("holders", is_every_one_counted, "not every balance is counted"),
 *         allow("writeStores", "auth"));             allow("emptyVersionMap", "")
 *
 * Texts and numbers are written out, not by names of macros: what is declared is this text as it is here, which a custom section carries.
 */
#ifndef CHAIN_UPGRADE_DECLARATION_H
#define CHAIN_UPGRADE_DECLARATION_H

/* A line of a section that `handler pack` reads and takes out: the text of the arguments, quoted twice for the assembler. */
#define CU_TEXT(...) #__VA_ARGS__
#define CU_QUOTED(...) CU_TEXT(__VA_ARGS__)
#define CU_DECLARED(what, ...) \
    __asm__(".section .custom_section.chain_upgrade_declaration,\"\",@\n" \
            ".ascii \"" what "(\"\n.ascii " CU_QUOTED(#__VA_ARGS__) "\n.ascii \")\\n\"\n")

/* A macro, named by what both parts make together, of each argument. */
#define CU_EACH(kind, ...) __VA_OPT__(CU_TIMES_256(CU_EACH_OF(kind, __VA_ARGS__)))
#define CU_EACH_OF(kind, first, ...) kind##first __VA_OPT__(CU_EACH_AGAIN CU_LATER (kind, __VA_ARGS__))
#define CU_EACH_AGAIN() CU_EACH_OF
#define CU_LATER ()
#define CU_TIMES_256(...) CU_TIMES_64(CU_TIMES_64(CU_TIMES_64(CU_TIMES_64(__VA_ARGS__))))
#define CU_TIMES_64(...) CU_TIMES_16(CU_TIMES_16(CU_TIMES_16(CU_TIMES_16(__VA_ARGS__))))
#define CU_TIMES_16(...) CU_TIMES_4(CU_TIMES_4(CU_TIMES_4(CU_TIMES_4(__VA_ARGS__))))
#define CU_TIMES_4(...) __VA_ARGS__

#define CU_PLAN(...) CU_DECLARED("plan", __VA_ARGS__)
#define CU_STORES(...) \
    CU_DECLARED("stores", __VA_ARGS__); \
    enum { CU_EACH(CU_ID_, __VA_ARGS__) CU_STORE_COUNT }

/* A store is its place in the list. */
#define CU_ID_store(id, ...) id,
#define CU_ID_read_store(id, ...) id,
#define CU_ID_add_store(id, ...) id,
#define CU_ID_rename_store(id, ...) id,
#define CU_ID_delete_store(...)

/* Each list takes what is its own of the declaration, and ends with an entry without a name. */
#define CU_DECLARE(...) \
    CU_DECLARED("declare", __VA_ARGS__); \
    CU_STEPS(CU_EACH(CU_STEP_, __VA_ARGS__){0}); \
    CU_REMOVES(CU_EACH(CU_REMOVED_, __VA_ARGS__) ""); \
    enum { CU_SCAN_COUNT = 0 CU_EACH(CU_ONE_, __VA_ARGS__) }; \
    static const cu_scan cu_scans[CU_SCAN_COUNT + !CU_SCAN_COUNT] = {CU_EACH(CU_SCAN_, __VA_ARGS__)}; \
    CU_INVARIANTS(CU_EACH(CU_INVARIANT_, __VA_ARGS__){0}); \
    CU_HANDLER

#define CU_STEP_migrate(module, from, to, run) {module, from, to, run},
#define CU_STEP_add_module(module, version, run) {module, 0, version, run},
#define CU_STEP_remove_module(...)
#define CU_STEP_scan(...)
#define CU_STEP_invariant(...)
#define CU_STEP_allow(...)

#define CU_REMOVED_migrate(...)
#define CU_REMOVED_add_module(...)
#define CU_REMOVED_remove_module(module) module,
#define CU_REMOVED_scan(...)
#define CU_REMOVED_invariant(...)
#define CU_REMOVED_allow(...)

#define CU_ONE_migrate(...)
#define CU_ONE_add_module(...)
#define CU_ONE_remove_module(...)
#define CU_ONE_scan(...) +1
#define CU_ONE_invariant(...)
#define CU_ONE_allow(...)

#define CU_SCAN_migrate(...)
#define CU_SCAN_add_module(...)
#define CU_SCAN_remove_module(...)
#define CU_SCAN_scan(store, prefix, on_pair, on_end) {on_pair, on_end},
#define CU_SCAN_invariant(...)
#define CU_SCAN_allow(...)

#define CU_INVARIANT_migrate(...)
#define CU_INVARIANT_add_module(...)
#define CU_INVARIANT_remove_module(...)
#define CU_INVARIANT_scan(...)
#define CU_INVARIANT_invariant(name, holds, message) {name, holds, message},
#define CU_INVARIANT_allow(...)

#endif

/** Names of Rust functions, as rustc mangles them; expectations are those of rustc-demangle, without generic arguments. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rustName } from "../../../../host/upgrade/wasm/rust-names.js";

describe("rustName()", () => {
  test.each([
    ["_RNvCsfLfy6EI15iL_7___rustc10rust_panic", "__rustc::rust_panic"],
    ["_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"],
    ["_RNvC6_123foo3bar", "123foo::bar"],
    ["_RNCNvC7mycrate3foo0B3_", "mycrate::foo::{closure}"],
    ["_RNSNvC7mycrate3foo6vtableB3_", "mycrate::foo::{shim:vtable}"],
    ["_RINvC7mycrate3foolhE", "mycrate::foo"],
    ["_RNvMs_C7mycrateNtB4_3Bar3baz", "<mycrate::Bar>::baz"],
    ["_RNvXs0_C7mycrateNtB5_3BarNtB5_3Tra3baz", "<mycrate::Bar as mycrate::Tra>::baz"],
    ["_RNvYRShNtC7mycrate3Tra3baz", "<&[u8] as mycrate::Tra>::baz"],
    ["_RNvYAhj4_NtC7mycrate3Tra3baz", "<[u8] as mycrate::Tra>::baz"],
    ["_RNvYTlhENtC7mycrate3Tra3baz", "<(i32, u8) as mycrate::Tra>::baz"],
    ["_RNvYFUKChEuNtC7mycrate3Tra3baz", "<fn(u8) as mycrate::Tra>::baz"],
    ["_RNvYDNtC7mycrate3TraEL_NtB8_3Tra3baz", "_RNvYDNtC7mycrate3TraEL_NtB8_3Tra3baz"],
    ["_RNvYDNtC7mycrate3TraEL_NtB5_3Oth3baz", "<dyn mycrate::Tra as mycrate::Oth>::baz"],
    ["_ZN4core6result13unwrap_failed17h0123456789abcdefE", "core::result::unwrap_failed"],
    [
      "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Write$GT$9write_str17h0123456789abcdefE",
      "<alloc::string::String as core::fmt::Write>::write_str",
    ],
  ])("%s → %s", (mangled, name) => {
    expect(rustName(mangled)).toBe(name);
  });

  test("names that are not Rust's, or broken → as they are", () => {
    for (const name of [
      "handler_run",
      "_R",
      "_RNv",
      "_RNvC",
      "_RNvC9short",
      "_R1NvC1a1b",
      "_ZN",
      "_ZN9shortE",
      "_ZN3foo",
      "",
    ]) {
      expect(rustName(name)).toBe(name);
    }
  });

  test("backward references that repeat themselves → as they are, soon", () => {
    for (const name of [
      "_RB_",
      "_RNvB_1a",
      `_R${"Nv".repeat(10_000)}C1a`,
      `_RT${"TB_B_E".repeat(500)}E`,
      `_RNvY${"RTB3_B3_E".repeat(40)}`,
    ]) {
      expect(rustName(name)).toBe(name);
    }
  });

  test("any text after _R or _ZN → a name of at most 400 characters or the same, never an exception", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."NvCtMXYIEBsu_0123aLKRST"), maxLength: 80 });
    fc.assert(
      fc.property(fc.constantFrom("_R", "_ZN"), letters, (prefix, rest) => {
        const name = rustName(prefix + rest);
        expect(name === prefix + rest || name.length <= 400).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

//! Files that are not handlers: refused, with the code of the node.

use crate::oracle::read_handler;
use crate::support::guest::Guest;
use chain_upgrade::{Code, Handler};
use wasm_encoder::{CustomSection, Encode, Instruction, ValType};

#[test]
fn load_a_handler_made_by_hand_is_taken_and_its_hash_is_that_of_the_file() {
    let file = Guest::default().file();
    let loaded = Handler::load(&file, None).expect("a handler");
    let hash: String = loaded.sha256().iter().map(|byte| format!("{byte:02x}")).collect();
    Handler::load(&file, Some(&hash)).expect("its own hash");
    Handler::load(&file, Some(&hash.to_uppercase())).expect("its own hash in capitals");
    assert_eq!(Handler::load(&file, Some(&"0".repeat(64))).expect_err("another").code(), Code::HandlerHash);
    let ends_in_a_line = format!("{}\n", "0".repeat(64));
    let message = Handler::load(&file, Some(&ends_in_a_line)).expect_err("a line feed").to_string();
    assert!(message.contains(&format!("the plan pins \"{}\\n\"", "0".repeat(64))), "{message}");
    assert_eq!(Handler::load(&file, Some("")).expect_err("none").code(), Code::HandlerHash);
}

#[test]
fn load_a_file_of_another_kind_cut_or_too_long_is_refused() {
    let file = Guest::default().file();
    assert_eq!(Handler::load(b"", None).expect_err("empty").code(), Code::HandlerFormat);
    assert_eq!(Handler::load(b"\0asm\x0d\0\x01\0", None).expect_err("a component").code(), Code::HandlerFormat);
    for length in 0..file.len() {
        Handler::load(&file[..length], None).expect_err("a cut file");
    }
    assert_eq!(Handler::load(&vec![0; 8 << 20], None).expect_err("8 MiB").code(), Code::HandlerLimit);
}

/// rustc and LLVM write the index of the table in five bytes, for a linker to fill in.
#[test]
fn load_a_call_indirect_with_a_padded_table_index_is_taken_by_check_wasm_and_the_oracle() {
    let call = Instruction::CallIndirect { type_index: 0, table_index: 0 };
    let room = [const { Instruction::Nop }; 4];
    let run = [vec![Instruction::I32Const(0), call], room.to_vec(), vec![Instruction::I32Const(0)]].concat();
    let mut file = Guest { has_table: true, ..Guest::running(run) }.file();
    let short = [0x11, 0, 0, 1, 1, 1, 1];
    let at = file.windows(short.len()).position(|bytes| bytes == short).expect("the call");
    Handler::load(&file, None).expect("an index of one byte");
    file[at..at + short.len()].copy_from_slice(&[0x11, 0, 0x80, 0x80, 0x80, 0x80, 0]);
    Handler::load(&file, None).expect("an index of five bytes");
    read_handler(&file).expect("the oracle");
}

/// wazero reads one byte there; other engines take longer forms of the same number.
#[test]
fn load_a_memory_fill_with_a_padded_number_is_refused_by_check_wasm_and_the_oracle() {
    let operands = [const { Instruction::I32Const(0) }; 3];
    let room = [const { Instruction::Nop }; 4];
    let run = [operands.to_vec(), vec![Instruction::MemoryFill(0)], room.to_vec(), vec![Instruction::I32Const(0)]];
    let file = Guest::running(run.concat()).file();
    let short = [0xfc, 0x0b, 0, 1, 1, 1, 1];
    let at = file.windows(short.len()).position(|bytes| bytes == short).expect("the instruction");
    Handler::load(&file, None).expect("a number of one byte");
    read_handler(&file).expect("the oracle");
    for padded in [
        [0xfc, 0x8b, 0, 0, 1, 1, 1],
        [0xfc, 0x8b, 0x80, 0, 0, 1, 1],
        [0xfc, 0x8b, 0x80, 0x80, 0, 0, 1],
        [0xfc, 0x8b, 0x80, 0x80, 0x80, 0, 0],
    ] {
        let mut file = file.clone();
        file[at..at + padded.len()].copy_from_slice(&padded);
        assert_eq!(Handler::load(&file, None).expect_err("a longer number").code(), Code::HandlerFormat);
        assert_eq!(read_handler(&file).expect_err("a longer number").code(), Code::HandlerFormat);
    }
}

#[test]
fn load_a_name_of_a_byte_too_many_is_refused_by_check_wasm_and_the_oracle() {
    let named = |length: usize| {
        let section = CustomSection { name: "a".repeat(length).into(), data: [].as_slice().into() };
        let mut file = Guest::default().file();
        file.push(0);
        section.encode(&mut file);
        file
    };
    Handler::load(&named(100_000), None).expect("a name as long as may be");
    read_handler(&named(100_000)).expect("the oracle");
    assert_eq!(Handler::load(&named(100_001), None).expect_err("too long").code(), Code::HandlerLimit);
    assert_eq!(read_handler(&named(100_001)).expect_err("too long").code(), Code::HandlerLimit);
}

#[test]
fn load_each_byte_changed_is_refused_by_the_pinned_hash() {
    let file = Guest::default().file();
    let hash: String = Guest::default().handler().sha256().iter().map(|byte| format!("{byte:02x}")).collect();
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert_eq!(Handler::load(&changed, Some(&hash)).expect_err("changed").code(), Code::HandlerHash);
        // Without a pinned hash it is another handler or none: never a panic.
        drop(Handler::load(&changed, None));
    }
}

#[test]
fn load_a_module_that_breaks_the_interface_is_refused_with_the_code_of_the_node() {
    let of = |guest: Guest| guest.refused().code();
    assert_eq!(of(Guest { extra_import: Some(("wasi", "x")), ..Guest::default() }), Code::HandlerImport);
    assert_eq!(of(Guest { extra_import: Some(("chain", "progress")), ..Guest::default() }), Code::HandlerImport);
    assert_eq!(of(Guest { lacks_marker: true, ..Guest::default() }), Code::HandlerExport);
    assert_eq!(of(Guest { has_start: true, ..Guest::default() }), Code::HandlerOpcode);
    assert_eq!(of(Guest { pages: (257, None), ..Guest::default() }), Code::HandlerMemory);
    let floats = vec![Instruction::F64Const(1.0.into()), Instruction::Drop, Instruction::I32Const(0)];
    assert_eq!(of(Guest::running(floats)), Code::HandlerOpcode);
    assert_eq!(of(Guest::running(vec![Instruction::I64Const(0)])), Code::HandlerFormat);
    assert_eq!(of(Guest { manifest: "{}".to_owned(), ..Guest::default() }), Code::HandlerManifest);
}

#[test]
fn load_a_metered_module_that_cannot_be_the_files_own_is_refused_by_check_wasm_and_the_oracle() {
    let carrying = || Guest { has_metered: true, ..Guest::default() };
    let of = |guest: Guest| {
        let error = guest.refused();
        assert!(error.to_string().contains("make it again with `handler meter`"), "{error}");
        assert_eq!(read_handler(&guest.file()).expect_err("a refusal").code(), error.code());
        error.code()
    };
    let counter = |index: usize, counter| {
        let mut guest = carrying();
        guest.counters[index] = counter;
        guest
    };
    assert_eq!(of(Guest { metered_pages_max: 513, ..carrying() }), Code::HandlerMetered);
    assert_eq!(of(Guest { pages: (16, Some(32)), ..carrying() }), Code::HandlerMetered);
    assert_eq!(of(Guest { metered_lacks_export: true, ..carrying() }), Code::HandlerMetered);
    assert_eq!(of(counter(0, ("chain-upgrade:gas", ValType::I32, true))), Code::HandlerMetered);
    assert_eq!(of(counter(1, ("chain-upgrade:stack", ValType::I32, false))), Code::HandlerMetered);
    assert_eq!(of(counter(2, ("chain-upgrade:other", ValType::I32, true))), Code::HandlerMetered);
}

//! `handler!`: the declaration, statement by statement, as the AssemblyScript kit has it.

/// Declares a handler: its manifest goes into the custom section, its functions are called by the exports of the interface.
///
/// - `plan(name, gas);` first: the plan's name, and the most gas.
/// - `let id = store(name);` to read and write, `read_store(name)` to read, `add_store(name)` for a new one,
///   `rename_store(before, name)`; each with `.prefix(hex)` for the keys that are touched, and again for another prefix.
/// - `delete_store(name);`
/// - `migrate(module, from, to);` or with a function `fn()` as its step; `add_module(module, version);` or with its
///   genesis; `remove_module(module);`
/// - `scan(id, prefix, on_pair);` with `fn(&[u8], &[u8])`, or with `fn()` for its end besides
/// - `invariant(name, holds, message);` with `fn() -> bool`
/// - `allow(what, name);` for what is refused otherwise
///
/// What cannot be ends the compilation with the reason.
#[macro_export]
macro_rules! handler {
    (plan($name:expr, $gas:expr); $($rest:tt)*) => {
        $crate::__declare! { [$name, $gas] [0] [] [] [] [] [] [] [] $($rest)* }
    };
}

/// One statement at a time: `[plan] [next handle] [stores] [deleted] [steps] [removes] [scans] [allows] [invariants] rest`.
#[doc(hidden)]
#[macro_export]
macro_rules! __declare {
    ([$($p:tt)*] [$n:expr] $stores:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt
        let $id:ident = store($name:expr) $(.prefix($x:expr))*; $($rest:tt)*) => {
        $crate::__store! { [$($p)*] [$n] $stores $d $s $r $c $a $i $id
            [$name, "rw", $crate::Upgrade::None, [$($x),*]] $($rest)* }
    };
    ([$($p:tt)*] [$n:expr] $stores:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt
        let $id:ident = read_store($name:expr) $(.prefix($x:expr))*; $($rest:tt)*) => {
        $crate::__store! { [$($p)*] [$n] $stores $d $s $r $c $a $i $id
            [$name, "r", $crate::Upgrade::None, [$($x),*]] $($rest)* }
    };
    ([$($p:tt)*] [$n:expr] $stores:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt
        let $id:ident = add_store($name:expr) $(.prefix($x:expr))*; $($rest:tt)*) => {
        $crate::__store! { [$($p)*] [$n] $stores $d $s $r $c $a $i $id
            [$name, "rw", $crate::Upgrade::Added, [$($x),*]] $($rest)* }
    };
    ([$($p:tt)*] [$n:expr] $stores:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt
        let $id:ident = rename_store($before:expr, $name:expr) $(.prefix($x:expr))*; $($rest:tt)*) => {
        $crate::__store! { [$($p)*] [$n] $stores $d $s $r $c $a $i $id
            [$name, "rw", $crate::Upgrade::Renamed($before), [$($x),*]] $($rest)* }
    };
    ($p:tt $n:tt $t:tt [$($d:tt)*] $s:tt $r:tt $c:tt $a:tt $i:tt delete_store($name:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t [$($d)* $name,] $s $r $c $a $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt [$($s:tt)*] $r:tt $c:tt $a:tt $i:tt
        migrate($module:expr, $from:expr, $to:expr $(, $run:expr)?); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d [$($s)* { $module, $from, $to, $crate::__option!($($run)?) }] $r $c $a $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt [$($s:tt)*] $r:tt $c:tt $a:tt $i:tt
        add_module($module:expr, $version:expr $(, $run:expr)?); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d [$($s)* { $module, 0, $version, $crate::__option!($($run)?) }] $r $c $a $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt [$($r:tt)*] $c:tt $a:tt $i:tt remove_module($name:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s [$($r)* $name,] $c $a $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt $r:tt [$($c:tt)*] $a:tt $i:tt
        scan($store:expr, $prefix:expr, $pair:expr $(, $end:expr)?); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s $r [$($c)* { $store, $prefix, $pair, $crate::__option!($($end)?) }] $a $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt $r:tt $c:tt [$($a:tt)*] $i:tt allow($what:expr, $name:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s $r $c [$($a)* { $what, $name }] $i $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt allow($what:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s $r $c $a $i allow($what, ""); $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt $r:tt $c:tt $a:tt [$($i:tt)*]
        invariant($name:expr, $holds:expr, $message:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s $r $c $a [$($i)* { $name, $holds, $message }] $($rest)* }
    };
    ($p:tt $n:tt $t:tt $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt invariant($name:expr, $holds:expr); $($rest:tt)*) => {
        $crate::__declare! { $p $n $t $d $s $r $c $a $i invariant($name, $holds, ""); $($rest)* }
    };
    ([$plan:expr, $gas:expr] [$n:expr]
        [$({ $store:expr, $access:expr, $upgrade:expr, [$($prefix:expr),*] })*] [$($deleted:expr,)*]
        [$({ $module:expr, $from:expr, $to:expr, $run:expr })*] [$($removed:expr,)*]
        [$({ $scanned:expr, $under:expr, $pair:expr, $end:expr })*] [$({ $what:expr, $allowed:expr })*]
        [$({ $name:expr, $holds:expr, $message:expr })*]) => {
        const __HANDLER: $crate::Declaration = $crate::Declaration {
            plan: $plan,
            gas_limit: $gas,
            stores: &[$($crate::StoreDeclaration {
                name: $store, access: $access, upgrade: $upgrade, prefixes: &[$($prefix),*],
            }),*],
            deleted: &[$($deleted),*],
            steps: &[$($crate::Step { module: $module, from: $from, to: $to, run: $run }),*],
            removes: &[$($removed),*],
            scans: &[$($crate::Scanned { store: $scanned.handle(), prefix: $under, on_pair: $pair, on_end: $end }),*],
            allows: &[$($crate::Allowance { what: $what, name: $allowed }),*],
            invariants: &[$($crate::Invariant { name: $name, holds: $holds, message: $message }),*],
        };
        const __MANIFEST: $crate::Text = $crate::manifest(&__HANDLER);
        #[cfg_attr(target_arch = "wasm32", link_section = "chain-upgrade.manifest")]
        #[used]
        static __MANIFEST_SECTION: [u8; __MANIFEST.len()] = __MANIFEST.bytes();

        /// Marks the interface; never called.
        #[no_mangle]
        pub extern "C" fn handler_abi_1() {}
        /// Where inputs go.
        #[no_mangle]
        pub extern "C" fn handler_in(cap: u32) -> *mut u8 {
            $crate::exports::input(cap)
        }
        /// Where results are.
        #[no_mangle]
        pub extern "C" fn handler_out(cap: u32) -> *mut u8 {
            $crate::exports::output(cap)
        }
        /// The steps.
        #[no_mangle]
        pub extern "C" fn handler_run(in_len: u32) -> i32 {
            $crate::exports::run(in_len, __HANDLER.steps)
        }
        /// A batch of a scan.
        #[no_mangle]
        pub extern "C" fn handler_batch(scan: u32, in_len: u32, flags: u32) -> i32 {
            $crate::exports::batch(__HANDLER.scans, scan, in_len, flags)
        }
        /// The invariants.
        #[no_mangle]
        pub extern "C" fn handler_check(_in_len: u32) -> i32 {
            $crate::exports::check(__HANDLER.invariants)
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __store {
    ($p:tt [$n:expr] [$($t:tt)*] $d:tt $s:tt $r:tt $c:tt $a:tt $i:tt $id:ident
        [$name:expr, $access:expr, $upgrade:expr, $prefixes:tt] $($rest:tt)*) => {
        #[allow(non_upper_case_globals)]
        const $id: $crate::Store = $crate::Store::declared($n);
        $crate::__declare! { $p [$n + 1] [$($t)* { $name, $access, $upgrade, $prefixes }] $d $s $r $c $a $i $($rest)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __option {
    () => {
        None
    };
    ($it:expr) => {
        Some($it)
    };
}

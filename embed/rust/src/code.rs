//! The stable codes of every host: <https://github.com/chain-upgrade/chain-upgrade/blob/main/docs/errors.md>.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $exit:literal;)*) => {
        /// What went wrong, by a code that is never renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Code {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Code {
            /// Every code, in the order of docs/errors.md.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The name that every host uses, such as `UPG_HANDLER_TRAP`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The status that a process ends with.
            #[must_use]
            pub const fn exit(self) -> u8 {
                match self { $(Code::$variant => $exit,)* }
            }

            /// The code of a number that a Wasm call returned (`-number`).
            #[must_use]
            pub const fn of_number(number: i64) -> Option<Code> {
                match number { $($number => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    /// A plan's name is empty, too long, not UTF-8, or holds control characters.
    InvalidPlanName = 10, "UPG_INVALID_PLAN_NAME", 2;
    /// A plan's height is not a positive 64-bit integer.
    InvalidPlanHeight = 11, "UPG_INVALID_PLAN_HEIGHT", 2;
    /// A plan's height lies below the current block.
    InvalidPlanInPast = 12, "UPG_INVALID_PLAN_IN_PAST", 2;
    /// An upgrade of that name was applied before; names are used once.
    InvalidPlanDone = 13, "UPG_INVALID_PLAN_DONE", 2;
    /// A plan's info is too long, not UTF-8, or not what its checker accepts.
    InvalidPlanInfo = 14, "UPG_INVALID_PLAN_INFO", 2;
    /// A plan sets time or upgraded_client_state, which no longer mean anything.
    InvalidPlanDeprecated = 15, "UPG_INVALID_PLAN_DEPRECATED", 2;
    /// The bytes are not a Plan: malformed protobuf, an unknown field, a time out of range.
    InvalidPlanBytes = 16, "UPG_INVALID_PLAN_BYTES", 2;
    /// A version map is malformed: names not strictly ascending, too long, too many.
    InvalidVersionMap = 17, "UPG_INVALID_VERSION_MAP", 2;
    /// A list of module names is malformed.
    InvalidNames = 18, "UPG_INVALID_NAMES", 2;
    /// An argument is missing, of the wrong type or out of range.
    InvalidArgument = 19, "UPG_INVALID_ARGUMENT", 2;
    /// A height is no 64-bit integer in the allowed range, or is not reached yet.
    InvalidHeight = 20, "UPG_INVALID_HEIGHT", 2;
    /// A store key is empty or longer than 65,535 bytes.
    InvalidKey = 21, "UPG_INVALID_KEY", 2;
    /// A store value is longer than 1 MiB.
    InvalidValue = 22, "UPG_INVALID_VALUE", 2;
    /// The genesis document is malformed or names what this process does not know.
    InvalidGenesis = 23, "UPG_INVALID_GENESIS", 2;
    /// A transaction cannot be decoded or breaks a rule.
    InvalidTx = 24, "UPG_INVALID_TX", 2;
    /// A configuration file or flag is wrong.
    InvalidConfig = 25, "UPG_INVALID_CONFIG", 2;
    /// A request is larger than this server takes.
    InvalidRequestSize = 26, "UPG_INVALID_REQUEST_SIZE", 2;
    /// A snapshot is not what its peer says, or leads to another app hash.
    InvalidSnapshot = 27, "UPG_INVALID_SNAPSHOT", 2;
    /// A chain's module used a function whose result differs between nodes.
    InvalidNondeterministic = 28, "UPG_INVALID_NONDETERMINISTIC", 2;
    /// No plan is scheduled.
    NotFoundPlan = 40, "UPG_NOT_FOUND_PLAN", 3;
    /// No upgrade of that name was applied.
    NotFoundUpgrade = 41, "UPG_NOT_FOUND_UPGRADE", 3;
    /// The version map has no such module.
    NotFoundModule = 42, "UPG_NOT_FOUND_MODULE", 3;
    /// The block was pruned or is in the future; the message names the lowest height kept.
    NotFoundBlock = 43, "UPG_NOT_FOUND_BLOCK", 3;
    /// State of that height was pruned or is in the future.
    NotFoundVersion = 44, "UPG_NOT_FOUND_VERSION", 3;
    /// There is no store of that name at that height.
    NotFoundStore = 45, "UPG_NOT_FOUND_STORE", 3;
    /// No receipt: the upgrade was not applied, or not by a Wasm handler.
    NotFoundReceipt = 46, "UPG_NOT_FOUND_RECEIPT", 3;
    /// The keyring has no such key.
    NotFoundKey = 47, "UPG_NOT_FOUND_KEY", 3;
    /// There is no such account.
    NotFoundAccount = 52, "UPG_NOT_FOUND_ACCOUNT", 3;
    /// There is no such proposal.
    NotFoundProposal = 48, "UPG_NOT_FOUND_PROPOSAL", 3;
    /// No block holds a transaction of that hash.
    NotFoundTx = 49, "UPG_NOT_FOUND_TX", 3;
    /// Nothing is recorded there: a vote, a deposit, a validator, metadata.
    NotFoundRecord = 50, "UPG_NOT_FOUND_RECORD", 3;
    /// This home has no such snapshot.
    NotFoundSnapshot = 53, "UPG_NOT_FOUND_SNAPSHOT", 3;
    /// This node does not have the genesis document that its chain began with.
    NotFoundGenesis = 54, "UPG_NOT_FOUND_GENESIS", 3;
    /// The node has no such file: a handler, a witness.
    NotFoundFile = 55, "UPG_NOT_FOUND_FILE", 3;
    /// There is no such method, route or query path.
    NotFoundMethod = 51, "UPG_NOT_FOUND_METHOD", 3;
    /// The message comes from another account than the authority.
    Unauthorized = 60, "UPG_UNAUTHORIZED", 4;
    /// A transaction was in an upgrade block, or arrived while one is made; nothing of it ran. Send it again.
    BlockIsUpgrade = 61, "UPG_BLOCK_IS_UPGRADE", 1;
    /// The node has this transaction already.
    TxInMempool = 62, "UPG_TX_IN_MEMPOOL", 1;
    /// The mempool is full: send the transaction again later.
    TxMempoolFull = 63, "UPG_TX_MEMPOOL_FULL", 1;
    /// A transaction has more bytes than the mempool or a block takes.
    TxTooLarge = 64, "UPG_TX_TOO_LARGE", 2;
    /// A simulated transaction failed; the message says why.
    TxFailed = 65, "UPG_TX_FAILED", 1;
    /// A plan is due and this binary has no handler for it: start the new version.
    HaltUpgradeNeeded = 70, "UPG_HALT_UPGRADE_NEEDED", 10;
    /// This binary has the handler of a plan that is not due: run the old version until the height.
    HaltBinaryTooEarly = 71, "UPG_HALT_BINARY_TOO_EARLY", 11;
    /// The last applied upgrade is unknown to this binary: it is too old for this state.
    HaltHandlerMissing = 72, "UPG_HALT_HANDLER_MISSING", 12;
    /// The height given by --halt-height is reached.
    HaltHeight = 73, "UPG_HALT_HEIGHT", 13;
    /// Start the same binary again; it goes on with the upgrade.
    HaltRestart = 74, "UPG_HALT_RESTART", 14;
    /// CometBFT, which this node had started, exited or stopped making blocks; its log says why.
    HaltEngine = 75, "UPG_HALT_ENGINE", 16;
    /// The relay cannot go on with a new application process: the next start does CometBFT's handshake.
    HaltWorker = 76, "UPG_HALT_WORKER", 17;
    /// This node's state after the last block differs from the network's.
    HaltDiverged = 77, "UPG_HALT_DIVERGED", 18;
    /// The handler returned an error. Nothing was committed.
    MigrationFailed = 80, "UPG_MIGRATION_FAILED", 20;
    /// The handler used up its gas. Nothing was committed.
    MigrationOutOfGas = 81, "UPG_MIGRATION_OUT_OF_GAS", 20;
    /// A check of the handler failed after the migration. Nothing was committed.
    MigrationInvariant = 82, "UPG_MIGRATION_INVARIANT", 20;
    /// The version map a handler returned drops a module, lowers a version or is not what was declared.
    MigrationVersionMap = 83, "UPG_MIGRATION_VERSION_MAP", 20;
    /// A migration step is missing, so the module cannot reach its version.
    MigrationStuck = 84, "UPG_MIGRATION_STUCK", 20;
    /// A probe of a module failed on the upgraded state. Nothing was committed.
    MigrationProbe = 85, "UPG_MIGRATION_PROBE", 20;
    /// A module failed in the upgrade's block. Nothing was committed.
    MigrationHook = 86, "UPG_MIGRATION_HOOK", 20;
    /// The handler's bytes are not those that the plan pins, or the receipt names.
    HandlerHash = 90, "UPG_HANDLER_HASH", 21;
    /// The stored module versions are not those that the handler accepts.
    HandlerLayout = 91, "UPG_HANDLER_LAYOUT", 21;
    /// The module imports something that is not offered, or with another type.
    HandlerImport = 92, "UPG_HANDLER_IMPORT", 21;
    /// The module lacks an export of the interface, or has it with another type.
    HandlerExport = 93, "UPG_HANDLER_EXPORT", 21;
    /// The module uses an instruction or a type that is not allowed (floats, SIMD, threads …).
    HandlerOpcode = 94, "UPG_HANDLER_OPCODE", 21;
    /// The module passes a limit of size, count or depth.
    HandlerLimit = 95, "UPG_HANDLER_LIMIT", 21;
    /// The module's memory is missing, imported, shared, or too large.
    HandlerMemory = 96, "UPG_HANDLER_MEMORY", 21;
    /// The manifest is missing, repeated or wrong; the message names the path in the JSON.
    HandlerManifest = 97, "UPG_HANDLER_MANIFEST", 21;
    /// Two handlers name the same plan.
    HandlerDuplicate = 98, "UPG_HANDLER_DUPLICATE", 21;
    /// The handler broke a rule of its interface while it ran, or trapped.
    HandlerTrap = 99, "UPG_HANDLER_TRAP", 21;
    /// The bytes are not a well-formed WebAssembly module.
    HandlerFormat = 100, "UPG_HANDLER_FORMAT", 21;
    /// The run did not complete, by the engine, the machine or its caller; it says nothing about the handler. Try again, or on another machine.
    HandlerEngine = 101, "UPG_HANDLER_ENGINE", 21;
    /// The handler's calls went deeper than the stack budget of a run allows.
    HandlerStack = 102, "UPG_HANDLER_STACK", 21;
    /// The metered module in the handler's file is not made of the module itself. A host that cannot make it found none.
    HandlerMetered = 103, "UPG_HANDLER_METERED", 21;
    /// Bytes on disk are not what this program writes; the message names them.
    StoreCorrupt = 110, "UPG_STORE_CORRUPT", 30;
    /// The store upgrades do not fit the stores on disk; the difference is printed.
    StoreUpgrade = 111, "UPG_STORE_UPGRADE", 30;
    /// The data directory was written by a newer format or another chain.
    StoreVersionMismatch = 112, "UPG_STORE_VERSION_MISMATCH", 30;
    /// The disk refused, or a file that was written could not be read back.
    StoreIo = 113, "UPG_STORE_IO", 30;
    /// Another process has this data directory open.
    StoreLocked = 114, "UPG_STORE_LOCKED", 30;
    /// No space is left for the database.
    StoreFull = 115, "UPG_STORE_FULL", 30;
    /// This key has signed that height, or a later one, in another way: signing it again would be signing twice.
    StoreSigned = 116, "UPG_STORE_SIGNED", 30;
    /// The proof's bytes cannot be decoded, or break the proof specification.
    ProofMalformed = 120, "UPG_PROOF_MALFORMED", 40;
    /// The proof is for another key.
    ProofKey = 121, "UPG_PROOF_KEY", 40;
    /// The proof is for another value.
    ProofValue = 122, "UPG_PROOF_VALUE", 40;
    /// The proof leads to another root.
    ProofRoot = 123, "UPG_PROOF_ROOT", 40;
    /// No ICS-23 verifier accepts a proof of an empty value or of absence in an empty tree.
    ProofEmptyValue = 124, "UPG_PROOF_EMPTY_VALUE", 40;
    /// The commit is for another block, or is not signed by more than two thirds of the power.
    ProofCommit = 125, "UPG_PROOF_COMMIT", 40;
    /// The header is of another chain, of another block than its commit or validators, or its time is from the future.
    ProofHeader = 126, "UPG_PROOF_HEADER", 40;
    /// Trust does not reach the header: the trusted block is another, too old, or too few of its validators signed.
    ProofTrust = 127, "UPG_PROOF_TRUST", 40;
    /// The proofs leave a part of the range open, where keys could be hidden.
    ProofRange = 128, "UPG_PROOF_RANGE", 40;
    /// The bytes are not a witness, or hold what no tree has.
    WitnessMalformed = 150, "UPG_WITNESS_MALFORMED", 40;
    /// A witness's nodes hash to another root, or its stores to another app hash than the header's.
    WitnessRoot = 151, "UPG_WITNESS_ROOT", 40;
    /// What runs on a witness asked for a part of a store that the witness does not have.
    WitnessHidden = 152, "UPG_WITNESS_HIDDEN", 40;
    /// A witness is larger than the caller takes.
    WitnessTooLarge = 153, "UPG_WITNESS_TOO_LARGE", 40;
    /// The headers are not those of the witness's block and of the block after it.
    WitnessHeaders = 154, "UPG_WITNESS_HEADERS", 40;
    /// The state before the block has another plan than the witness or the handler, or one that is not due.
    WitnessPlan = 155, "UPG_WITNESS_PLAN", 40;
    /// The handler, run again, leads to another app hash than the block's.
    WitnessResult = 156, "UPG_WITNESS_RESULT", 40;
    /// The node or the network did not respond.
    RemoteUnavailable = 130, "UPG_REMOTE_UNAVAILABLE", 1;
    /// The node returned an error.
    RemoteRefused = 131, "UPG_REMOTE_REFUSED", 1;
    /// The node has as many requests as it serves at once: try again.
    RemoteBusy = 132, "UPG_REMOTE_BUSY", 1;
    /// The node has no block yet: try again.
    RemoteNotReady = 133, "UPG_REMOTE_NOT_READY", 1;
    /// The search was stopped at its limits of time and work before the page was reached: narrow it by heights.
    RemoteSearchCut = 134, "UPG_REMOTE_SEARCH_CUT", 1;
    /// The plan changed between the hook that decided and the hook that applies.
    BugPlanChanged = 140, "UPG_BUG_PLAN_CHANGED", 70;
    /// core.wasm trapped. Please report it.
    BugCoreTrap = 141, "UPG_BUG_CORE_TRAP", 70;
    /// core.wasm is not the module that this host was built for.
    BugCoreAbi = 142, "UPG_BUG_CORE_ABI", 70;
    /// An internal check failed. Please report it.
    BugAssert = 143, "UPG_BUG_ASSERT", 70;
    /// The chain's code reached a limit of the JavaScript engine (stack or memory).
    BugEngineLimit = 144, "UPG_BUG_ENGINE_LIMIT", 70;
    /// A function of a module failed.
    BugModule = 145, "UPG_BUG_MODULE", 70;
    /// A command ended without its result.
    BugNoResult = 146, "UPG_BUG_NO_RESULT", 70;
}

impl Code {
    /// The number that the Wasm interfaces use, below 256.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! A chain goes through an upgrade at height 10: the old program halts there, the new one runs a handler's
//! file, whose plan it is, and goes on.
//!
//!     cargo run --example host -- ../../build/examples/split-balances/handler.wasm

use chain_upgrade::{
    Branch, Cancel, Core, Decision, Facts, Handler, Input, MemoryStore, Plan, Result, SharedStore, Stores, Timestamp,
    VersionMap,
};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

/// A chain: its stores and the core that decides about plans. A real one has a database and consensus around it.
struct Chain {
    core: Core,
    stores: Stores,
    handler: Option<Handler>,
}

impl Chain {
    fn new(handler: Option<Handler>) -> Result<Self> {
        let names = ["auth", "bank", "upgrade"];
        let store = |name: &str| (name.to_owned(), Arc::new(MemoryStore::default()) as SharedStore);
        Ok(Chain { core: Core::new()?, stores: names.into_iter().map(store).collect(), handler })
    }

    fn upgrade_store(&self) -> &SharedStore {
        &self.stores["upgrade"]
    }

    /// The start of a block: what the core decides, done.
    fn begin_block(&mut self, height: i64) -> Result<Decision> {
        let store = Arc::clone(self.upgrade_store());
        let plan = self.core.plan_bytes(&store)?;
        let facts = Facts { has_handler: self.handler.is_some(), ..Facts::default() };
        let decision = self.core.pre_block(&store, height, facts)?;
        match (decision, plan) {
            (Decision::Apply, Some(plan)) => self.apply(height, &plan)?,
            (Decision::Skip, _) => self.core.clear(&store)?,
            (Decision::HaltUpgradeNeeded | Decision::HaltBinaryTooEarly, Some(plan)) => {
                println!("{height} halt: {}", self.core.halt_text(decision, height, 1, &plan)?);
            }
            _ => {}
        }
        Ok(decision)
    }

    /// All writes of the upgrade go to branches, which are written when nothing can fail any more.
    fn apply(&mut self, height: i64, plan: &[u8]) -> Result<()> {
        let Some(handler) = &self.handler else { return Ok(()) };
        let branches: BTreeMap<&String, Arc<Branch>> =
            self.stores.iter().map(|(name, store)| (name, Arc::new(Branch::new(name, store)))).collect();
        let shared = |branch: &Arc<Branch>| Arc::clone(branch) as SharedStore;
        let stores: Stores = branches.iter().map(|(name, branch)| ((*name).clone(), shared(branch))).collect();
        let upgrade = Arc::clone(&stores["upgrade"]);
        let versions = self.core.version_map(&upgrade)?;
        let time = Timestamp { seconds: 1_700_000_000, nanos: 0 };
        let mut input = Input::new("example-1", height, time, plan, &versions, &stores);
        input.log = Some(Box::new(|level, line| println!("{level:?}: {line}")));
        // A chain keeps a clone of this and cancels when it is asked to stop.
        input.cancel = Some(Cancel::default());
        let run = handler.run(input)?;
        run.write()?;
        let manifest = handler.manifest();
        self.core.apply(&upgrade, height, plan, &run.report().versions, &manifest.removes)?;
        self.core.set_receipt(&upgrade, &manifest.name, &run.receipt(&BTreeMap::new()).encode()?)?;
        for branch in branches.values() {
            branch.write()?;
        }
        println!("{height} applied \"{}\": gas {}", manifest.name, run.report().gas);
        for store in &run.report().stores {
            println!(
                "{height}   {}: {} written, {} deleted, {} bytes",
                store.name, store.written, store.deleted, store.bytes
            );
        }
        Ok(())
    }
}

/// What `main` does, and a test of the crate.
pub fn go(file: &str) -> Result<()> {
    let bytes = std::fs::read(file)
        .map_err(|cause| chain_upgrade::Error::new(chain_upgrade::Code::StoreIo, format!("{file}: {cause}")))?;
    let handler = Handler::load(&bytes, None)?;
    let plan = Plan::new(&handler.manifest().name, 10, "see the forum");

    // The old program: it has no handler for the plan, and halts at its height.
    let mut chain = Chain::new(None)?;
    let upgrade = Arc::clone(chain.upgrade_store());
    let from = |versions: &chain_upgrade::ModuleVersions| versions.from.as_ref().map(|from| from[0]);
    let genesis: VersionMap = handler
        .manifest()
        .versions
        .iter()
        .filter_map(|(module, versions)| Some((module.clone(), from(versions)?)))
        .collect();
    chain.core.set_version_map(&upgrade, &genesis)?;
    chain.core.schedule(&upgrade, 5, &plan)?;
    for height in 8..=10 {
        println!("{height} {:?}", chain.begin_block(height)?);
    }

    // The new program, over the same stores: it has the handler, applies it, and goes on.
    let mut chain = Chain { handler: Some(handler), ..chain };
    for height in 10..=11 {
        println!("{height} {:?}", chain.begin_block(height)?);
    }
    println!("versions {:?}", chain.core.version_map(&upgrade)?);
    println!("last upgrade {:?}", chain.core.last_done(&upgrade)?);
    Ok(())
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: cargo run --example host -- HANDLER.wasm");
        return ExitCode::from(2);
    };
    match go(&file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error} ({})", error.code());
            ExitCode::from(error.code().exit())
        }
    }
}

//! What the upgrade module's store says.

use super::{Arg, Core, DECISIONS, Decision, Done, Facts, text};
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::store::SharedStore;
use crate::version_map::{self, VersionMap};

impl Core {
    /// The decision for the block of this height.
    ///
    /// # Errors
    /// `UPG_INVALID_HEIGHT`, `UPG_STORE_CORRUPT`
    pub fn pre_block(&mut self, store: &SharedStore, height: i64, facts: Facts) -> Result<Decision> {
        let flags = [facts.has_handler, facts.has_last_handler, facts.is_skip_height, facts.is_first_block];
        let flags = flags.iter().enumerate().fold(0, |bits, (bit, is_set)| bits | i32::from(*is_set) << bit);
        let number = self.number(Some(store), "pre_block", &[Arg::Long(height), Arg::Int(flags)])?;
        let decision = usize::try_from(number).ok().and_then(|number| DECISIONS.get(number)).copied();
        decision.ok_or_else(|| Error::bug(&format!("core.wasm returned the unknown decision {number}")))
    }

    /// The stored plan's protobuf bytes.
    ///
    /// # Errors
    /// Those of the store.
    pub fn plan_bytes(&mut self, store: &SharedStore) -> Result<Option<Vec<u8>>> {
        self.fetch(Some(store), "plan_get", &[])
    }

    /// The stored plan.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_BYTES` when the store holds something else.
    pub fn plan(&mut self, store: &SharedStore) -> Result<Option<Plan>> {
        self.plan_bytes(store)?.map(|bytes| self.decode_plan(&bytes)).transpose()
    }

    /// The height at which an upgrade was applied; `None`: never.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_NAME`
    pub fn done_height(&mut self, store: &SharedStore, name: &str) -> Result<Option<i64>> {
        let height = self.number(Some(store), "done_height", &[Arg::Bytes(name.as_bytes())])?;
        Ok((height != 0).then_some(height))
    }

    /// The upgrade that was applied at the greatest height.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT`
    pub fn last_done(&mut self, store: &SharedStore) -> Result<Option<Done>> {
        let Some(bytes) = self.fetch(Some(store), "last_done", &[])? else { return Ok(None) };
        let (height, name) = bytes.split_first_chunk().ok_or_else(|| Error::bug("last_done wrote no height"))?;
        let name = text(name.to_vec())?;
        Ok(Some(Done { name, height: i64::from_le_bytes(*height) }))
    }

    /// The stored version of a module.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT`
    pub fn module_version(&mut self, store: &SharedStore, module: &str) -> Result<Option<u64>> {
        self.fetch(Some(store), "version_get", &[Arg::Bytes(module.as_bytes())])?.map(u64_of).transpose()
    }

    /// The stored versions of all modules.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT`
    pub fn version_map(&mut self, store: &SharedStore) -> Result<VersionMap> {
        version_map::decode(&self.fetch(Some(store), "version_map_get", &[])?.unwrap_or_default())
    }

    /// How many upgrades were applied.
    ///
    /// # Errors
    /// `UPG_STORE_CORRUPT`
    pub fn protocol_version(&mut self, store: &SharedStore) -> Result<u64> {
        self.fetch(Some(store), "protocol_version", &[])?.map_or(Ok(0), u64_of)
    }

    /// The receipt of an upgrade.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_NAME`
    pub fn receipt(&mut self, store: &SharedStore, name: &str) -> Result<Option<Vec<u8>>> {
        self.fetch(Some(store), "receipt_get", &[Arg::Bytes(name.as_bytes())])
    }
}

fn u64_of(bytes: Vec<u8>) -> Result<u64> {
    let eight = bytes.try_into().map_err(|_| Error::bug("core.wasm wrote no number"))?;
    Ok(u64::from_le_bytes(eight))
}

//! What changes the upgrade module's store.

use super::{Arg, Core};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::RECEIPT_BYTES_MAX;
use crate::plan::Plan;
use crate::store::SharedStore;
use crate::version_map::{self, VersionMap};

impl Core {
    /// Schedules a plan, in place of another one.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_*`
    pub fn schedule(&mut self, store: &SharedStore, height: i64, plan: &Plan) -> Result<()> {
        let message = self.plan_message(plan)?;
        self.schedule_bytes(store, height, &message)
    }

    /// The same with the plan's protobuf bytes.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_*`
    pub fn schedule_bytes(&mut self, store: &SharedStore, height: i64, plan: &[u8]) -> Result<()> {
        self.write(store, "plan_schedule", &[Arg::Long(height), Arg::Bytes(plan)])
    }

    /// Removes the plan, if there is one.
    ///
    /// # Errors
    /// Those of the store.
    pub fn clear(&mut self, store: &SharedStore) -> Result<()> {
        self.write(store, "plan_clear", &[])
    }

    /// Records an upgrade: module versions, protocol version + 1, plan cleared, Done. `plan` are the bytes that the decision was
    /// made on.
    ///
    /// # Errors
    /// `UPG_BUG_PLAN_CHANGED`, `UPG_MIGRATION_VERSION_MAP`, `UPG_INVALID_VERSION_MAP`
    pub fn apply(
        &mut self,
        store: &SharedStore,
        height: i64,
        plan: &[u8],
        versions: &VersionMap,
        removes: &[String],
    ) -> Result<()> {
        let (map, names) = (version_map::encode(versions), version_map::encode_names(removes));
        self.write(store, "apply", &[Arg::Long(height), Arg::Bytes(plan), Arg::Bytes(&map), Arg::Bytes(&names)])
    }

    /// Genesis: the map replaces what is stored.
    ///
    /// # Errors
    /// `UPG_INVALID_VERSION_MAP`
    pub fn set_version_map(&mut self, store: &SharedStore, versions: &VersionMap) -> Result<()> {
        self.write(store, "version_map_set", &[Arg::Bytes(&version_map::encode(versions))])
    }

    /// Stores what an upgrade did: 1 byte to 512 KiB, such as [`Receipt::encode`](crate::Receipt::encode) returns.
    ///
    /// # Errors
    /// `UPG_INVALID_VALUE`
    pub fn set_receipt(&mut self, store: &SharedStore, name: &str, receipt: &[u8]) -> Result<()> {
        // Beyond this the core might have no room to look at it.
        if receipt.len() > RECEIPT_BYTES_MAX {
            return Err(Error::new(Code::InvalidValue, "a receipt has 1 byte to 512 KiB"));
        }
        self.write(store, "receipt_set", &[Arg::Bytes(name.as_bytes()), Arg::Bytes(receipt)])
    }
}

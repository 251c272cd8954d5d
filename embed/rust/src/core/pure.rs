//! What needs no store.

use super::{Arg, Core, Decision, text};
use crate::error::Result;
use crate::plan::Plan;
use crate::wire::Writer;

impl Core {
    /// Where the plan is stored, for proofs.
    ///
    /// # Errors
    /// None of its own.
    pub fn plan_key(&mut self) -> Result<Vec<u8>> {
        self.pure("key_plan", &[])
    }

    /// Where it is stored that an upgrade was applied.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_NAME`
    pub fn done_key(&mut self, name: &str) -> Result<Vec<u8>> {
        self.pure("key_done", &[Arg::Bytes(name.as_bytes())])
    }

    /// Where a module's version is stored.
    ///
    /// # Errors
    /// `UPG_INVALID_VERSION_MAP`
    pub fn version_key(&mut self, module: &str) -> Result<Vec<u8>> {
        self.pure("key_version", &[Arg::Bytes(module.as_bytes())])
    }

    /// Where the protocol version is stored.
    ///
    /// # Errors
    /// None of its own.
    pub fn protocol_key(&mut self) -> Result<Vec<u8>> {
        self.pure("key_protocol", &[])
    }

    /// Where an upgrade's receipt is stored.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_NAME`
    pub fn receipt_key(&mut self, name: &str) -> Result<Vec<u8>> {
        self.pure("key_receipt", &[Arg::Bytes(name.as_bytes())])
    }

    /// The rules that need no state.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_*`
    pub fn validate_plan(&mut self, plan: &[u8]) -> Result<()> {
        self.number(None, "plan_validate", &[Arg::Bytes(plan)]).map(drop)
    }

    /// A plan's protobuf bytes.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_*`; `UPG_INVALID_PLAN_DEPRECATED` when a client state is set.
    pub fn encode_plan(&mut self, plan: &Plan) -> Result<Vec<u8>> {
        self.pure("plan_encode", &[Arg::Bytes(&plan.to_fields()?)])
    }

    /// The plan of protobuf bytes.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_BYTES`
    pub fn decode_plan(&mut self, bytes: &[u8]) -> Result<Plan> {
        Plan::from_fields(&self.pure("plan_decode", &[Arg::Bytes(bytes)])?)
    }

    /// The message that operators search for. `subject`: the plan's bytes for Skip, HaltUpgradeNeeded and HaltBinaryTooEarly, the
    /// name of the last applied upgrade for HaltHandlerMissing, whose message has `app_version`.
    ///
    /// # Errors
    /// `UPG_INVALID_ARGUMENT` for a decision without a text.
    pub fn halt_text(&mut self, decision: Decision, height: i64, app_version: u64, subject: &[u8]) -> Result<String> {
        let app_version = Arg::Long(app_version.cast_signed());
        let args = [Arg::Int(decision as i32), Arg::Long(height), app_version, Arg::Bytes(subject)];
        text(self.pure("halt_text", &args)?)
    }

    /// The bytes of upgrade-info.json; `height` is the block's.
    ///
    /// # Errors
    /// `UPG_INVALID_PLAN_BYTES`
    pub fn upgrade_info(&mut self, height: i64, plan: &[u8]) -> Result<Vec<u8>> {
        self.pure("upgrade_info", &[Arg::Long(height), Arg::Bytes(plan)])
    }

    /// The lowest height that leaves time for a second vote to cancel; durations in nanoseconds.
    ///
    /// # Errors
    /// `UPG_INVALID_ARGUMENT`
    pub fn cancellable_height(
        &mut self,
        start: i64,
        voting_ns: i64,
        deposit_ns: i64,
        safety_ns: i64,
        block_ns: i64,
    ) -> Result<i64> {
        let args = [start, voting_ns, deposit_ns, safety_ns, block_ns].map(Arg::Long);
        self.number(None, "cancellable_height", &args)
    }

    /// The plan's bytes, a client state included: `plan_encode` refuses one, and validation has rules that come first.
    pub(super) fn plan_message(&mut self, plan: &Plan) -> Result<Vec<u8>> {
        let Some(state) = &plan.upgraded_client_state else { return self.encode_plan(plan) };
        let bytes = self.encode_plan(&Plan { upgraded_client_state: None, ..plan.clone() })?;
        let any = Writer::default().bytes(1, state.type_url.as_bytes()).bytes(2, &state.value).finish();
        Ok([bytes, Writer::default().message(5, &any).finish()].concat())
    }
}

/** Names that the host may add to a module when it counts gas in it. */
export const RESERVED_EXPORT_PREFIX = "chain-upgrade:";

/** Exported globals of a metered module. */
export const METER_EXPORTS = Object.freeze({
  gas: `${RESERVED_EXPORT_PREFIX}gas`,
  stack: `${RESERVED_EXPORT_PREFIX}stack`,
  refused: `${RESERVED_EXPORT_PREFIX}refused`,
});

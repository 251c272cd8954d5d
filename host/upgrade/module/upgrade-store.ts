/**
 * Name of the store with the plan, the applied upgrades, the module versions and the receipts (docs/abi.md).
 *
 * @example
 * console.log(UPGRADE_STORE); // → upgrade
 */
export const UPGRADE_STORE = "upgrade";

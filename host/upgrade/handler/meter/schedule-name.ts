/** Apart from the prices: who reads or writes a receipt needs the name alone. */

/** Name of the gas schedule; in every receipt. */
export const GAS_SCHEDULE = "gas-2";

/** A key that tests recover; test data, of use nowhere else. */
export const MNEMONIC = `${"abandon ".repeat(11)}about`;
export const ADDRESS = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4";

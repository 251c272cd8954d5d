/** Lengths that the block protocol fixes, in bytes. */
export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;
/** ed25519 and secp256k1 alike; nothing longer is a signature here. */
export const SIGNATURE_BYTES = 64;

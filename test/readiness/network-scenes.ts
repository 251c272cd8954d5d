/** Situations that need other validators. */
import type { Scene } from "./scenes.js";

export const NETWORK_SCENES: Readonly<Record<number, Scene>> = {};

/** The guests of test/guest/hostile that are taken, and stopped while they run. */
import { STOPPED_GUESTS } from "../../guest/hostile/stopped-guests.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";

export function addHostile(to: Collection): void {
  for (const { what, parts, scene = {} } of STOPPED_GUESTS) {
    const { manifest, stores } = scene;
    addGuest(to, { label: what, parts, ...(manifest ? { manifest } : {}), ...(stores ? { stores } : {}), cuts: 2 });
  }
}

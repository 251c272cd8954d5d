import { join } from "node:path";
import { ROOT } from "./house/sources.js";

/** The package as it was built. A build elsewhere can be tried too, while this one is being made again. */
export const DIST = process.env["CHAIN_UPGRADE_DIST"] ?? join(ROOT, "dist");

/** Where the sidecar of a folder is asked. */
import { join } from "node:path";

export const socketPath = (root: string): string => join(root, "chainvisor.sock");

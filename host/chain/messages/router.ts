/** Every message that the chain knows, by its type URL. */
import { SEND } from "./bank.js";
import { GOV_MESSAGES } from "./gov.js";
import type { MessageRouter } from "./kind.js";
import { UPGRADE_MESSAGES } from "./upgrade.js";

export const ROUTER: MessageRouter = new Map(
  [SEND, ...GOV_MESSAGES, ...UPGRADE_MESSAGES].map((kind) => [kind.typeUrl, kind]),
);

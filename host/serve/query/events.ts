/** Events in protobuf messages; every attribute is indexed. */
import type { ChainEvent } from "../../chain/values/events.js";

export function eventMessages(events: readonly ChainEvent[]) {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key, value, index: true })),
  }));
}

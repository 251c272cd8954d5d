/** What handler-cases.json holds. */
import { GAS_SCHEDULE } from "../../../host/upgrade/handler/meter/schedule.js";
import type { WrittenVectors } from "../writers.js";
import { addAnswerGuests } from "./answer-guests.js";
import { addBatchGuests } from "./batch-guests.js";
import { Collection } from "./collection.js";
import { addExamples } from "./examples.js";
import { addFrameGuests } from "./frame-guests.js";
import { addGuards } from "./guard-guests.js";
import { addHostile } from "./hostile.js";
import { addImportGuests } from "./import-guests.js";
import { addRandomGuests } from "./random-guests.js";
import { addRefusedFiles } from "./refused-files.js";
import { addWorkGuests } from "./work-guests.js";

export function handlerCases(): WrittenVectors {
  const all = new Collection();
  addExamples(all);
  addImportGuests(all);
  addFrameGuests(all);
  addBatchGuests(all);
  addAnswerGuests(all);
  addWorkGuests(all);
  addGuards(all);
  addHostile(all);
  addRandomGuests(all);
  addRefusedFiles(all);
  const { guests, inputs, byMeter, cases } = all;
  const about = { source: "chain-upgrade", gas_schedule: GAS_SCHEDULE, note: "runs of handlers; see README.md" };
  return { head: { ...about, guests, inputs, refused_by_meter: byMeter }, cases };
}

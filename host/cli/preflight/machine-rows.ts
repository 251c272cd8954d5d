/** Disk and memory: what the upgrade may need beside what is free. */
import { freemem } from "node:os";
import type { Plan } from "../../base/types/types.js";
import type { Home } from "../../node/home/home.js";
import { roomLine, upgradeRoom } from "../../node/home/upgrade-room.js";
import type { RehearsalReport } from "../client/tx/rehearsal-report.js";
import type { Row } from "./row.js";

const MIB = 1_048_576;
/** An upgrade that re-keys 10,000,000 records takes 225 MiB, by measurement; twice that where nobody has rehearsed. */
const MEMORY_UNREHEARSED = 512 * MIB;

/** Undefined where the system does not say what is free. */
export function diskRow(home: Home, { name }: Plan, handlerDiskMax: number | undefined): Row | undefined {
  const room = upgradeRoom(home, handlerDiskMax);
  if (!room) return undefined;
  const { isShort, text } = roomLine(room, name, home.path);
  // A full disk costs time and nothing else: nothing is committed. Below the reserve the node does not even go on until then.
  const state = room.free < room.reserve ? "missing" : isShort ? "warning" : "ok";
  return { check: "disk", state, words: text.replace(/^disk: /, "") };
}

export function memoryRow(
  rehearsal: Pick<RehearsalReport, "peakMemory"> | undefined,
  available = availableBytes(),
): Row {
  const measured = rehearsal?.peakMemory;
  const needed = measured ?? MEMORY_UNREHEARSED;
  const by = measured === undefined ? "is enough for most" : "was the peak of the rehearsal";
  const words = `${mib(available)} MiB available, ${mib(needed)} MiB ${by}`;
  return { check: "memory", state: available >= needed ? "ok" : "warning", words };
}

const mib = (bytes: number) => Math.floor(bytes / MIB);

/** With the limit of a container, where Node.js knows it. */
function availableBytes(): number {
  const { availableMemory } = process as { availableMemory?: () => number };
  return availableMemory?.call(process) ?? freemem();
}

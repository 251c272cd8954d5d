// Context: what a handler knows of the block and the chain. There is no other clock and no other input.
import { Bytes } from "./bytes";
import { ProtoReader } from "./proto-reader";

/** The plan that is applied. */
export class Plan {
  /** Its name. */
  readonly name: Bytes = new Bytes();
  /** The height that it was made for. */
  height: i64 = 0;
  /** Its info, as it was proposed. */
  readonly info: Bytes = new Bytes();
}

/** The block that applies the upgrade, and the chain: what `context` is. */
export class Context {
  /** The chain's id. */
  readonly chainId: Bytes = new Bytes();
  /** Height of the block that applies the upgrade. */
  height: i64 = 0;
  /** Time of that block: seconds since 1970. */
  seconds: i64 = 0;
  /** And its nanoseconds. */
  nanos: i32 = 0;
  /** The plan that is applied. */
  readonly plan: Plan = new Plan();
  private readonly versions: Bytes = new Bytes();

  /** The stored version of a module; 0 when it has none. */
  version(module: string): u64 {
    const length = <u32>String.UTF8.byteLength(module);
    const name = heap.alloc(length);
    String.UTF8.encodeUnsafe(changetype<usize>(module), module.length, name);
    entries.open(this.versions);
    let version: u64 = 0;
    while (entries.next()) {
      let isNamed = false;
      let number: u64 = 0;
      fields.open(entries.bytes);
      while (fields.next()) {
        const bytes = fields.bytes;
        if (fields.field == 1) isNamed = bytes.length == length && memory.compare(bytes.ptr, name, length) == 0;
        else number = fields.number;
      }
      if (isNamed) version = number;
    }
    heap.free(name);
    return version;
  }

  /** @internal Takes the message that the host gives `handler_run`; a copy, since batches use the same buffer. */
  decode(ptr: usize, length: u32): void {
    const copy = heap.alloc(length);
    memory.copy(copy, ptr, length);
    entries.open(whole.point(copy, length));
    while (entries.next()) {
      const field = entries.field;
      const bytes = entries.bytes;
      if (field == 1) this.chainId.part(bytes, 0);
      else if (field == 2) this.height = <i64>entries.number;
      else if (field == 3) this.decodeTime(bytes);
      else if (field == 4) this.decodePlan(bytes);
      else if (field == 5) this.versions.part(bytes, 0);
    }
  }

  private decodeTime(bytes: Bytes): void {
    fields.open(bytes);
    while (fields.next()) {
      if (fields.field == 1) this.seconds = <i64>fields.number;
      else this.nanos = <i32>fields.number;
    }
  }

  private decodePlan(bytes: Bytes): void {
    fields.open(bytes);
    while (fields.next()) {
      if (fields.field == 1) this.plan.name.part(fields.bytes, 0);
      else if (fields.field == 3) this.plan.height = <i64>fields.number;
      else if (fields.field == 4) this.plan.info.part(fields.bytes, 0);
    }
  }
}

const whole = new Bytes();
const entries = new ProtoReader();
const fields = new ProtoReader();

export const context = new Context();

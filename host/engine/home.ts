/** A node's home folder: where everything is. */
import { join } from "node:path";

export class Home {
  constructor(readonly path: string) {}

  get genesisFile(): string {
    return join(this.path, "config", "genesis.json");
  }
  /** The consensus key, in the field's format. */
  get validatorKeyFile(): string {
    return join(this.path, "config", "priv_validator_key.json");
  }
  get nodeKeyFile(): string {
    return join(this.path, "config", "node_key.json");
  }
  get configFolder(): string {
    return join(this.path, "config");
  }
  get dataFolder(): string {
    return join(this.path, "data");
  }
  get databaseFile(): string {
    return join(this.path, "data", "chain.mdb");
  }
  /** Where this node's doors are while it runs, JSON. */
  get addressesFile(): string {
    return join(this.path, "data", "addresses.json");
  }
  get lockFile(): string {
    return join(this.path, "data", "LOCK");
  }
  /** What a receipt leaves out because nodes differ: times, memory, tool versions. */
  receiptFile(plan: string): string {
    return join(this.path, "data", "receipts", `${encodeURIComponent(plan)}.json`);
  }
}

/**
 * The upgrade module's two files in `<home>/data`, through a port that the engine implements. A file is written whole:
 * under a temporary name, synced, renamed, its folder synced, read back and compared.
 */
export type UpgradeFileName = "upgrade-info.json" | "halt.json";

export interface UpgradeFiles {
  /** Undefined when there is no such file. @throws UpgradeError UPG_STORE_IO */
  read(name: UpgradeFileName): Uint8Array | undefined;
  /** Mode 0600. @throws UpgradeError UPG_STORE_IO when the file is not, byte for byte, on disk afterwards */
  write(name: UpgradeFileName, bytes: Uint8Array): void;
  remove(name: UpgradeFileName): void;
}

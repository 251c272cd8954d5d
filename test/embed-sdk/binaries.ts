/** Builds both versions of the Cosmos SDK's example chain: build/exampled/v1 and v2. The first time Go compiles the Cosmos SDK. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { binaryOf } from "./sdk-chain.js";

const MODULE = join(import.meta.dirname, "../../embed/go/sdk/example");
const VERSION = "github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app.Version";

for (const version of [1, 2] as const) {
  const args = ["build", "-ldflags", `-X ${VERSION}=${version}`, "-o", binaryOf(version), "./cmd/exampled"];
  execFileSync("go", args, { cwd: MODULE, stdio: "inherit" });
}

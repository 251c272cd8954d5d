/** Runs before each test file (`setupFiles` of vitest.config.ts), since it must register its hook for each of them. */
import { afterAll } from "vitest";
import { cleanUp } from "./test-folder.js";

afterAll(cleanUp);

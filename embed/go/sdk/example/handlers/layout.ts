// For the tests: wants another layout than the chain has.
import { migrate, plan, store } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
store("notes").prefix("01");

migrate("notes", 7, 8);

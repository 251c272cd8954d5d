// prefix-delete: records that nothing reads any more go. The manifest gives this prefix and no other, so the handler
// cannot touch anything else, whatever mistake it holds.
//
//   gov  05 | …   votes of closed proposals      are gone
import { Bytes, invariant, migrate, plan, progress, scan, store } from "chain-upgrade/handler";

plan("prefix-delete", 50_000_000_000);
const gov = store("gov").prefix("05");

const VOTES = Bytes.hex("05");
let deleted: i64 = 0;

migrate("gov", 1, 2);
scan(gov, "05", deleteVote, tellTheEnd);
invariant("votes", isNoVoteLeft, "votes are left");

function deleteVote(key: Bytes, vote: Bytes): void {
  gov.delete(key);
  deleted += 1;
  if (deleted % 10_000 == 0) progress(deleted, 0);
}

function tellTheEnd(): void {
  progress(deleted, deleted);
}

function isNoVoteLeft(): bool {
  return !gov.scan(VOTES).next();
}

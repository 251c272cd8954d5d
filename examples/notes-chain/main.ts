#!/usr/bin/env node
import { runChain } from "chain-upgrade/node";
import { notesChain } from "./chain.js";

await runChain(notesChain);

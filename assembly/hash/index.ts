// What the host uses: digests of many short messages, and the finishing of tree nodes (host/state/commitment/node-room.ts).
export { digestsPtr, hash, inputPtr, lengthsPtr } from "./messages";
export { finishNodes, nodesPtr } from "./nodes";

/** Frames of ABCI 2.0: bytes of CometBFT's own code, decoded and encoded again. */
import { create, fromBinary, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { RequestSchema, ResponseSchema } from "../../host/base/gen/tendermint/abci/messages_pb.js";
import { concatBytes, fromHex, toHex } from "../../host/base/text/bytes.js";
import { FrameReader, frame } from "../../host/node/comet/frames.js";
import { type Answer, decodeRequest, encodeResponse } from "../../host/node/comet/messages.js";
import { expectEqual, type VectorCase } from "./harness.js";

/** Names of the .proto files, enums as numbers: of both CometBFT has other ones in its JSON. */
const JSON_FORM = { useProtoFieldName: true, enumAsInteger: true };

export function runAbci({ kind, case: name, frame: hex, json }: VectorCase): readonly string[] {
  const [message, ...more] = new FrameReader().take(fromHex(hex));
  if (!message || more.length > 0) throw new Error("the frame is not one message");
  const again = kind === "request" ? requestAgain(message, name, json) : responseAgain(message, name, json);
  expectEqual(toHex(concatBytes(...frame(again))), hex, "the frame");
  return [];
}

function requestAgain(bytes: Uint8Array, name: string, json: unknown): Uint8Array {
  const value = decodeRequest(bytes);
  expectEqual(value.case, name, "the kind");
  const request = create(RequestSchema, { value });
  requireKnown(request);
  expectEqual(toJson(RequestSchema, request, JSON_FORM), json, "what it says");
  return toBinary(RequestSchema, request);
}

function responseAgain(bytes: Uint8Array, name: string, json: unknown): Uint8Array {
  const response = fromBinary(ResponseSchema, bytes);
  expectEqual(response.value.case, name, "the kind");
  requireKnown(response);
  expectEqual(toJson(ResponseSchema, response, JSON_FORM), json, "what it says");
  return encodeResponse(response.value as Answer);
}

/** Fields that are not in our .proto files would come back as they came, too. */
function requireKnown(value: unknown): void {
  if (Array.isArray(value)) value.forEach(requireKnown);
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    const { $unknown } = value as Partial<Message>;
    if ($unknown && $unknown.length > 0) throw new Error(`unknown: ${$unknown.map(({ no }) => no).join()}`);
    Object.values(value).forEach(requireKnown);
  }
}

/** gRPC-Web on REST's port, by the stock client of web pages (connect-web), and by its bytes. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { expect, test } from "vitest";
import { Query as NotesQuery } from "../../../../examples/notes-chain/gen/notes_pb.js";
import { Query as BankQuery } from "../../../../host/base/gen/cosmos/bank/v1beta1/query_pb.js";
import { Query as GovQuery } from "../../../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { SIGNER, useTestNode } from "./test-node.js";

const WEB_TYPE = "application/grpc-web+proto";

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ConnectError);
  return error as ConnectError;
}

test("connect-web: calls, a height, refusals, a service that is absent → as over gRPC", () =>
  useTestNode(async ({ rest, bugs }) => {
    const transport = createGrpcWebTransport({ baseUrl: rest });
    const bank = createClient(BankQuery, transport);
    let height: string | null = null;
    const onHeader = (headers: Headers) => {
      height = headers.get("x-cosmos-block-height");
    };
    const { balance } = await bank.balance({ address: SIGNER, denom: "ustake" }, { onHeader });
    expect([balance?.amount, height]).toEqual(["1000000000", "2"]);
    await bank.totalSupply({}, { onHeader, headers: { "x-cosmos-block-height": "1" }, timeoutMs: 10_000 });
    expect(height).toBe("1");
    const absent = await failureOf(createClient(GovQuery, transport).proposal({ proposalId: 99n }));
    expect([absent.code, absent.rawMessage]).toEqual([Code.NotFound, "proposal 99 doesn't exist"]);
    expect(absent.metadata.get("x-error-code")).toBe("UPG_NOT_FOUND_PROPOSAL");
    expect((await failureOf(bank.balance({ address: "é", denom: "ustake" }))).code).toBe(Code.InvalidArgument);
    expect((await failureOf(createClient(NotesQuery, transport).notes({}))).code).toBe(Code.Unimplemented);
    expect(bugs).toEqual([]);
  }));

/** Frames of an answer: the flag and the bytes of each. */
function framesOf(bytes: Buffer): { flag: number; bytes: Buffer }[] {
  const frames = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    frames.push({ flag: bytes[at] as number, bytes: bytes.subarray(at + 5, end) });
    at = end;
  }
  return frames;
}

test("bytes and base64, any origin, and what is no call → the same frames, CORS where it is on, internal errors", () =>
  useTestNode(
    async ({ rest, bugs }) => {
      const url = `${rest}/cosmos.bank.v1beta1.Query/Params`;
      const post = (type: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
        fetch(url, {
          method: "POST",
          body,
          headers: { "content-type": type, origin: "https://a.example", ...headers },
        });
      const empty = new Uint8Array(5);
      const binary = await post(WEB_TYPE, empty);
      const frames = framesOf(Buffer.from(await binary.arrayBuffer()));
      expect(frames.map(({ flag }) => flag)).toEqual([0, 0x80]);
      expect(frames[1]?.bytes.toString()).toBe("grpc-status: 0\r\n");
      expect(binary.headers.get("content-type")).toBe(WEB_TYPE);
      expect(binary.headers.get("access-control-allow-origin")).toBe("*");
      const text = await post("application/grpc-web-text", Buffer.from(empty).toString("base64"));
      expect(text.headers.get("content-type")).toBe("application/grpc-web-text+proto");
      expect(framesOf(Buffer.from(await text.text(), "base64"))).toEqual(frames);
      const trailersOf = async (response: Response) =>
        framesOf(Buffer.from(await response.arrayBuffer()))
          .at(-1)
          ?.bytes.toString() ?? "";
      for (const body of [new Uint8Array(), new Uint8Array(4), Uint8Array.of(1, 0, 0, 0, 0), new Uint8Array(6)])
        expect(await trailersOf(await post(WEB_TYPE, body))).toMatch(/^grpc-status: 13\r\ngrpc-message: /);
      expect(await trailersOf(await post(WEB_TYPE, empty, { "grpc-timeout": "soon" }))).toMatch(/^grpc-status: 13/);
      const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "x-grpc-web" };
      const asked = await fetch(url, { method: "OPTIONS", headers: { origin: "https://a.example", ...preflight } });
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(bugs).toEqual([]);
    },
    { cors: true },
  ));

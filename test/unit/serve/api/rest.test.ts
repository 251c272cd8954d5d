/** REST: bodies as the Cosmos SDK's clients read them, byte for byte. */
import { describe, expect, test } from "vitest";
import { at, get, NOT_IMPLEMENTED, raw } from "./rest-client.js";
import { SIGNER, useTestNode } from "./test-node.js";

const BASES = ["/chain/upgrade/v1beta1", "/cosmos/upgrade/v1beta1"];
const GOV = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn";
describe("REST, the upgrade module", () => {
  test("before, with, and after a plan → the documented bodies under both names", () =>
    useTestNode(async (node) => {
      const info = '{"a":"<&>"}';
      for (const base of BASES) {
        expect(await get(node, `${base}/current_plan`)).toMatchObject({ status: 200, body: '{"plan":null}' });
        expect(await get(node, `${base}/applied_plan/v2`)).toMatchObject({ status: 200, body: '{"height":"0"}' });
        expect(await get(node, `${base}/applied_plan/`)).toMatchObject({ status: 200, body: '{"height":"0"}' });
        expect((await get(node, `${base}/authority`)).body).toBe(`{"address":"${GOV}"}`);
        expect((await get(node, `${base}/upgraded_consensus_state/1`)).body).toBe('{"upgraded_consensus_state":null}');
        const all = '{"name":"auth","version":"1"},{"name":"bank","version":"1"},{"name":"gov","version":"1"}';
        const rest = '{"name":"staking","version":"1"},{"name":"upgrade","version":"1"}';
        const body = `{"module_versions":[${all},${rest}]}`;
        for (const query of ["", "?module_name=", "?foo=bar"]) {
          expect((await get(node, `${base}/module_versions${query}`)).body).toBe(body);
        }
        const bank = '{"module_versions":[{"name":"bank","version":"1"}]}';
        for (const query of ["module_name=bank", "moduleName=bank", "module_name=bank&module_name=gov"]) {
          expect((await get(node, `${base}/module_versions?${query}`)).body).toBe(bank);
        }
      }
      node.schedule("v2", 5n, info);
      const plan =
        '{"plan":{"name":"v2","time":"0001-01-01T00:00:00Z","height":"5","info":"{\\"a\\":\\"\\u003c\\u0026\\u003e\\"}","upgraded_client_state":null}}';
      for (const base of BASES) expect((await get(node, `${base}/current_plan`)).body).toBe(plan);
    }));

  test("heights → the state of that height, named in both headers; wrong ones are refused with their code", () =>
    useTestNode(async (node) => {
      node.schedule("far", 500n);
      node.makeBlocks(1);
      for (const base of BASES) {
        const path = `${base}/current_plan`;
        const old = await get(node, path, at("2"));
        expect(old.body).toBe('{"plan":null}');
        expect(old.headers.get("x-cosmos-block-height")).toBe("2");
        expect(old.headers.get("grpc-metadata-x-cosmos-block-height")).toBe("2");
        for (const latest of ["0", ""]) {
          const now = await get(node, path, at(latest));
          expect(now.headers.get("x-cosmos-block-height")).toBe("4");
          expect(now.body).toContain('"name":"far"');
        }
        const other = await get(node, path, { headers: { "Grpc-Metadata-X-Cosmos-Block-Height": "2" } });
        expect(other.body).toBe('{"plan":null}');
        for (const height of ["-1", "abc", "1.5", "99999999999999999999", "9".repeat(5_000)]) {
          const wrong = await get(node, path, at(height));
          expect(wrong.status, height).toBe(400);
          expect(JSON.parse(wrong.body)).toMatchObject({ code: 3, details: [] });
          expect(wrong.headers.get("x-error-code")).toBe("UPG_INVALID_HEIGHT");
        }
        const future = await get(node, path, at("999999"));
        expect(future.status).toBe(404);
        expect(JSON.parse(future.body)).toMatchObject({ code: 5, details: [] });
      }
    }));

  test("names → what is encoded in them belongs to them; none is judged; huge ones are refused", () =>
    useTestNode(async (node) => {
      for (const base of BASES) {
        for (const name of ["a%20b%2Fc", "%F0%9F%9A%80", "%00", "..%2f..%2fetc", "%22", "x".repeat(4_096)]) {
          const path = `${base}/applied_plan/${name}`;
          expect(await raw(node, path), name).toEqual({ status: 200, body: '{"height":"0"}' });
        }
        for (const name of ["x".repeat(4_097), "%41".repeat(4_097)]) {
          const { status, body } = await raw(node, `${base}/applied_plan/${name}`);
          expect(status).toBe(400);
          expect(JSON.parse(body)).toMatchObject({ code: 3, details: [] });
          expect(body.length).toBeLessThan(1_500);
        }
        for (const name of ["%zz", "%", "%ff", "%c0%80", "%ed%a0%80"]) {
          const { status, body } = await raw(node, `${base}/applied_plan/${name}`);
          expect(status, name).toBe(400);
          expect(JSON.parse(body)).toMatchObject({ code: 3, details: [] });
        }
        const nope = await get(node, `${base}/module_versions?module_name=nope`);
        expect(nope.status).toBe(404);
        expect(nope.body).toBe(
          '{"code":5, "message":"x/upgrade: QueryModuleVersions module nope not found: module version not found", "details":[]}',
        );
        const abc = await get(node, `${base}/upgraded_consensus_state/abc`);
        expect(abc.status).toBe(400);
        expect(abc.body).toBe(
          '{"code":3, "message":"type mismatch, parameter: last_height, error: strconv.ParseInt: parsing \\"abc\\": invalid syntax", "details":[]}',
        );
      }
      expect(node.bugs).toEqual([]);
    }));

  test("unknown paths and wrong methods → 501 with code 12", () =>
    useTestNode(async (node) => {
      const current = `${BASES[0]}/current_plan`;
      for (const path of [`${BASES[0]}/nope`, `${current}/`, `${current}/x`, "//", `/${current}`]) {
        expect(await raw(node, path), path).toEqual({ status: 501, body: NOT_IMPLEMENTED });
      }
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        expect(await raw(node, current, method), method).toEqual({ status: 501, body: NOT_IMPLEMENTED });
      }
      expect(await raw(node, current, "HEAD")).toEqual({ status: 501, body: "" });
      expect((await get(node, current, { headers: { origin: "http://example.org" } })).headers.has(CORS)).toBe(false);
    }));

  test("receipt of an upgrade that was not → 404 code 5", () =>
    useTestNode(async (node) => {
      const { status, body, headers } = await get(node, "/chain/upgrade/v1beta1/receipt/v2");
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 404, code: 5 });
      expect(headers.get("x-error-code")).toBe("UPG_NOT_FOUND_RECEIPT");
    }));

  test("--compat-cosmos=false → the cosmos name is unknown, the chain's own answers", () =>
    useTestNode(
      async (node) => {
        expect((await get(node, `${BASES[1]}/current_plan`)).status).toBe(501);
        expect((await get(node, `${BASES[0]}/current_plan`)).status).toBe(200);
      },
      { compatCosmos: false },
    ));
});

const CORS = "access-control-allow-origin";

describe("REST, other modules", () => {
  test("an account, balances, supply → as wallets read them", () =>
    useTestNode(async (node) => {
      expect((await get(node, `/cosmos/auth/v1beta1/accounts/${SIGNER}`)).body).toBe(
        `{"account":{"@type":"/cosmos.auth.v1beta1.BaseAccount","address":"${SIGNER}","pub_key":null,"account_number":"100","sequence":"0"}}`,
      );
      expect((await get(node, `/cosmos/bank/v1beta1/balances/${SIGNER}`)).body).toBe(
        '{"balances":[{"denom":"ustake","amount":"1000000000"}],"pagination":{"next_key":null,"total":"1"}}',
      );
      expect((await get(node, `/cosmos/bank/v1beta1/balances/${SIGNER}/by_denom?denom=none`)).body).toBe(
        '{"balance":{"denom":"none","amount":"0"}}',
      );
      const unknown = await get(node, "/cosmos/auth/v1beta1/accounts/cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x");
      expect(unknown.status).toBe(404);
      expect(JSON.parse(unknown.body).message).toBe("account cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x not found");
      for (const address of ["nope", "cosmosvaloper1qqqq", "x".repeat(10_000)]) {
        const wrong = await get(node, `/cosmos/bank/v1beta1/balances/${address}`);
        expect(wrong.status).toBe(400);
        expect(JSON.parse(wrong.body).code).toBe(3);
      }
    }));

  test("pages of accounts → forwards, backwards, by key and offset the same accounts once each", () =>
    useTestNode(async (node) => {
      const path = "/cosmos/auth/v1beta1/accounts";
      const addresses = (body: string) =>
        (JSON.parse(body).accounts as Record<string, unknown>[]).map(
          (each) => each["address"] ?? (each["base_account"] as Record<string, unknown>)["address"],
        );
      const whole = JSON.parse((await get(node, path)).body);
      const all = addresses(JSON.stringify(whole));
      expect(whole.pagination).toEqual({ next_key: null, total: String(all.length) });
      expect(all.length).toBeGreaterThan(12);
      for (const reverse of [false, true]) {
        const seen: unknown[] = [];
        for (let key = ""; ; ) {
          const query = `pagination.limit=5&pagination.reverse=${reverse}&pagination.key=${encodeURIComponent(key)}`;
          const { body } = await get(node, `${path}?${query}`);
          seen.push(...addresses(body));
          key = JSON.parse(body).pagination.next_key ?? "";
          if (key === "") break;
        }
        expect(seen).toEqual(reverse ? [...all].reverse() : all);
      }
      const part = await get(node, `${path}?pagination.offset=3&pagination.limit=2&pagination.count_total=true`);
      expect(addresses(part.body)).toEqual(all.slice(3, 5));
      expect(JSON.parse(part.body).pagination.total).toBe(String(all.length));
      const both = await get(node, `${path}?pagination.offset=3&pagination.key=AAAA`);
      expect(both.status).toBe(400);
      for (const query of [
        "pagination.limit=abc",
        "pagination.limit=-1",
        "pagination.reverse=2",
        "pagination.key=%25",
      ]) {
        expect((await get(node, `${path}?${query}`)).status, query).toBe(400);
      }
    }));

  test("proposals → one that is absent 404, a bad id 400, votes and deposits of genesis", () =>
    useTestNode(async (node) => {
      const path = "/cosmos/gov/v1/proposals";
      const missing = await get(node, `${path}/999`);
      expect(missing.status).toBe(404);
      expect(missing.body).toBe('{"code":5, "message":"proposal 999 doesn\'t exist", "details":[]}');
      const bad = await get(node, `${path}/abc`);
      expect(bad.body).toBe(
        '{"code":3, "message":"type mismatch, parameter: proposal_id, error: strconv.ParseUint: parsing \\"abc\\": invalid syntax", "details":[]}',
      );
      const params = JSON.parse((await get(node, "/cosmos/gov/v1/params/tallying")).body);
      expect(params.tally_params).toEqual({
        quorum: params.params.quorum,
        threshold: params.params.threshold,
        veto_threshold: params.params.veto_threshold,
      });
      expect((await get(node, "/cosmos/gov/v1/params/none")).status).toBe(400);
    }));

  test("blocks, node info, syncing → the latest by name, a height to come refused", () =>
    useTestNode(async (node) => {
      const path = "/cosmos/base/tendermint/v1beta1";
      const latest = JSON.parse((await get(node, `${path}/blocks/latest`)).body);
      expect(latest.sdk_block.header.height).toBe("2");
      expect(JSON.parse((await get(node, `${path}/blocks/1`)).body).block.header.chain_id).toBe("scenario-1");
      expect((await get(node, `${path}/blocks/3`)).status).toBe(400);
      expect((await get(node, `${path}/syncing`)).body).toBe('{"syncing":false}');
      const info = JSON.parse((await get(node, `${path}/node_info`)).body);
      expect(info.default_node_info).toMatchObject({ network: "scenario-1", version: "0.38.25" });
    }));

  test("POST of transactions: no JSON, unknown fields, empty, garbage → refused with a code, nothing kept", () =>
    useTestNode(async (node) => {
      const post = (path: string, body: string) =>
        get(node, `/cosmos/tx/v1beta1/${path}`, { method: "POST", body, headers: { "content-type": "text/plain" } });
      for (const body of [
        "",
        "nope",
        "[]",
        '{"nope":1}',
        '{"tx_bytes":1}',
        '{"tx_bytes":"*"}',
        '{"mode":"x"}',
        "\u0000",
      ]) {
        for (const path of ["txs", "simulate"]) {
          const { status, body: text } = await post(path, body);
          expect(status, `${path} ${body}`).toBe(400);
          expect(JSON.parse(text)).toMatchObject({ code: 3, details: [] });
        }
      }
      const garbage = await post("txs", '{"tx_bytes":"AAAA","mode":"BROADCAST_MODE_SYNC"}');
      expect(garbage.status).toBe(200);
      expect(JSON.parse(garbage.body).tx_response).toMatchObject({ code: 2, codespace: "sdk", height: "0" });
      expect(node.node.mempool.count).toBe(0);
      const failed = await post("simulate", '{"tx_bytes":"AAAA"}');
      expect(failed.status).toBe(500);
      expect(JSON.parse(failed.body)).toMatchObject({ code: 2, details: [] });
      expect((await get(node, "/cosmos/tx/v1beta1/txs/abc")).status).toBe(400);
      expect((await get(node, `/cosmos/tx/v1beta1/txs/${"0".repeat(64)}`)).status).toBe(404);
      expect((await get(node, "/cosmos/tx/v1beta1/txs?query=nope")).status).toBe(400);
      expect((await get(node, "/cosmos/tx/v1beta1/txs?query=tx.height%3D1")).status).toBe(200);
      expect(node.bugs).toEqual([]);
    }));
});

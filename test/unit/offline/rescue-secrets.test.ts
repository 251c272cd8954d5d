/** Secrets of many issuers, made at random: none of their rules is known to what removes them. What a report needs stays. */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bech32 } from "@scure/base";
import { describe, expect, test } from "vitest";
import { Secrets } from "../../../host/offline/rescue/secrets.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const letters = (count: number, alphabet = ALPHABET) =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join("");
const upper = (count: number) => letters(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const digits = (count: number) => letters(count, "123456789");
const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const base64url = (text: object) => Buffer.from(JSON.stringify(text)).toString("base64url");

/** Text of a log with a secret in it, and the secret. */
const KINDS: Readonly<Record<string, () => readonly [text: string, secret: string]>> = {
  "AWS access key": () => plain("using", `AKIA${upper(16)}`),
  "AWS secret key": () => named("AWS_SECRET_ACCESS_KEY", randomBytes(30).toString("base64")),
  "AWS secret key without a name": () => plain("and", randomBytes(30).toString("base64")),
  "GitHub token": () => plain("clone with", `ghp_${letters(36)}`),
  "GitHub fine-grained token": () => plain("with", `github_pat_${letters(22)}_${letters(59)}`),
  "GitLab token": () => plain("with", `glpat-${letters(20)}`),
  "npm token": () => plain("_authToken", `npm_${letters(36)}`),
  "Slack token": () => plain("bot", `xoxb-${digits(12)}-${digits(12)}-${letters(24)}`),
  "Slack webhook": () => tail("https://hooks.slack.com/services/", `T${upper(8)}/B${upper(8)}/${letters(24)}`),
  "Discord webhook": () => tail(`https://discord.com/api/webhooks/${digits(18)}/`, letters(68)),
  "Teams webhook": () =>
    tail("https://a.webhook.office.com/webhookb2/", `${randomUUID()}@${randomUUID()}/IncomingWebhook/${hex(16)}`),
  "Telegram token": () => plain("alerts by", `${digits(10)}:AA${letters(33)}`),
  "Stripe key": () => plain("stripe", `sk_live_${letters(24)}`),
  "Google key": () => plain("maps", `AIza${letters(35)}`),
  "SendGrid key": () => plain("mail", `SG.${letters(22)}.${letters(43)}`),
  JWT: () => plain("got", `${base64url({ alg: "HS256" })}.${base64url({ sub: hex(4) })}.${letters(43)}`),
  "URL with userinfo": () => ["dial postgres://ops:S3cr@t/x9@db:5432/x now", "S3cr@t/x9"],
  "URL with a token": () => tail("GET https://node/x?apikey=", letters(20)),
  "a query without a name": () => tail("GET https://node/x?k=", letters(32)),
  DAEMON_PASS: () => named("DAEMON_PASS", "hunter2"),
  "a password with punctuation": () => named("password", "Tr0ub4dor&3;x)}]{y,z"),
  "a password as JSON in JSON": () => ['{"m":"{\\"password\\":\\"Tr0ub4dor&3\\"}"}', "Tr0ub4dor"],
  "hex without a name": () => plain("loaded", hex(32)),
  "a key of another home as bech32": () => plain("loaded", bech32.encode("key", bech32.toWords(randomBytes(32)), 120)),
  "Heroku key": () => plain("deploy", randomUUID()),
};
const plain = (before: string, secret: string) => [`INF ${before} ${secret} at height=5`, secret] as const;
const tail = (before: string, secret: string) => [`INF ${before}${secret} done`, secret] as const;
const named = (name: string, secret: string) => [`INF start ${name}=${secret} done`, secret] as const;

describe("Secrets: what is removed from free text", () => {
  const secrets = new Secrets([]);

  test.each(Object.keys(KINDS))("%s → no part of it stays", (kind) => {
    for (let round = 0; round < 50; round++) {
      const [text, secret] = KINDS[kind]?.() ?? ["", ""];
      const cleaned = secrets.without(text);
      for (let at = 0; at + 6 <= secret.length; at++) {
        if (!/IncomingWebhook|github_pat|sk_live_/.test(secret.slice(Math.max(0, at - 14), at + 20))) {
          expect(cleaned, text).not.toContain(secret.slice(at, at + 6));
        }
      }
      expect(cleaned).toMatch(/^(INF|dial|\{)/);
    }
  });

  const SAFE = [
    "2026-11-25T08:01:13.115Z INF block made height=12345678 txs=3",
    `INF block committed app_hash=${hex(32)} height=5`,
    `{"app_hash":"${hex(32).toUpperCase()}","handler_sha256":"${hex(32)}"}`,
    "UPG_MIGRATION_VERSION_MAP: /cosmos.upgrade.v1beta1.MsgSoftwareUpgrade in /var/lib/chaind/data/upgrade-info.json",
    "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu sent 1000stake to validator",
    `peer ${hex(20)}@10.0.0.1:26656 lost`,
    "I[2026-11-25|08:01:13.115] Executed block module=state num_valid_txs_response=1",
    "chaind start --engine cometbft --unsafe-skip-upgrades 72",
  ];
  test.each(SAFE)("%s → stays", (text) => {
    expect(secrets.without(text)).toBe(text);
  });
});

describe("Secrets.of()", () => {
  test("the home's keys, hex in the keyring, in every encoding and broken by escapes → removed", () => {
    const home = mkdtempSync(join(tmpdir(), "chain-upgrade-secrets-"));
    mkdirSync(join(home, "keyring-test"));
    const bytes = Buffer.concat([Buffer.from([0xfb, 0xff, 0xfe]), randomBytes(29)]);
    writeFileSync(
      join(home, "keyring-test/alice.info"),
      JSON.stringify({ name: "alice", private: bytes.toString("hex") }),
    );
    const base64 = bytes.toString("base64");
    const forms = [
      ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase(), base64, base64.replace(/=+$/, "")],
      ...[bytes.toString("base64url"), bech32.encode("priv", bech32.toWords(bytes), 200)],
      ...[base64.replaceAll("/", "\\/"), base64.replaceAll("+", "\\u002b"), encodeURIComponent(base64)],
      `${base64.slice(0, 20)}\\n${base64.slice(20)}`,
    ];
    const secrets = Secrets.of(home);
    for (const form of forms) {
      // With a name that lets hashes through.
      const cleaned = secrets.without(`INF hash=${form} end`);
      expect(cleaned, form).toMatch(/^INF hash=\S*\[removed\]\S* end$/);
      expect(cleaned.length, cleaned).toBeLessThan(40);
    }
  });
});

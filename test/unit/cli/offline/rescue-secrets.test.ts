/** Secrets of many issuers, made at random: none of their rules is known to what removes them. What a report needs stays. */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bech32 } from "@scure/base";
import { generateMnemonic } from "@scure/bip39";
import { wordlist as czech } from "@scure/bip39/wordlists/czech.js";
import { wordlist as english } from "@scure/bip39/wordlists/english.js";
import { wordlist as french } from "@scure/bip39/wordlists/french.js";
import { wordlist as italian } from "@scure/bip39/wordlists/italian.js";
import { wordlist as japanese } from "@scure/bip39/wordlists/japanese.js";
import { wordlist as korean } from "@scure/bip39/wordlists/korean.js";
import { wordlist as portuguese } from "@scure/bip39/wordlists/portuguese.js";
import { wordlist as simplifiedChinese } from "@scure/bip39/wordlists/simplified-chinese.js";
import { wordlist as spanish } from "@scure/bip39/wordlists/spanish.js";
import { wordlist as traditionalChinese } from "@scure/bip39/wordlists/traditional-chinese.js";
import { describe, expect, test } from "vitest";
import { Secrets } from "../../../../host/cli/offline/rescue/secrets.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const letters = (count: number, alphabet = ALPHABET) =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join("");
const upper = (count: number) => letters(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const digits = (count: number) => letters(count, "123456789");
const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const base64url = (text: object) => Buffer.from(JSON.stringify(text)).toString("base64url");

const word = () => letters(12, "bcdfghjklmnpqrtvwxz");

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
  "curl -u": () => tail("curl -u ops:", word()),
  "mysql -p": () => tail("mysql -uops -p", word()),
  "sshpass -p": () => plain("sshpass -p", word()),
  "redis-cli -a": () => plain("redis-cli -h db -a", word()),
  netrc: () => plain("machine x login ops password", word()),
  "redis.conf": () => plain("requirepass", word()),
  SQL: () => tail("ALTER ROLE x IDENTIFIED BY '", `${word()}'`),
  "SQL, two words": () => tail("CREATE ROLE x WITH PASSWORD '", `${word()} ${word()}'`),
  prose: () => plain("the password is", word()),
  "answer to a prompt": () => ["INF Enter passphrase for key alice: brown cow now", "brown cow now"],
  "list of an environment": () => ['INF ["A=b","DB_PASSWORD=brown cow now","C=d"]', "brown cow now"],
  "block of YAML": () => ["INF\n  db_password: |\n    brown cow\n    now\n  other: 1", "brown cow"],
  "TOML in three quotes": () => ['INF secret = """brown cow"""', "brown cow"],
  XML: () => ["INF <db:password>brown cow</db:password>", "brown cow"],
  arrow: () => ["INF 'password' => 'brown cow'", "brown cow"],
  "one-time password": () => named("otp", digits(6)),
  "Azure key": () => tail("DefaultEndpointsProtocol=https;AccountKey=", randomBytes(64).toString("base64")),
  "Azure signature": () => tail("https://a/x?sv=2&sig=", encodeURIComponent(randomBytes(32).toString("base64"))),
  "Infura project": () => tail("dial https://mainnet.infura.io/v3/", hex(16)),
  "Sentry DSN": () => [`INF https://${hex(16)}@o1.ingest.sentry.io/1`, "@o1"],
  "age key": () => plain("with", `AGE-SECRET-KEY-1${letters(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`.slice(16)),
  "PEM behind times": () => {
    const body = randomBytes(64).toString("base64");
    const lines = ["-----BEGIN EC PRIVATE KEY-----", body, "-----END EC PRIVATE KEY-----"];
    return [`INF\n${lines.map((line) => `2026-01-01T00:00:00.000Z info  node    ${line}`).join("\n")}`, body];
  },
  PIN: () => named("PIN", pinDigits),
  "PIN of a card, as YAML": () => [`INF\n  card_pin: ${pinDigits}\n  other: 1`, pinDigits],
  "PIN as JSON in JSON": () => [`{"m":"{\\"hsmPin\\":\\"${pinDigits}\\",\\"other\\":1}"}`, pinDigits],
  "PIN as a flag": () => tail("tool --so-pin ", pinDigits),
  "PUK, CVV, second factor, recovery code": () => {
    const code = digits(8);
    return [`INF PUK=${code} cvv: ${code} mfa_code=${code} 2FA=${code} recovery-code: ${code} now`, code];
  },
  "mnemonic, a word a line behind times": () => {
    const words = "abandon ability able about above absent absorb abstract absurd abuse access zoo".split(" ");
    return [`INF\n${words.map((each) => `2026-01-01T00:00:00.000Z info  node    ${each}`).join("\n")}`, "absorb"];
  },
};
const pinDigits = digits(6);
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
    `2026-01-02T10:47:03.120Z info  node    block made  height=5 app_hash=${hex(32)}`,
    '2026-01-02T10:47:03.120Z error node    down  code=UPG_HALT_UPGRADE_NEEDED exit=10 height=42 plan=v2 next="Start it."',
    "spin=1234 pinned: 5 mapping=ab opinion: none",
    `handler pin: sha256:${hex(32)}`,
    "La actualización se aplicó en la altura 72 y la cadena siguió produciendo bloques sin problemas para todos los validadores",
    "La mise à niveau est prévue au bloc 72 : le nœud attend le gestionnaire et redémarre ensuite sans perte de données",
    "heights 1 2 3 4 5 6 7 8 9 10 11 12 are kept; 10.0.0.1:26656 is up",
  ];
  test.each(SAFE)("%s → stays", (text) => {
    expect(secrets.without(text)).toBe(text);
  });
});

const LANGUAGES = {
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
};

describe("Secrets: mnemonics in the languages of BIP-39", () => {
  const secrets = new Secrets([]);
  const firstFour = (word: string) => [...word.normalize("NFC")].slice(0, 4).join("");
  const escaped = (text: string) =>
    text.replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const FORMS: Readonly<Record<string, (words: readonly string[]) => string>> = {
    spaces: (words) => words.join(" "),
    "ideographic spaces": (words) => words.join("\u3000"),
    "capitals, composed": (words) => words.join(" ").normalize("NFC").toUpperCase(),
    "without accents": (words) => words.join(" ").normalize("NFKD").replace(/\p{M}/gu, ""),
    "a list of JSON": (words) => JSON.stringify(words),
    "JSON with escapes": (words) => escaped(JSON.stringify(words.join(" ").normalize("NFC"))),
    "lines in JSON": (words) => JSON.stringify(words.join("\n")),
    "first four letters": (words) => words.map(firstFour).join(" "),
    "first four letters, capitals, numbered": (words) =>
      words.map((each, at) => `${at + 1}. ${firstFour(each).toUpperCase()}`).join("\n"),
    "some whole, some cut": (words) => words.map((each, at) => (at % 2 ? each : firstFour(each))).join(" "),
    numbered: (words) => words.map((each, at) => `${at + 1}. ${each}`).join("\n"),
  };
  const found = Object.keys(LANGUAGES).flatMap((language) =>
    Object.keys(FORMS).map((form) => [language, form] as const),
  );

  test.each(found)("%s, %s → no word stays", (language, form) => {
    for (let round = 0; round < 5; round++) {
      const words = generateMnemonic(LANGUAGES[language as keyof typeof LANGUAGES], 256).split(/[ \u3000]/);
      const cleaned = secrets.without(`INF ${FORMS[form]?.(words)} .`);
      expect(cleaned).toMatch(/^INF [["1. ]*\[removed\]["\]]* \.$/);
    }
  });

  test("a word a line after times; Chinese with nothing between → no word stays", () => {
    for (const list of Object.values(LANGUAGES)) {
      const words = generateMnemonic(list).split(/[ \u3000]/);
      const lines = words.map((each) => `2026-01-01T00:00:00.000Z info  node    ${each}`);
      expect(secrets.without(lines.join("\n"))).toBe(
        lines.map((line) => line.replace(/[^ ]+$/, "[removed]")).join("\n"),
      );
    }
    for (const list of [simplifiedChinese, traditionalChinese]) {
      const together = generateMnemonic(list).replaceAll(" ", "");
      expect(secrets.without(`INF ${together} .`)).toBe("INF [removed] .");
    }
  });

  test("fewer than eight words → stay", () => {
    const text = `INF ${spanish.slice(0, 7).join(" ")} .`;
    expect(secrets.without(text)).toBe(text);
  });
});

/** Bytes one by one, as JSON, Node.js, Go and C print them. */
function rowsOf(bytes: Uint8Array): string[] {
  const all = [...bytes];
  const pairs = all.map((byte) => byte.toString(16).padStart(2, "0"));
  return [
    ...[JSON.stringify(all), JSON.stringify(all, null, 1), `[${all.join(" ")}]`, `"${JSON.stringify(all)}"`],
    ...[JSON.stringify({ type: "Buffer", data: all }), JSON.stringify(Object.fromEntries(all.entries()))],
    ...[pairs.join(":"), `<Buffer ${pairs.join(" ")}>`, pairs.map((pair) => `0x${pair}`).join(", ")],
    ...[
      pairs.map((pair) => `\\x${pair}`).join(""),
      all.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
    ],
  ];
}

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
      ...rowsOf(bytes),
    ];
    const secrets = Secrets.of(home);
    for (const form of forms) {
      // With a name that lets hashes through.
      const cleaned = secrets.without(`INF hash=${form} end`);
      expect(cleaned, form).toMatch(/^INF [\s\S]*\[removed\][\s\S]* end$/);
      expect(cleaned.length, cleaned).toBeLessThan(60);
    }
  });
});

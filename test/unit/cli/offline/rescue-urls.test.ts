/** URLs in reports: tokens in paths and queries, and webhooks, are removed; public addresses stay. */
import { describe, expect, test } from "vitest";
import { Secrets } from "../../../../host/cli/offline/rescue/secrets.js";

describe("Secrets: URLs", () => {
  const secrets = new Secrets([]);
  const cases: readonly (readonly [what: string, url: string, kept: string])[] = [
    ["Slack", "https://hooks.slack.com/services/T0ABCD/B0EFGH/brown", "https://hooks.slack.com/[removed]"],
    ["Discord", "https://discord.com/api/webhooks/123456789/brown-cow", "https://discord.com/[removed]"],
    ["Discord's older host", "https://discordapp.com/api/webhooks/1/aBcDeF", "https://discordapp.com/[removed]"],
    ["Telegram", "https://api.telegram.org/bot123:AAF_x/sendMessage?chat_id=-1", "https://api.telegram.org/[removed]"],
    ["Telegram by another host", "https://tg.example.com/bot123:AAF_x/send", "https://tg.example.com/[removed]"],
    ["PagerDuty", "https://events.pagerduty.com/integration/brown/enqueue", "https://events.pagerduty.com/[removed]"],
    ["Teams", "https://outlook.office.com/webhook/a/IncomingWebhook/b", "https://outlook.office.com/[removed]"],
    ["a host named hooks", "https://hooks.example.com/brown", "https://hooks.example.com/[removed]"],
    ["a token in the path", "https://a.example.com:8443/ping/ab12cd34", "https://a.example.com:8443/ping/[removed]"],
    ["a word after key/", "https://a.example.com/with/key/brown", "https://a.example.com/with/key/[removed]"],
    ["wss", "wss://a.example.com/v3/abcd1234", "wss://a.example.com/v3/[removed]"],
    [
      "a key in the query",
      "https://a.example.com/x?key=123456&height=5",
      "https://a.example.com/x?key=[removed]&height=5",
    ],
    [
      "any word in the query",
      "https://a.example.com/x?q=brown=cow#t=cow",
      "https://a.example.com/x?q=[removed]#t=[removed]",
    ],
    ["a query without names", "https://a.example.com/x?ab12cd34", "https://a.example.com/x?[removed]"],
    [
      "JSON of Go",
      "https://a.example.com/x?a=b\\u0026k=brown",
      "https://a.example.com/x?a=[removed]\\u0026k=[removed]",
    ],
    ["JSON with escaped slashes", "https:\\/\\/hooks.slack.com\\/x\\/brown", "https:\\/\\/hooks.slack.com\\/[removed]"],
    ["percent-encoded", "https%3A%2F%2Fhooks.x.com%2Fservices%2Fbrown", "https%3A%2F%2Fhooks.x.com%2F[removed]"],
  ];
  test.each(cases)("%s → scheme, host and what is public stay", (_what, url, kept) => {
    expect(secrets.without(`INF post "${url}" done`)).toBe(`INF post "${kept}" done`);
    expect(secrets.without(`INF post to ${url}, done`)).toBe(`INF post to ${kept}, done`);
  });

  test.each(["routing_key", "integration_key", "service_key"])("%s → its value is removed", (name) => {
    expect(secrets.without(`INF ${name}: brown done`)).toBe(`INF ${name}: [removed] done`);
  });

  test.each([
    "http://127.0.0.1:26657/block?height=5&prove=true",
    "http://127.0.0.1:1317/cosmos/upgrade/v1beta1/current_plan?pagination.limit=100",
    "https://github.com/example/chain/releases/download/v2.0.0-rc1/chaind-v2.0.0-rc1-linux-amd64.tar.gz",
    "https://docs.example.com/operate/halt-height#exit",
    "https://rpc.example.com/",
  ])("%s → stays", (url) => {
    expect(secrets.without(`INF ${url} done`)).toBe(`INF ${url} done`);
  });

  test("a long row of punctuation after a URL → no quadratic time", () => {
    const text = `INF https://a.example.com/x${").".repeat(100_000)}x`;
    expect(secrets.without(text)).toBe(text);
  });
});

import { expect, test } from "vitest";
import { closeServer, makeHttpServer } from "../../../../host/serve/limits/http-server.js";
import { listen } from "../../../../host/serve/limits/listen.js";

test("connections that the system could not give, one after the other → the server goes on", async () => {
  const server = makeHttpServer((_request, response) => void response.end("here"));
  const { host, port } = await listen(server, { host: "127.0.0.1", port: 0 }, "--api.address");
  for (let each = 0; each < 3; each++) server.emit("error", new Error("accept EMFILE"));
  expect(await (await fetch(`http://${host}:${port}`)).text()).toBe("here");
  await closeServer(server, 100);
});

/** Requests to a test node's REST server, as they are. */
import { request } from "node:http";
import type { TestNode } from "./test-node.js";

export const NOT_IMPLEMENTED = '{"code":12, "message":"Not Implemented", "details":[]}';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

export async function get(node: TestNode, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${node.rest}${path}`, init);
  return { status: response.status, body: await response.text(), headers: response.headers };
}

export const at = (height: string) => ({ headers: { "x-cosmos-block-height": height } });

/** A request whose path goes out as it is. */
export function raw(node: TestNode, path: string, method = "GET"): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(node.rest);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on("error", reject).end();
  });
}

/** Flags of `chaind start` for its servers. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../base/errors/errors.js";
import { type GasPrice, parseGasPrices } from "../../chain/values/minimum-fee.js";
import type { Address } from "../../serve/limits/server.js";
import { addLimitFlags } from "./limit-settings.js";

export interface ServerFlags {
  readonly "rpc.enable": boolean;
  readonly "rpc.laddr": Address;
  readonly "grpc.enable": boolean;
  readonly "grpc.address": Address;
  readonly "api.enable": boolean;
  readonly "api.address": Address;
  readonly "api.enabledUnsafeCors"?: boolean;
  readonly "grpcWeb.enable": boolean;
  readonly "rpc.corsAllowedOrigins"?: readonly string[];
  readonly compatCosmos: boolean;
  readonly moniker?: string;
  readonly minimumGasPrices: readonly GasPrice[];
}

const loopback = (port: number): Address => ({ host: "127.0.0.1", port });

/** `tcp://host:port`, `http://host:port` or `host:port`; port 0 is any that is free. */
function parseListenAddress(text: string): Address {
  const match = /^(?:(?:tcp|http):\/\/)?(?:\[([0-9a-fA-F:]+)\]|([a-zA-Z0-9.-]*)):([0-9]{1,5})\/?$/.exec(text);
  const port = Number(match?.[3] ?? Number.NaN);
  if (!match || port > 65_535) throw new InvalidArgumentError("expected an address such as tcp://127.0.0.1:26657.");
  return { host: match[1] || match[2] || "0.0.0.0", port };
}

function parsePrices(text: string): GasPrice[] {
  try {
    return parseGasPrices(text);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
}

export function addServerFlags(command: Command): Command {
  const address = (flag: string, text: string, port: number, prefix: string) =>
    new Option(`${flag} <address>`, text)
      .argParser(parseListenAddress)
      .default(loopback(port), `${prefix}127.0.0.1:${port}`);
  addLimitFlags(command);
  return command
    .addOption(
      new Option("--rpc.cors-allowed-origins <origins>", "web pages that may call and open a websocket: O,O; *: all")
        .argParser((text) => text.split(",").map((origin) => origin.trim()))
        .hideHelp(),
    )
    .addOption(new Option("--rpc.enable", "serve CometBFT-style RPC (--rpc.enable=false: not)").default(true))
    .addOption(address("--rpc.laddr", "where to serve RPC; port 0: any that is free", 26_657, "tcp://"))
    .addOption(new Option("--grpc.enable", "serve gRPC (--grpc.enable=false: not)").default(true))
    .addOption(address("--grpc.address", "where to serve gRPC", 9_090, ""))
    .addOption(
      new Option("--grpc-web.enable", "serve gRPC-Web on REST's port (--grpc-web.enable=false: not)").default(true),
    )
    .addOption(new Option("--api.enable", "serve REST (--api.enable=false: not)").default(true))
    .addOption(address("--api.address", "where to serve REST", 1_317, "tcp://"))
    .option("--api.enabled-unsafe-cors", "let web pages of any origin read REST's responses")
    .addOption(
      new Option("--compat-cosmos", "serve cosmos.upgrade.v1beta1 too (--compat-cosmos=false: not)").default(true),
    )
    .addOption(
      new Option(
        "--minimum-gas-prices <prices>",
        'refuse transactions that pay less a unit of gas: 0.001stake,0.1uatom; "": none',
      )
        .argParser(parsePrices)
        .default([], ""),
    )
    .option("--moniker <name>", "name of this node, shown in its status");
}

/** All that CometBFT asks of an application: blocks through its port, queries through a function of their own. */
import { AppPort, type AppPortOptions } from "../chain/app-port.js";
import type { AppQuery, AppQueryResult, EnginePort } from "../chain/engine-port.js";

export class ServedApp extends AppPort implements EnginePort {
  constructor(
    options: AppPortOptions,
    private readonly answer: (query: AppQuery) => Promise<AppQueryResult>,
  ) {
    super(options);
  }

  query(query: AppQuery): Promise<AppQueryResult> {
    return this.answer(query);
  }
}

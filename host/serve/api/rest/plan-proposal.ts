/** The proposal that scheduled a plan: looked for among the last that passed. */
import { create, type Message } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { type Proposal, ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { QueryProposalsRequestSchema, type QueryProposalsResponse } from "../../../base/gen/cosmos/gov/v1/query_pb.js";
import type { Plan } from "../../../base/types/types.js";
import { type FieldKinds, Fields } from "../../../base/wire/wire-fields.js";
import type { Query } from "../../query/query.js";

/** Proposals that are looked at. */
const LOOKED_AT = 50n;

/** Authority, plan. */
const MESSAGE: FieldKinds = ["bytes", "bytes"];
/** Name, time, height, info, the client's state. */
const PLAN: FieldKinds = ["bytes", "bytes", "varint", "bytes", "bytes"];

export interface PlanProposal {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
}

export class PlanProposals {
  #known: { readonly plan: string; readonly found: Promise<PlanProposal | undefined> } | undefined;

  constructor(private readonly query: Query) {}

  /** Undefined: none of the last ones, or a chain without governance. A plan's proposal is looked for once. */
  find({ name, height }: Plan): Promise<PlanProposal | undefined> {
    const plan = `${height} ${name}`;
    if (this.#known?.plan !== plan) this.#known = { plan, found: this.#look({ name, height }) };
    return this.#known.found;
  }

  async #look(plan: Pick<Plan, "name" | "height">): Promise<PlanProposal | undefined> {
    const method = this.query.method("/cosmos.gov.v1.Query/Proposals");
    if (!method) return undefined;
    const request = create(QueryProposalsRequestSchema, {
      proposalStatus: ProposalStatus.PASSED,
      pagination: { limit: LOOKED_AT, reverse: true },
    });
    try {
      const { message } = await this.query.call(method, request, 0n);
      const { proposals } = message as Message as QueryProposalsResponse;
      const found = proposals.find(({ messages }) => messages.some((each) => schedules(each, plan)));
      return found && shown(found);
    } catch {
      // It is shown beside the plan, which is there without it.
      return undefined;
    }
  }
}

const shown = ({ id, title, summary }: Proposal): PlanProposal => ({ id: String(id), title, summary });

/** The message has the same fields under the chain's own name and under the Cosmos SDK's. */
function schedules({ typeUrl, value }: Any, { name, height }: Pick<Plan, "name" | "height">): boolean {
  if (!typeUrl.endsWith(".MsgSoftwareUpgrade")) return false;
  const plan = new Fields(new Fields(value, "MsgSoftwareUpgrade", MESSAGE).bytes(2), "Plan", PLAN);
  return plan.text(1) === name && plan.int64(3) === height;
}

// A gateway with one agent whose calls wait for an approver, and what an approver says to it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Declared, lastOf, type Reply, type Said, startDeclared } from "../declared/startDeclared.ts";

/** What an approver is shown of a call. */
export interface ShownPlan {
  readonly id: string;
  readonly plan: string;
  readonly question: string;
  readonly arguments: string;
  readonly reason?: string;
  readonly rejected_before?: true;
}

export interface ApprovalHouse extends Declared {
  readonly folder: string;
  /** Runs the agent `ops`; gives what its approver is shown. */
  ask(): Promise<readonly ShownPlan[]>;
  /** Decides, and goes on with the run. */
  decide(given: readonly { readonly id: string; readonly decision: object }[]): Promise<Reply>;
  approve(shown: readonly ShownPlan[]): Promise<Reply>;
}

/** @param says the turns of the model: those after the last are the last. */
export async function approvalHouse(
  yaml: (folder: string) => string,
  says: readonly Said[],
  env: Readonly<Record<string, string>> = {},
): Promise<ApprovalHouse> {
  const folder = mkdtempSync(join(tmpdir(), "postel-approvals-"));
  let turns = 0;
  const model = (): Said => says[Math.min(turns++, says.length - 1)] ?? "";
  const testGateway = await startDeclared(yaml(folder), model, join(folder, "store.db"), env).catch(
    (error: unknown) => {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    },
  );
  const decide: ApprovalHouse["decide"] = (given) =>
    testGateway.post("/v1/agent", {
      model: "ops",
      messages: given.map(({ id, decision }) => ({
        role: "tool",
        tool_call_id: id,
        content: JSON.stringify(decision),
      })),
    });
  return Object.assign(Object.create(testGateway), {
    folder,
    ask: async () =>
      shownIn(await testGateway.post("/v1/agent", { model: "ops", messages: [{ role: "user", content: "Go." }] })),
    decide,
    approve: (shown: readonly ShownPlan[]) =>
      decide(shown.map(({ id, plan }) => ({ id, decision: { decision: "approve", plan } }))),
    close: async () => {
      await testGateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** What an answer asks its approver. */
export function shownIn({ body }: Reply): readonly ShownPlan[] {
  const calls = body?.choices?.[0]?.message?.tool_calls ?? [];
  return calls.map((call: { id: string; function: { arguments: string } }) => ({
    id: call.id,
    ...JSON.parse(call.function.arguments),
  }));
}

/** What the model was last told. */
export function toldLast({ upstream }: Declared): string {
  const request = upstream.requests.at(-1);
  return request ? lastOf(request) : "";
}

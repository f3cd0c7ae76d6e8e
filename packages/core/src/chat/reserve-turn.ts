import { withRequest } from '../calls/model-call.ts';
import { boundWithin } from '../limits/budgets.ts';
import { reserveCall } from '../limits/reserve-call.ts';
import type { ChatRun } from './chat-run.ts';
import type { ChatTurn } from './stages/stage.ts';

/** Holds what one more completion within a call may cost; rejects when it does not fit into a budget. */
export async function reserveTurn(
  { request, endpoints }: Pick<ChatTurn, 'request' | 'endpoints'>,
  { call, caller, observer, parts }: ChatRun,
): Promise<void> {
  const { budgets } = caller;
  const bound = boundWithin(withRequest(call, request), budgets);
  if (bound === null) return;
  // The cost so far is known now, and replaces its worst case.
  const spent = observer.spending()?.cost?.nanoUsd;
  if (spent !== undefined) {
    const isByok = observer.endpoint()?.provider.byok === true;
    parts.ledger.replace(call.id, { creditsNanoUsd: isByok ? null : spent, anyNanoUsd: spent });
  }
  await reserveCall(call, { budgets, endpoints, bound }, parts.ledger);
}

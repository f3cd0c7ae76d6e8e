import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/**
 * `GET /credits`: what the account may spend and has spent, USD, calls that were paid to the provider left out. The
 * wire insists on a number: without a limit it is 0, with `unlimited` beside it, which is ours.
 */
export async function getCredits({ runtime }: RequestContext): Promise<GatewayResponse> {
  const { creditsUsd } = runtime.account;
  const { creditsNanoUsd } = await runtime.store.generations.spent({});
  return toJsonResponse(200, {
    data: { total_credits: creditsUsd ?? 0, total_usage: creditsNanoUsd / 1e9, unlimited: creditsUsd == null },
  });
}

import type { GatewayResponse } from '@model-gateway/core';

import { type CoreGateway, jsonOf, MANAGEMENT_KEY } from './core-gateway.ts';

/** A key that a guardrail holds for. */
export interface GuardedKey {
  readonly key: string;
  /** Headers to send with a request. */
  readonly headers: { readonly authorization: string };
  readonly hash: string;
  readonly guardrailId: string;
  /** Changes the guardrail. */
  patch(change: object): Promise<GatewayResponse>;
}

/** Creates a key and a guardrail with these fields for it. */
export async function guardKey(core: Pick<CoreGateway, 'post'>, fields: object): Promise<GuardedKey> {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const write = async (path: string, body: object) => {
    const response = await core.post(path, body, { headers });
    if (response.status >= 300)
      throw new Error(`${path} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return jsonOf(response) as { key: string; data: { hash: string; id: string } };
  };
  const { key, data } = await write('/api/v1/keys', { name: 'k' });
  const guardrail = await write('/api/v1/guardrails', { name: 'g', ...fields });
  const path = `/api/v1/guardrails/${guardrail.data.id}`;
  await write(`${path}/assignments/keys`, { key_hashes: [data.hash] });
  return {
    key,
    headers: { authorization: `Bearer ${key}` },
    hash: data.hash,
    guardrailId: guardrail.data.id,
    patch: (change) => core.post(path, change, { headers, method: 'PATCH' }),
  };
}

import { toKeyPrincipal } from '../../auth/authenticate.ts';
import { findKey } from '../../auth/keys.ts';
import { modelsWith, toUsableEndpoints } from '../../dispatch/usable-endpoints.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { findLayers } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import type { Principal } from '../../http/request.ts';
import { type AnyKey, keyDetailResponseSchema } from '../../wire/keys.ts';
import type { AnyKeyParts } from './key-parts.ts';
import { toAnyKeyBody, toConfiguredKeyBody } from './to-any-key-body.ts';

/** `GET /admin/v1/keys/{hash}`: any key, with the guardrails that hold for it and the models that it may call. */
export const getKeyDetail = operation<AnyKeyParts>()({
  params: ['hash'],
  response: keyDetailResponseSchema,
  async run({ params: { hash }, parts }) {
    const { body, principal } = await findAnyKey(hash, parts);
    const layers = await findLayers(principal, parts.store);
    return {
      data: {
        ...body,
        guardrails: layers.map(({ scope, guardrail: { id, name } }) => ({ scope, id, name })),
        allowed_models: await findAllowedModels(principal, parts),
      },
    };
  },
});

async function findAnyKey(hash: string, parts: AnyKeyParts): Promise<{ body: AnyKey; principal: Principal }> {
  const configured = (await parts.configuredKeys()).get(hash);
  if (configured !== undefined) {
    return {
      body: await toConfiguredKeyBody(hash, configured, parts),
      principal: { kind: configured.kind, id: hash, name: configured.name },
    };
  }
  const record = await findKey(hash, parts);
  return { body: await toAnyKeyBody(record, parts), principal: toKeyPrincipal(record) };
}

async function findAllowedModels(principal: Principal, parts: AnyKeyParts): Promise<string[]> {
  if (principal.kind !== 'api') return [];
  try {
    const policy = await parts.policyOf(principal);
    return modelsWith(toUsableEndpoints({ policy, region: null }, parts), parts).map(({ id }) => id);
  } catch (error) {
    // A guardrail that cannot be applied refuses every call of the key.
    if (error instanceof GatewayError && error.code === 'permission_denied') return [];
    throw error;
  }
}

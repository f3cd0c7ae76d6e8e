import { GatewayError } from '../foundation/errors.ts';
import type { Store } from '../stores/store.ts';
import type { Guardrail } from '../wire/guardrails.ts';

/** A guardrail by id. Throws `not_found`, for what is no UUID as well. */
export async function findGuardrail(
  id: string | undefined,
  { store }: { readonly store: Pick<Store, 'guardrails'> },
): Promise<Guardrail> {
  const guardrail = await store.guardrails.get(id ?? '');
  if (guardrail === undefined) throw noGuardrail(id);
  return guardrail;
}

export function noGuardrail(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no guardrail ${(id ?? '').slice(0, 100)}`);
}

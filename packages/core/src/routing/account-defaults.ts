import type { LiveAccount, RoutingDefaults } from '../account/account.ts';
import type { CallPreferences } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { ProviderPreferences } from '../wire/routing.ts';

/**
 * The preferences of a request, with the account's where it says nothing. An order, a sort, a service tier or a variant
 * that sorts stands against the account's order and sort together: half of one and half of the other is nobody's wish.
 */
export function withAccountDefaults(
  preferences: CallPreferences,
  slugs: readonly string[],
  defaults: RoutingDefaults | undefined,
): CallPreferences {
  if (defaults === undefined) return preferences;
  const { provider } = preferences;
  const { order, sort, ...others } = defaults;
  const saysOrder = hasOrder(preferences) || slugs.some((slug) => SORTING_VARIANT.test(slug));
  return {
    ...preferences,
    provider: {
      ...provider,
      ...(!saysOrder && order !== undefined && { order }),
      ...(!saysOrder && sort !== undefined && { sort }),
      allow_fallbacks: provider.allow_fallbacks ?? others.allow_fallbacks,
      max_price: others.max_price === undefined ? provider.max_price : { ...others.max_price, ...provider.max_price },
    },
  };
}

/** What a gateway upstream is to prefer: what the call asks for, else the account, names as they were written. */
export function preferencesUpstream(
  call: Pick<ModelCall, 'kind' | 'request'>,
  { writtenDefaults }: Pick<LiveAccount, 'writtenDefaults'>,
): ProviderPreferences {
  const preferences = call.kind.preferencesOf(call.request);
  if (writtenDefaults === undefined) return preferences.provider;
  return withAccountDefaults(preferences, slugsOf(call), writtenDefaults).provider;
}

/** The slugs of the models that a call names. */
export function slugsOf({ kind, request }: Pick<ModelCall, 'kind' | 'request'>): readonly string[] {
  const { model, models } = kind.modelsOf(request);
  return [...(model == null ? [] : [model]), ...(models ?? [])];
}

const SORTING_VARIANT = /:(nitro|floor|exacto)(:|$)/;

function hasOrder({ provider: { order, sort }, serviceTier }: CallPreferences): boolean {
  const key = typeof sort === 'string' ? sort : sort?.by;
  const isTier = serviceTier === 'priority' || serviceTier === 'fast' || serviceTier === 'flex';
  return (order?.length ?? 0) > 0 || key != null || isTier;
}

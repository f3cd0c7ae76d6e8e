import type { Catalog } from '../catalog/catalog.ts';
import { refuseUnknownNames } from '../catalog/refuse-unknown-names.ts';
import { givenFields } from '../wire/fields.ts';
import type { Guardrail, UpdateGuardrailRequest } from '../wire/guardrails.ts';

/** Creates a guardrail without demands. */
export function toNewGuardrail(identity: Pick<Guardrail, 'id' | 'name' | 'workspace_id' | 'created_at'>): Guardrail {
  return {
    ...identity,
    updated_at: null,
    description: null,
    limit_usd: null,
    reset_interval: null,
    include_byok_in_budgets: false,
    allowed_models: null,
    ignored_models: null,
    allowed_providers: null,
    ignored_providers: null,
    allowed_data_regions: null,
    enforce_zdr: null,
    enforce_zdr_anthropic: null,
    enforce_zdr_openai: null,
    enforce_zdr_google: null,
    enforce_zdr_xai: null,
    enforce_zdr_other: null,
    enable_paid_model_training: null,
    enable_free_model_training: null,
    enable_free_model_publication: null,
    content_filter_builtins: null,
    content_filters: null,
  };
}

const ZDR_GROUPS = [
  'enforce_zdr_anthropic',
  'enforce_zdr_openai',
  'enforce_zdr_google',
  'enforce_zdr_xai',
  'enforce_zdr_other',
] as const;

/**
 * A guardrail with a change of the wire applied (wire.md 16.2): absent fields remain, models get their canonical slugs,
 * and `enforce_zdr` sets the switches of its groups that are absent.
 */
export function changeGuardrail(
  guardrail: Guardrail,
  change: UpdateGuardrailRequest,
  catalog: Pick<Catalog, 'find' | 'list'>,
): Guardrail {
  const { enforce_zdr: all, allowed_models: allowed, ignored_models: ignored } = change;
  return {
    ...guardrail,
    ...(all !== undefined && Object.fromEntries(ZDR_GROUPS.map((group) => [group, all]))),
    ...givenFields(change),
    ...(allowed !== undefined && { allowed_models: toCanonical(allowed, catalog) }),
    ...(ignored !== undefined && { ignored_models: toCanonical(ignored, catalog) }),
  };
}

/**
 * Models that have become unknown stay as they were written, and those whose canonical slug names another one, too, as a
 * free model and its paid one may share theirs.
 */
function toCanonical(slugs: readonly string[] | null, catalog: Pick<Catalog, 'find' | 'list'>): string[] | null {
  const isOfOne = (canonical: string, id: string): boolean =>
    catalog.find(canonical)?.id === id &&
    catalog.list().every((model) => model.id === id || model.definition.canonical_slug !== canonical);
  const toOne = (slug: string): string => {
    const model = catalog.find(slug);
    const canonical = model?.definition.canonical_slug;
    return canonical !== undefined && isOfOne(canonical, model?.id ?? '') ? canonical : slug;
  };
  return slugs && [...new Set(slugs.map(toOne))];
}

/**
 * Throws `invalid_request` for models and providers that are unknown, because rules about them guard nothing. Those that
 * the guardrail already has may stay: they have become unknown since.
 */
export function refuseUnknownInLists(
  change: UpdateGuardrailRequest,
  before: Guardrail | undefined,
  catalog: Catalog,
): void {
  const listOf = (path: 'allowed_models' | 'ignored_models' | 'allowed_providers' | 'ignored_providers') => ({
    path,
    of: path.endsWith('models') ? ('models' as const) : ('providers' as const),
    goesOnward: path === 'ignored_providers',
    names: change[path],
    kept: before?.[path],
  });
  refuseUnknownNames(
    [listOf('allowed_models'), listOf('ignored_models'), listOf('allowed_providers'), listOf('ignored_providers')],
    catalog,
  );
}

/** Throws `invalid_request` for patterns that cannot be run in linear time. */
export async function refuseBadPatterns({ content_filters: filters }: UpdateGuardrailRequest): Promise<void> {
  if (!filters?.length) return;
  // Late, because the engine is large and most processes never need it.
  const { parsePattern } = await import('./filters/custom-filter.ts');
  for (const [index, { pattern }] of filters.entries()) parsePattern(pattern, `content_filters.${index}.pattern`);
}

/** The guardrail as it would be after a change, which is not saved. Throws as saving it would. */
export async function withDraft(
  guardrail: Guardrail,
  change: UpdateGuardrailRequest | undefined,
  catalog: Catalog,
): Promise<Guardrail> {
  if (change === undefined) return guardrail;
  refuseUnknownInLists(change, guardrail, catalog);
  await refuseBadPatterns(change);
  return changeGuardrail(guardrail, change, catalog);
}

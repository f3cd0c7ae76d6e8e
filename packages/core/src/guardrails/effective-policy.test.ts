import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import type { CallRegion } from '../calls/call-kind.ts';
import { createCatalog, type Endpoint } from '../catalog/catalog.ts';
import { mapChatTexts } from '../chat/chat-kind.ts';
import type { Provider } from '../providers/provider.ts';
import { selectEndpoints } from '../routing/select-endpoints.ts';
import type { Guardrail } from '../wire/guardrails.ts';
import type { GuardrailScope } from '../wire/routing.ts';
import { toNewGuardrail } from './change-guardrail.ts';
import { combineGuardrails, type GuardrailLayer, toConstraints } from './effective-policy.ts';
import { compileInputFilters } from './filters/compile-filters.ts';
import { guardInput } from './guard-call.ts';

const layer = (scope: GuardrailScope, id: string, fields: Partial<Guardrail>): GuardrailLayer => ({
  scope,
  guardrail: { ...toNewGuardrail({ id, name: id, workspace_id: null, created_at: '' }), ...fields },
});

const provider = (slug: string, training: boolean | null, retainsPrompts: boolean | null): Provider => ({
  slug,
  name: slug,
  dataPolicy: { training, retainsPrompts },
  async *chat() {},
});
const PROVIDERS = [provider('shy', false, false), provider('nosy', true, true), provider('mute', null, null)];
const paid = { prompt: '0.000001', completion: '0.000001' };
const free = { prompt: '0', completion: '0' };
const catalog = createCatalog(PROVIDERS, [
  {
    id: 'openai/one',
    canonical_slug: 'openai/one-2026',
    aliases: ['openai/one-latest'],
    endpoints: [
      { provider: 'shy', providerModel: 'm', pricing: paid },
      { provider: 'nosy', providerModel: 'm', pricing: paid, tag: 'turbo', region: 'eu' },
      { provider: 'mute', providerModel: 'm', pricing: paid, region: 'us' },
    ],
  },
  {
    id: 'acme/two',
    endpoints: [
      { provider: 'shy', providerModel: 'm', pricing: free },
      { provider: 'nosy', providerModel: 'm', pricing: free },
    ],
  },
]);
const ENDPOINTS = catalog.list().flatMap(({ endpoints }) => endpoints);
const nameOf = ({ modelId, tag }: Endpoint): string => `${modelId}@${tag}`;

const EU: CallRegion = { name: 'eu', dataRegion: 'europe' };
const US: CallRegion = { name: 'us', dataRegion: 'us' };

function left(layers: readonly GuardrailLayer[], region: CallRegion | null = null): string[] {
  const constraints = toConstraints(combineGuardrails(layers).rules, catalog);
  return ENDPOINTS.filter((endpoint) => !constraints.some(({ excludes }) => excludes(endpoint, region))).map(nameOf);
}

const ALL = ENDPOINTS.map(nameOf);
const but = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

test.each<[Partial<Guardrail>, string[]]>([
  [{}, ALL],
  [{ allowed_models: ['acme/two'] }, ['acme/two@shy', 'acme/two@nosy']],
  [{ allowed_models: ['openai/one-2026'] }, but('acme/two@shy', 'acme/two@nosy')],
  [{ ignored_models: ['openai/one'] }, ['acme/two@shy', 'acme/two@nosy']],
  [{ ignored_models: ['openai/one-latest'] }, ['acme/two@shy', 'acme/two@nosy']],
  [{ allowed_models: ['openai/one-latest'] }, but('acme/two@shy', 'acme/two@nosy')],
  [{ ignored_models: ['OpenAI/One', 'openai/one '] }, ALL],
  [{ allowed_providers: ['nosy'] }, ['openai/one@nosy/turbo', 'acme/two@nosy']],
  [{ allowed_providers: ['nosy/turbo'] }, ['openai/one@nosy/turbo']],
  [{ ignored_providers: ['nosy'] }, but('openai/one@nosy/turbo', 'acme/two@nosy')],
  [{ ignored_providers: ['NOSY', 'nobody'] }, but('openai/one@nosy/turbo', 'acme/two@nosy')],
  [{ allowed_providers: ['Nosy/Turbo'] }, ['openai/one@nosy/turbo']],
  [{ allowed_providers: ['nobody'] }, []],
  [{ allowed_data_regions: ['europe'] }, []],
  [{ allowed_data_regions: ['global', 'us'] }, ALL],
  [{ enforce_zdr_openai: true }, but('openai/one@nosy/turbo', 'openai/one@mute')],
  [{ enforce_zdr_other: true }, but('acme/two@nosy')],
  [{ enforce_zdr_anthropic: true, enforce_zdr_openai: false }, ALL],
  [{ enable_paid_model_training: false }, but('openai/one@nosy/turbo', 'openai/one@mute')],
  [{ enable_free_model_training: false }, but('acme/two@nosy')],
  [{ enable_free_model_publication: false }, but('acme/two@nosy')],
  [{ enable_paid_model_training: true, enable_free_model_training: true }, ALL],
])('a guardrail of %j leaves %j', (fields, expected) => {
  expect(left([layer('api-key', 'g', fields)])).toEqual(expected);
});

test('of hosts that calls come in under, those of the allowed regions remain', () => {
  const europe = [layer('api-key', 'a', { allowed_data_regions: ['europe', 'us'] })];
  expect(left(europe, EU)).toEqual(ALL);
  expect(left(europe, US)).toEqual(ALL);
  expect(left([...europe, layer('member', 'b', { allowed_data_regions: ['us', 'global'] })], EU)).toEqual([]);
});

test('lists intersect by what they mean, not by how they are spelt', () => {
  const layers = [
    layer('api-key', 'a', { allowed_models: ['openai/one'], allowed_providers: ['nosy'] }),
    layer('member', 'b', { allowed_models: ['openai/one-2026'], allowed_providers: ['nosy/turbo', 'shy'] }),
  ];
  expect(left(layers)).toEqual(['openai/one@nosy/turbo']);
});

const orNull = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });
const some = (...values: string[]) => orNull(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }));
const action = fc.constantFrom('block' as const, 'redact' as const, 'flag' as const);
const direction = fc.constantFrom('input' as const, 'output' as const, 'both' as const, undefined);
const fields: fc.Arbitrary<Partial<Guardrail>> = fc.record({
  allowed_models: some('openai/one', 'openai/one-2026', 'acme/two'),
  ignored_models: some('openai/one', 'acme/two'),
  allowed_providers: some('shy', 'nosy', 'nosy/turbo', 'mute'),
  ignored_providers: some('shy', 'nosy/turbo'),
  allowed_data_regions: orNull(fc.uniqueArray(fc.constantFrom('global' as const, 'europe' as const), { minLength: 1 })),
  enforce_zdr_openai: orNull(fc.boolean()),
  enforce_zdr_other: orNull(fc.boolean()),
  enable_paid_model_training: orNull(fc.boolean()),
  enable_free_model_training: orNull(fc.boolean()),
  limit_usd: orNull(fc.constantFrom(1, 5)),
  reset_interval: orNull(fc.constantFrom('daily' as const, 'monthly' as const)),
  content_filters: orNull(
    fc.array(
      fc.record({
        pattern: fc.constantFrom('badger', 'fox'),
        action,
        label: fc.constantFrom('L', null, undefined),
        direction,
      }),
    ),
  ),
  content_filter_builtins: orNull(
    fc.array(
      fc.record({
        slug: fc.constantFrom('email' as const, 'regex-prompt-injection' as const),
        action,
        scan_scope: fc.constantFrom('all_messages' as const, 'user_only' as const, undefined),
        direction,
      }),
    ),
  ),
});
const layers = fc
  .tuple(
    fc.array(
      fc.tuple(fc.constantFrom<GuardrailScope>('api-key', 'member', 'workspace'), fc.constantFrom('a', 'b', 'c')),
      { maxLength: 4 },
    ),
    fc.record({ a: fields, b: fields, c: fields }),
  )
  .map(([picked, guardrails]) => [
    ...new Map(picked.map(([scope, id]) => [`${scope}${id}`, layer(scope, id, guardrails[id])])).values(),
  ]);
const shuffled = layers.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
);

test('combines guardrails independently of their order', () => {
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      expect(combineGuardrails(other)).toEqual(combineGuardrails(list));
    }),
    { numRuns: 500 },
  );
});

test('leaves what each guardrail would leave on its own, and the account besides, and nothing more', () => {
  const account = fc.record({
    providers: fc.record({ ignore: fc.subarray(['shy', 'mute']) }),
    privacy: fc.record({ zdr: fc.boolean() }),
  });
  fc.assert(
    fc.property(layers, account, fc.constantFrom(null, EU), (list, settings, region) => {
      const constraints = toConstraints(combineGuardrails(list).rules, catalog);
      const chosen = (given: typeof settings | object, rules: typeof constraints): string[] =>
        catalog.list().flatMap((model) =>
          selectEndpoints({
            resolved: { model, variants: [] },
            kind: 'chat',
            preferences: {},
            account: given,
            region,
            constraints: rules,
          }).endpoints.map(nameOf),
        );
      const alone = list.map((one) => left([one], region));
      const allowed = ALL.filter((name) => [...alone, chosen(settings, [])].every((names) => names.includes(name)));
      expect(chosen(settings, constraints)).toEqual(allowed);
    }),
    { numRuns: 300 },
  );
});

test('does to a text the strongest of what any of the guardrails would do to it', async () => {
  const RANKS = ['block', 'redact', 'flag'];
  const worst = async (list: readonly GuardrailLayer[]): Promise<string | undefined> => {
    const filters = compileInputFilters(combineGuardrails(list).filters);
    const messages = [
      { role: 'system' as const, content: 'badger, jo@example.com' },
      { role: 'user' as const, content: 'fox' },
    ];
    if (filters === null) return undefined;
    const { findings } = await guardInput({ messages }, filters, mapChatTexts, createVirtualPlatform());
    return findings[0]?.compiled.origin.action;
  };
  await fc.assert(
    fc.asyncProperty(layers, async (list) => {
      const each = await Promise.all(list.map((one) => worst([one])));
      const alone = each.filter((found) => found !== undefined);
      expect(await worst(list)).toBe(alone.toSorted((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b))[0]);
    }),
    { numRuns: 200 },
  );
});

test('one filter in several guardrails acts once, with the strongest action', () => {
  const pattern = { pattern: 'x', label: 'l' };
  const { filters } = combineGuardrails([
    layer('workspace', 'w', { content_filters: [{ ...pattern, action: 'flag' }] }),
    layer('member', 'm', { content_filters: [{ ...pattern, action: 'block', direction: 'both' }] }),
    layer('api-key', 'k', { content_filters: [{ ...pattern, action: 'redact' }] }),
  ]);
  expect(filters).toMatchObject([
    { side: 'input', action: 'block', guardrailId: 'm' },
    { side: 'output', action: 'block', guardrailId: 'm' },
  ]);
});

test('every budget counts on its own, also one that holds for a key and for its owner', () => {
  const budget = { limit_usd: 5, reset_interval: 'daily' as const };
  const { budgets, rules } = combineGuardrails([
    layer('api-key', 'a', { ...budget, ignored_models: ['acme/two'] }),
    layer('member', 'a', { ...budget, ignored_models: ['acme/two'] }),
    layer('workspace', 'w', { limit_usd: 9, include_byok_in_budgets: true }),
  ]);
  expect(budgets).toEqual([
    { guardrailId: 'a', scope: 'api-key', limitUsd: 5, resetInterval: 'daily', includeByok: false },
    { guardrailId: 'a', scope: 'member', limitUsd: 5, resetInterval: 'daily', includeByok: false },
    { guardrailId: 'w', scope: 'workspace', limitUsd: 9, resetInterval: null, includeByok: true },
  ]);
  expect(rules).toHaveLength(1);
});

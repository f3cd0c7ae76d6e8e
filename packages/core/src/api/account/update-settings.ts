import { toShownSettings } from '../../account/account.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { describeUnknownName, refuseUnknownNames } from '../../catalog/refuse-unknown-names.ts';
import { type Issue, refuseIssues } from '../../foundation/parse.ts';
import { operation } from '../../http/operation.ts';
import { isModelName } from '../../routing/resolve-models.ts';
import {
  type Settings,
  type SettingsChange,
  settingsChangeSchema,
  settingsResponseSchema,
} from '../../wire/account.ts';
import { refuseField } from '../../wire/fields.ts';
import type { RoutingRule } from '../../wire/routing-rules.ts';
import type { AccountParts } from './account-parts.ts';

/** `PATCH /admin/v1/settings`: holds from the next request on. What the configuration says is changed there alone. */
export const updateSettings = operation<AccountParts>()({
  body: settingsChangeSchema,
  response: settingsResponseSchema,
  async run({ parts, body: sent }) {
    const { configured, ...before } = toShownSettings(parts.account);
    const body = withoutConfigured(sent, before, configured);
    const { default_model: model } = body;
    if (model != null && model !== before.default_model && !isModelName(model, parts.catalog)) {
      throw refuseField('default_model', describeUnknownName(model, 'models', parts.catalog));
    }
    refuseUnknownModels(body.routing?.rules, before.routing.rules, parts.catalog);
    refuseUnknownNames(
      [
        ...(['only', 'ignore'] as const).map((list) => ({
          path: `providers.${list}`,
          of: 'providers' as const,
          goesOnward: list === 'ignore',
          names: body.providers?.[list],
          kept: before.providers[list],
        })),
        {
          path: 'routing.order',
          of: 'providers',
          goesOnward: true,
          names: body.routing?.order,
          kept: before.routing.order,
        },
      ],
      parts.catalog,
    );
    await parts.store.settings.update((settings) => ({
      ...settings,
      ...body,
      ...(body.providers && { providers: { ...settings.providers, ...body.providers } }),
      ...(body.privacy && { privacy: { ...settings.privacy, ...body.privacy } }),
      ...(body.routing && { routing: { ...settings.routing, ...body.routing } }),
    }));
    return { data: toShownSettings(parts.account) };
  },
});

/** Models that a rule has named before may have become unknown, and stay: such a rule is passed over. */
function refuseUnknownModels(
  rules: readonly RoutingRule[] = [],
  before: readonly RoutingRule[],
  catalog: Catalog,
): void {
  const kept = new Set(before.flatMap(modelsOf));
  const issues = rules.flatMap((rule, at) =>
    modelsOf(rule).flatMap((name, index) => {
      if (kept.has(name) || isModelName(name, catalog)) return [];
      const path = `routing.rules.${at}.${index === 0 ? 'model' : `models.${index - 1}`}`;
      return [{ path, message: describeUnknownName(name, 'models', catalog) }];
    }),
  );
  if (issues.length > 0) throw refuseIssues(issues);
}

const modelsOf = ({ model, models = [] }: RoutingRule): readonly string[] => [model, ...models];

/** Leaves out what the configuration says, so that nothing else takes its place later. Refuses another value of it. */
function withoutConfigured(sent: SettingsChange, before: Settings, configured: readonly string[]): SettingsChange {
  const issues: Issue[] = [];
  const drop = (values: object, present: object, within: string): object =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const path = within + name;
        const known: unknown = (present as Readonly<Record<string, unknown>>)[name];
        if (GROUPS.has(path)) return [[name, drop(value as object, known as object, `${path}.`)]];
        if (!configured.includes(path)) return [[name, value]];
        if (JSON.stringify(value) !== JSON.stringify(known)) issues.push({ path, message: CONFIGURED });
        return [];
      }),
    );
  const left = drop(sent, before, '');
  if (issues.length > 0) throw refuseIssues(issues);
  return left;
}

const GROUPS: ReadonlySet<string> = new Set(['providers', 'privacy', 'routing']);
const CONFIGURED = 'the configuration says it, and counts: change it there, under account';

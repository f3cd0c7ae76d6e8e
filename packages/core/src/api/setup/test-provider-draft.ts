import { refuseIssues } from '../../foundation/parse-with.ts';
import { operation } from '../../http/operation.ts';
import { testDraftRequestSchema, testDraftResponseSchema } from '../../wire/setup/provider-setup.ts';
import { chooseSlug } from './choose-slug.ts';
import { requireLiveSetup } from './live-setup.ts';
import { addSavedSecrets } from './provider-rows.ts';
import type { SetupParts } from './setup-parts.ts';

/** `POST /admin/v1/setup/provider-tests`: tests a provider before it is saved, or changed, and lists its models. */
export const testProviderDraft = operation<SetupParts>()({
  body: testDraftRequestSchema,
  response: testDraftResponseSchema,
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ body: { provider, model }, found: { host, stored } }) {
    const draft = chooseSlug({
      ...provider,
      slug: provider.slug ?? (provider.preset === undefined ? 'new' : undefined),
    });
    const { providers } = await stored();
    const row = draft.apiKey === undefined ? providers.find(({ id }) => id === draft.slug) : undefined;
    const settings = row === undefined ? draft : await addSavedSecrets(draft, row, host);
    const issues = host.objectTo(settings);
    if (issues.length > 0) {
      throw refuseIssues(
        issues.map(({ path, message }) => ({ path: path === '' ? 'provider' : `provider.${path}`, message })),
      );
    }
    const { findings, models } = await host.test(settings, { model });
    const listed = models?.map(({ id, created, contextLength }) => ({ id, created, context_length: contextLength }));
    const ok = findings.every(({ status }) => status !== 'failed');
    return { data: { ok, findings, models: listed ?? null } };
  },
});

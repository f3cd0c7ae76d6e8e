import { z } from 'zod';

import { refuseIssues } from '../../foundation/parse.ts';
import { operation } from '../../http/operation.ts';
import type { DiscoveredModel } from '../../providers/provider.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { addSavedSecrets } from '../../setup/provider-rows.ts';
import { testDraftRequestSchema, testDraftResponseSchema } from '../../wire/provider-setup.ts';
import { findingLineSchema } from '../../wire/providers.ts';
import { isWell, TEST_HEADERS, toTestResponse } from '../providers/test-response.ts';
import { chooseSlug } from './choose-slug.ts';
import type { SetupParts } from './setup-parts.ts';

/** `POST /admin/v1/setup/provider-tests`: tests a provider before it is saved, or changed, and lists its models. */
export const testProviderDraft = operation<SetupParts>()({
  body: testDraftRequestSchema,
  response: {
    mediaTypes: {
      'application/json': testDraftResponseSchema,
      'application/x-ndjson': z.union([findingLineSchema, testDraftResponseSchema]),
    },
  },
  responseHeaders: TEST_HEADERS,
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ request: { signal }, body: { provider, model, stream }, found: { host, stored }, responseHeaders }) {
    const draft = chooseSlug({
      ...provider,
      slug: provider.slug ?? (provider.preset === undefined ? 'new' : undefined),
    });
    const { providers } = await stored();
    const row = providers.find(({ id }) => id === draft.slug);
    const settings = row === undefined ? draft : await addSavedSecrets(draft, row, host);
    const issues = host.objectTo(settings);
    if (issues.length > 0) {
      throw refuseIssues(
        issues.map(({ path, message }) => ({ path: path === '' ? 'provider' : `provider.${path}`, message })),
      );
    }
    return toTestResponse(host.test(settings, { model, signal }), {
      stream,
      toData: (findings, models) => ({ ok: isWell(findings), findings, models: models?.map(toListed) ?? null }),
      headers: responseHeaders,
    });
  },
});

const toListed = ({ id, created, contextLength }: DiscoveredModel) => ({ id, created, context_length: contextLength });

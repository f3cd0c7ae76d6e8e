import { toSettings } from '../../auth/settings.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { settingsChangeSchema } from '../../wire/management/settings.ts';

/** `PATCH /admin/v1/settings`: what is given goes before configuration from the next request on. */
export async function updateSettings({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const change = parseWith(settingsChangeSchema, await readJsonBody(request));
  await runtime.store.settings.update((settings) => ({
    ...settings,
    ...change,
    ...(change.providers && { providers: { ...settings.providers, ...change.providers } }),
    ...(change.privacy && { privacy: { ...settings.privacy, ...change.privacy } }),
  }));
  return toJsonResponse(200, { data: toSettings(runtime.account) });
}

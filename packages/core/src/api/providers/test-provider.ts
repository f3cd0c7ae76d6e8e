import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { providerTestRequestSchema } from '../../wire/models/provider-state.ts';

/** `POST /admin/v1/providers/{slug}/test`: what stands between us and a provider, layer by layer. */
export async function testProvider({ request, runtime, params }: RequestContext): Promise<GatewayResponse> {
  const slug = params['slug'] ?? '';
  if (runtime.providers.every((provider) => provider.slug !== slug)) {
    throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
  }
  const checks = runtime.providerChecks;
  if (checks?.describe(slug) === undefined) {
    throw new GatewayError('invalid_request', `How ${slug} is reached is not known here, so it cannot be tested`);
  }
  const { call } = parseWith(providerTestRequestSchema, await readJsonBody(request));
  const findings = await checks.test(slug, { call });
  const ok = findings.every(({ status }) => status !== 'failed');
  return toJsonResponse(200, { data: { slug, ok, findings } });
}

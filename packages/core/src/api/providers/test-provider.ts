import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { providerTestRequestSchema, providerTestResultSchema } from '../../wire/models/provider-state.ts';
import type { ProviderParts } from './provider-parts.ts';

/** `POST /admin/v1/providers/{slug}/test`: checks the connection to a provider, layer by layer. */
export const testProvider = operation<ProviderParts>()({
  params: ['slug'],
  body: providerTestRequestSchema,
  response: providerTestResultSchema,
  find({ params: { slug }, parts }) {
    if (parts.providers.every((provider) => provider.slug !== slug)) {
      throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    }
    const checks = parts.providerChecks;
    if (checks?.describe(slug) === undefined) {
      throw new GatewayError('invalid_request', `How ${slug} is reached is not known here, so it cannot be tested`);
    }
    return checks;
  },
  async run({ params: { slug }, body: { call }, found: checks }) {
    const findings = await checks.test(slug, { call });
    const ok = findings.every(({ status }) => status !== 'failed');
    return { data: { slug, ok, findings } };
  },
});

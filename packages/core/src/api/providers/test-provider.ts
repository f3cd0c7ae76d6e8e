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
    const provider = parts.providers.find((one) => one.slug === slug);
    if (provider === undefined) {
      throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    }
    const checks = parts.providerChecks;
    if (checks?.describe(provider) === undefined) {
      throw new GatewayError('invalid_request', `How ${slug} is reached is not known here, so it cannot be tested`);
    }
    return { checks, provider };
  },
  async run({ params: { slug }, body: { call }, found: { checks, provider } }) {
    const findings = await checks.test(provider, { call });
    const ok = findings.every(({ status }) => status !== 'failed');
    return { data: { slug, ok, findings } };
  },
});

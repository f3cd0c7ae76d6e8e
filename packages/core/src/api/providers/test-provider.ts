import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { findingLineSchema, providerTestRequestSchema, providerTestResultSchema } from '../../wire/providers.ts';
import type { ProviderParts } from './provider-parts.ts';
import { isWell, TEST_HEADERS, toTestResponse } from './test-response.ts';

/** `POST /admin/v1/providers/{slug}/test`: checks the connection to a provider, layer by layer. */
export const testProvider = operation<ProviderParts>()({
  params: ['slug'],
  body: providerTestRequestSchema,
  response: {
    mediaTypes: {
      'application/json': providerTestResultSchema,
      'application/x-ndjson': z.union([findingLineSchema, providerTestResultSchema]),
    },
  },
  responseHeaders: TEST_HEADERS,
  find({ params: { slug }, parts }) {
    const provider = parts.hostProviders.find((one) => one.slug === slug);
    if (provider === undefined) {
      throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    }
    const checks = parts.providerChecks;
    if (checks?.describe(provider) === undefined) {
      throw new GatewayError('invalid_request', `How ${slug} is reached is not known here, so it cannot be tested`);
    }
    return { checks, provider };
  },
  run({ request: { signal }, params: { slug }, body: { call, stream }, found: { checks, provider }, responseHeaders }) {
    const test = checks.test(provider, { call, signal })[Symbol.asyncIterator]();
    return toTestResponse(test, {
      stream,
      toData: (findings) => ({ slug, ok: isWell(findings), findings }),
      headers: responseHeaders,
    });
  },
});

import { GatewayError } from '../../foundation/errors.ts';

/** Parses what upstream sent; undefined when it is no JSON, as a proxy's page or half a body is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The same, but throws `provider_unavailable` when it is no JSON. `what`: what was asked for, in words. */
export function parseReturned(text: string, providerName: string, what = 'something'): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned ${what} that is not JSON`, { cause });
  }
}

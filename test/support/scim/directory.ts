import type { Gateway } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

import { startHost } from '../conformance/hosts.ts';

export const SCIM_TOKEN = 'scim-token-0123456789';

export interface ScimResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for none. */
  readonly body: Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly Resources: readonly Readonly<Record<string, unknown> & { readonly id: string }>[];
  };
}

/** Sends one request of a directory to `/scim/v2`. */
export type AskScim = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ScimResponse>;

/** Serves a gateway on loopback until the test is over, and returns a directory that talks to it. */
export async function startDirectory(
  gateway: Gateway,
  token = SCIM_TOKEN,
): Promise<AskScim & { readonly url: string }> {
  const host = await startHost('node', gateway, {});
  onTestFinished(() => host.close());
  const url = host.apiUrl.replace('/api/v1', '');
  const ask: AskScim = async (method, path, body, headers = {}) => {
    const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json', ...headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: sent,
      ...(text !== undefined && { body: text }),
    });
    const answered = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (answered === '' ? {} : JSON.parse(answered)) as ScimResponse['body'],
    };
  };
  return Object.assign(ask, { url });
}

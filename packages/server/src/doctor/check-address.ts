import { isIP } from 'node:net';

import { isLoopbackHost } from '@model-gateway/node';

import type { Finding } from './finding.ts';

/** The host and port of a provider's address. */
export interface Target {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isIp: boolean;
  readonly isLoopback: boolean;
}

/** Checks the address itself. Without a target in the result, nothing else can be checked. */
export function checkAddress(
  baseUrl: string,
  hasKey: boolean,
): { readonly finding: Finding; readonly target: Target | null } {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return {
      finding: {
        layer: 'address',
        status: 'failed',
        detail: `"${baseUrl}" is not an http or https address`,
        advice: 'Mend baseUrl, e.g. "https://host/v1".',
      },
      target: null,
    };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const target = { host, port, isTls, isIp: isIP(host) !== 0, isLoopback: isLoopbackHost(host) };
  const detail = `${host}, port ${port}, ${isTls ? 'with TLS' : 'without TLS'}`;
  if (hasKey && !isTls && !target.isLoopback) {
    const advice = 'The key travels readable: use https, or keep the path to this server private.';
    return { finding: { layer: 'address', status: 'warning', detail, advice }, target };
  }
  return { finding: { layer: 'address', status: 'ok', detail }, target };
}

import { type GatewayRequest, firstValue } from '../http/request.ts';

/** A region and the hosts under which only its endpoints are used. */
export interface RegionOptions {
  /** Name of the region, as in endpoints. */
  readonly name: string;
  /** Hosts without a port: `eu.gateway.example`. */
  readonly hosts: readonly string[];
}

/** The region of the host in a request; null for an ordinary host. */
export type RegionOf = (request: Pick<GatewayRequest, 'baseUrl' | 'headers'>) => string | null;

const HOST_OF_URL = /^[a-z]+:\/\/([^/]*)/i;

/**
 * Creates the look-up. Every host that a request names is checked, even one from an untrusted proxy: a region only
 * restricts a call, and a proxy that rewrites hosts must not lead a request out of its region.
 */
export function createRegionOf(regions: readonly RegionOptions[]): RegionOf {
  if (regions.length === 0) return () => null;
  const names = new Map(regions.flatMap(({ name, hosts }) => hosts.map((host) => [host.toLowerCase(), name])));
  const find = (host: string | undefined): string | undefined =>
    host === undefined ? undefined : names.get(host.trim().toLowerCase().replace(/:\d+$/, ''));
  return ({ baseUrl, headers }) =>
    find(HOST_OF_URL.exec(baseUrl)?.[1]) ??
    find(firstValue(headers['host'])) ??
    firstValue(headers['x-forwarded-host'])
      ?.split(',')
      .map(find)
      .find((name) => name !== undefined) ??
    null;
}

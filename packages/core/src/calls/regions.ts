import { firstValue, type GatewayRequest } from '../http/request.ts';
import { type DataRegion, type DataRegionOf, toDataRegion } from '../wire/fields.ts';
import type { CallRegion } from './call-kind.ts';

/** A region and the hosts under which only its endpoints are used. */
export interface RegionOptions {
  /** Name of the region, as in endpoints. */
  readonly name: string;
  /** Hosts without a port: `eu.gateway.example`. */
  readonly hosts: readonly string[];
  /** Which of the regions of the public API it is. Default: by its name (`toDataRegion`). */
  readonly dataRegion?: DataRegion | undefined;
}

/** The region of the host in a request; null for an ordinary host. */
export type RegionOf = (request: Pick<GatewayRequest, 'baseUrl' | 'headers'>) => CallRegion | null;

/** Creates the look-up of the data region of a region's name: as the region says, else by the name. */
export function createDataRegionOf(regions: readonly RegionOptions[]): DataRegionOf {
  const given = new Map(regions.map(({ name, dataRegion = toDataRegion(name) }) => [name, dataRegion]));
  return (name) => given.get(name) ?? toDataRegion(name);
}

const HOST_OF_URL = /^[a-z]+:\/\/([^/]*)/i;

/**
 * Creates the look-up. Every host that a request names is checked, even one from an untrusted proxy: a region only
 * restricts a call, and a proxy that rewrites hosts must not lead a request out of its region.
 */
export function createRegionOf(regions: readonly RegionOptions[]): RegionOf {
  if (regions.length === 0) return () => null;
  const byHost = new Map(
    regions.flatMap(({ name, hosts, dataRegion = toDataRegion(name) }) => {
      const region: CallRegion = { name, dataRegion };
      return hosts.map((host) => [host.toLowerCase(), region]);
    }),
  );
  const find = (host: string | undefined): CallRegion | undefined =>
    host === undefined ? undefined : byHost.get(host.trim().toLowerCase().replace(/:\d+$/, ''));
  return ({ baseUrl, headers }) =>
    find(HOST_OF_URL.exec(baseUrl)?.[1]) ??
    find(firstValue(headers['host'])) ??
    firstValue(headers['x-forwarded-host'])
      ?.split(',')
      .map(find)
      .find((region) => region !== undefined) ??
    null;
}

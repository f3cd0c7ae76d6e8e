import { networkInterfaces } from 'node:os';

/** The IPv4 addresses by which others on the network reach this machine. */
export function listNetworkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

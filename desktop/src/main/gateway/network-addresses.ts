import { hostname, networkInterfaces } from 'node:os';

/** The IPv4 addresses by which others on the network reach this machine. */
export function listNetworkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

/** The names and addresses by which others on the network may call this machine. */
export function listNetworkHosts(): string[] {
  const name = hostname().toLowerCase();
  return [...listNetworkAddresses(), name, `${name}.local`];
}

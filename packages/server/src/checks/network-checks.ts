import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';

import { isLoopbackHost } from '@model-gateway/node';

import { type Finding, type ProviderCheck, toLimit } from './provider-check.ts';

/** The host and port of a provider's address. */
interface Target {
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
        advice: 'Correct baseUrl, e.g. "https://host/v1".',
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
    const advice = 'The key is sent unencrypted: use https, or keep the connection to this server private.';
    return { finding: { layer: 'address', status: 'warning', detail, advice }, target };
  }
  return { finding: { layer: 'address', status: 'ok', detail }, target };
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
const MAX_ADDRESSES_SHOWN = 3;

/** Resolves the name as every connection does. */
export async function checkDns({ host, isIp }: Target): Promise<Finding> {
  if (isIp) return { layer: 'dns', status: 'skipped', detail: `${host} is an IP address` };
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const shown = addresses.slice(0, MAX_ADDRESSES_SHOWN).join(', ');
    const rest = addresses.length - MAX_ADDRESSES_SHOWN;
    return { layer: 'dns', status: 'ok', detail: rest > 0 ? `${shown} and ${rest} more` : shown };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const advice =
      code === 'ENOTFOUND'
        ? 'Check baseUrl for typos. On a restricted network, DNS may only resolve internal names.'
        : 'DNS did not respond: check the network and this machine’s name servers.';
    return { layer: 'dns', status: 'failed', detail: `${host} could not be resolved (${code})`, advice };
  }
}

/** How long a connection may take. */
interface ConnectOptions {
  readonly timeoutMs: number;
  /** Ends it before. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a connection and closes it again. */
export async function checkTcp(
  { host, port, isLoopback }: Target,
  { timeoutMs, env, signal }: ConnectOptions & Pick<ProviderCheck, 'env'>,
): Promise<Finding> {
  const startedAt = performance.now();
  const socket = connect({ host, port });
  try {
    await connected(socket, { timeoutMs, signal });
    const detail = `connected to ${socket.remoteAddress} in ${Math.round(performance.now() - startedAt)} ms`;
    return { layer: 'tcp', status: 'ok', detail };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const detail = `no connection to ${host}, port ${port} (${reason})`;
    return { layer: 'tcp', status: 'failed', detail, advice: adviseOnTcp(reason, isLoopback, env) };
  } finally {
    socket.destroy();
  }
}

async function connected(socket: Socket, { timeoutMs, signal }: ConnectOptions): Promise<void> {
  try {
    await once(socket, 'connect', { signal: toLimit(timeoutMs, signal) });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new Error(`no response within ${timeoutMs} ms`, { cause: error });
  } finally {
    // Later errors of the socket have no effect.
    socket.on('error', () => undefined);
  }
}

function adviseOnTcp(reason: string, isLoopback: boolean, env: Readonly<Record<string, string | undefined>>): string {
  if (isLoopback) return 'Nothing is listening there: start the server, or correct the port in baseUrl.';
  const proxy = PROXY_VARIABLES.find((name) => env[name]);
  if (proxy !== undefined) {
    return `${proxy} is set, but the gateway ignores proxies from the environment: it needs direct network access.`;
  }
  return reason === 'ECONNREFUSED'
    ? 'The machine responds, but nothing is listening at this port: correct the port in baseUrl, or start the server.'
    : 'A firewall may block the connection, or the machine is down. The gateway needs direct network access.';
}

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;

const UNKNOWN_ISSUER = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Makes a TLS handshake and checks the certificate. A bad certificate is read as well, because its issuer reveals a
 * proxy; nothing is sent on such a connection.
 */
export async function checkTls(
  target: Target,
  { timeoutMs, now, signal }: ConnectOptions & Pick<ProviderCheck, 'now'>,
): Promise<Finding> {
  if (!target.isTls) return { layer: 'tls', status: 'skipped', detail: 'the address is http' };
  const { host, port, isIp } = target;
  const socket = connectTls({ host, port, rejectUnauthorized: false, ...(!isIp && { servername: host }) });
  try {
    await once(socket, 'secureConnect', { signal: toLimit(timeoutMs, signal) });
    return describeCertificate(socket, target, now);
  } catch (error) {
    const isTimeout = (error as Error).name === 'AbortError';
    const reason = isTimeout ? `no response within ${timeoutMs} ms` : describeHandshakeError(error as Error);
    return {
      layer: 'tls',
      status: 'failed',
      detail: `the handshake failed: ${reason}`,
      advice: `Port ${port} may not be a TLS server: check the port, and whether the address should begin with http.`,
    };
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/** OpenSSL's messages contain the place in its source; only the reason is of use. */
function describeHandshakeError(error: Error): string {
  const { code, reason } = error as NodeJS.ErrnoException & { readonly reason?: string };
  return reason ?? code ?? error.message;
}

function describeCertificate(socket: TLSSocket, { host }: Target, now: number): Finding {
  const certificate = socket.getPeerCertificate();
  const expiresAt = Date.parse(certificate.valid_to);
  const days = Math.floor((expiresAt - now) / DAY_MS);
  const until = new Date(expiresAt).toISOString().slice(0, 10);
  const about = `${socket.getProtocol()}, certificate issued by ${issuerOf(certificate)}, valid until ${until}`;
  if (!socket.authorized) {
    // Declared as an Error, but in fact the code of one.
    const code = String(socket.authorizationError);
    return {
      layer: 'tls',
      status: 'failed',
      detail: `${about}: ${code}`,
      advice: adviseOnCertificate(code, certificate, host),
    };
  }
  return days < EXPIRES_SOON_DAYS
    ? {
        layer: 'tls',
        status: 'warning',
        detail: `${about} (in ${days} days)`,
        advice: 'Calls will fail from that day unless the certificate is renewed: contact the operator of the server.',
      }
    : { layer: 'tls', status: 'ok', detail: `${about} (in ${days} days)` };
}

function issuerOf({ issuer }: PeerCertificate): string {
  const { O: organisation, CN: name } = issuer ?? {};
  const parts = [organisation, name].flat().filter((part) => part !== undefined);
  return parts.length === 0 ? 'no issuer' : parts.join(', ');
}

function adviseOnCertificate(code: string, certificate: PeerCertificate, host: string): string {
  if (UNKNOWN_ISSUER.has(code)) {
    return (
      'This machine does not trust the issuer. If it is your company’s TLS-inspecting proxy or your ' +
      'own authority, set NODE_EXTRA_CA_CERTS to a file with its root certificate (PEM); otherwise the connection may be intercepted.'
    );
  }
  if (code === 'CERT_HAS_EXPIRED')
    return 'Check the clock of this machine; if it is right, the server needs a new certificate.';
  if (code === 'CERT_NOT_YET_VALID') return 'Check the clock of this machine.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = certificate.subjectaltname ?? [certificate.subject?.CN ?? 'no name'].flat().join(', ');
    return `The certificate is for ${names}, not for ${host}: correct the name in baseUrl; otherwise the connection may be intercepted.`;
  }
  return 'The server needs another certificate; the gateway accepts only verifiable ones.';
}

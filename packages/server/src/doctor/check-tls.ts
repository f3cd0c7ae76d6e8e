import { once } from 'node:events';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';

import type { Target } from './check-address.ts';
import type { ConnectOptions } from './check-network.ts';
import type { Finding } from './finding.ts';
import { type Patient, toLimit } from './patient.ts';

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
  { timeoutMs, now, signal }: ConnectOptions & Pick<Patient, 'now'>,
): Promise<Finding> {
  if (!target.isTls) return { layer: 'tls', status: 'skipped', detail: 'the address is http' };
  const { host, port, isIp } = target;
  const socket = connect({ host, port, rejectUnauthorized: false, ...(!isIp && { servername: host }) });
  try {
    await once(socket, 'secureConnect', { signal: toLimit(timeoutMs, signal) });
    return describeCertificate(socket, target, now);
  } catch (error) {
    const isTimeout = (error as Error).name === 'AbortError';
    const reason = isTimeout ? `no answer within ${timeoutMs} ms` : describeHandshakeError(error as Error);
    return {
      layer: 'tls',
      status: 'failed',
      detail: `the handshake failed: ${reason}`,
      advice: `Something else than a TLS server may listen at port ${port}: check the port, or whether the address should begin with http.`,
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
        advice: 'Calls fail from that day on unless the certificate is renewed: tell whoever runs the server.',
      }
    : { layer: 'tls', status: 'ok', detail: `${about} (in ${days} days)` };
}

function issuerOf({ issuer }: PeerCertificate): string {
  const { O: organisation, CN: name } = issuer ?? {};
  const parts = [organisation, name].flat().filter((part) => part !== undefined);
  return parts.length === 0 ? 'nobody it names' : parts.join(', ');
}

function adviseOnCertificate(code: string, certificate: PeerCertificate, host: string): string {
  if (UNKNOWN_ISSUER.has(code)) {
    return (
      'This machine does not know the issuer. If it is a proxy of your company that opens TLS, or an authority of your ' +
      'own, set NODE_EXTRA_CA_CERTS to a file with its root certificate (PEM); otherwise somebody is in between.'
    );
  }
  if (code === 'CERT_HAS_EXPIRED')
    return 'Check the clock of this machine; if it is right, the server needs a new certificate.';
  if (code === 'CERT_NOT_YET_VALID') return 'Check the clock of this machine.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = certificate.subjectaltname ?? [certificate.subject?.CN ?? 'no name'].flat().join(', ');
    return `The certificate is for ${names}, not for ${host}: mend the name in baseUrl, or somebody is in between.`;
  }
  return 'The server needs another certificate; the gateway accepts none that cannot be verified.';
}

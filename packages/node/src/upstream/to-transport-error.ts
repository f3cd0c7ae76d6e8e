import { TransportError, type TransportPhase } from '@model-gateway/core';

/** The properties that identify a failed socket; undici and Node put them in different places. */
interface SocketFailure extends Error {
  readonly code?: string;
  readonly socket?: { readonly remoteAddress?: string };
}

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL']);
const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const BROKEN_CONNECTION_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/;

/** The message that callers get for each class of failure: it names no host, no address, no internal detail. */
const PUBLIC_MESSAGE: Readonly<Record<TransportPhase, string>> = {
  dns: 'the name could not be resolved',
  connect: 'no connection could be made',
  tls: 'the TLS handshake failed',
  headers: 'the connection broke before a response',
  body: 'the response was cut short',
};

/** Classifies an error of undici. `phase` is the phase that the call had reached in the transport's own records. */
export function toTransportError(thrown: Error, phase: TransportPhase): TransportError {
  const failure = thrown as SocketFailure;
  const code = failure.code ?? '';
  const found: TransportPhase =
    phase === 'body' || phase === 'headers'
      ? phase
      : DNS_CODES.has(code)
        ? 'dns'
        : TLS_CODE.test(code)
          ? 'tls'
          : CONNECT_CODES.has(code)
            ? 'connect'
            : phase;
  return new TransportError(PUBLIC_MESSAGE[found], {
    phase: found,
    requestSent: found === 'headers' || found === 'body',
    timedOut: TIMEOUT_CODES.has(code),
    remoteAddress: failure.socket?.remoteAddress,
    cause: thrown,
  });
}

/**
 * Whether a call may be sent again on a fresh connection: the name service failed temporarily, or a connection that had
 * served other calls turned out to be dead when it was used (`isStale`), as when the upstream closes idle ones.
 */
export function mayRetryOnFreshConnection(thrown: Error, isStale: boolean): boolean {
  const code = (thrown as SocketFailure).code ?? '';
  return code === 'EAI_AGAIN' || (isStale && BROKEN_CONNECTION_CODES.has(code));
}

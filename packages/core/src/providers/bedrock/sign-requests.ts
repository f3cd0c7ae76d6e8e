import type { Awaitable } from '../../foundation/awaitable.ts';
import { once } from '../../foundation/awaitable.ts';
import type { RequestSigner } from '../kit/asked-key.ts';

/** Keys of an account at AWS, for some hours or for good. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Present for keys that expire. */
  readonly sessionToken?: string | undefined;
}

/** Asked before each request. It holds what it has fetched itself, and fetches anew before that expires. */
export type AwsCredentialSource = () => Awaitable<AwsCredentials>;

export interface AwsSigning {
  readonly credentials: AwsCredentialSource;
  /** `eu-central-1`. */
  readonly region: string;
  /** Name of the service in signatures. */
  readonly service: string;
  /** Milliseconds since the epoch. Default: the clock of the runtime. */
  readonly now?: (() => number) | undefined;
}

const loadSigner = once(async () => (await import('aws4fetch')).AwsV4Signer);

/** Headers that proxies change or add; the signature covers all others. */
const NOT_SENT: ReadonlySet<string> = new Set(['host']);

/** Creates the signer of AWS's Signature Version 4, over the address, the headers and the body of a request. */
export function createAwsSigner({ credentials, region, service, now = Date.now }: AwsSigning): RequestSigner {
  return async ({ method, url, headers, body = '' }, hide) => {
    if (typeof body === 'function') throw new TypeError('a body in pieces cannot be signed');
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    hide(secretAccessKey);
    if (sessionToken !== undefined) hide(sessionToken);
    const Signer = await loadSigner();
    const signer = new Signer({
      method,
      url,
      headers: { ...headers },
      body: body as string,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service,
      region,
      datetime: new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
    return Object.fromEntries([...signed.headers].filter(([name]) => !NOT_SENT.has(name)));
  };
}

import type { RedisAddress } from './parse-redis-url.ts';

/** What an error of Redis means and what to do, by the code that begins it. `URL` stands for where its URL is set. */
const REPLIES: Readonly<Record<string, string>> = {
  WRONGPASS: 'refuses the user or the password: check them in URL',
  NOAUTH: 'asks for a password, and URL has none',
  NOPERM: 'does not let this user run a command that is needed: give it those on keys and channels of the gateway',
  READONLY: 'is a replica that takes no writes: URL has to lead to the primary',
  OOM: 'has no memory left: give it more than the 256 MB of the response cache',
  MISCONF: 'cannot save its data and takes no writes: its log says why, often a full disk',
  LOADING: 'is still loading its data',
  MASTERDOWN: 'is a replica without its master: URL has to lead to the primary',
  NOREPLICAS: 'has too few replicas to take writes',
  CLUSTERDOWN: 'belongs to a cluster that is down',
  BUSY: 'is busy with a script',
};

const IN_CLUSTER =
  'is a node of a Redis Cluster, which the gateway cannot use: URL has to lead to a Redis outside of one';

/** What a refusal means that is of one command, or says so by no code. By how it begins. */
const FURTHER_REPLIES: Readonly<Record<string, string>> = {
  WRONGTYPE: 'holds something else under a name of the gateway: give the gateway a database of its own',
  MOVED: IN_CLUSTER,
  ASK: IN_CLUSTER,
  CROSSSLOT: IN_CLUSTER,
  'ERR DB index': 'has no database of that number: change it in URL, or raise `databases` there',
  'ERR max number of clients': 'has no connection left: raise its maxclients',
};

const UNTRUSTED = 'has a certificate that is not trusted here: name its authority in NODE_EXTRA_CA_CERTS';
const NOT_NOW = 'has a certificate that is not valid at this time: renew it, or set the clock of this machine right';

/** What an error of the network means. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: nothing listens there; check that it runs, and the host and port in URL',
  ENOTFOUND: 'cannot be reached: there is no host of that name; check URL',
  EAI_AGAIN: 'cannot be reached: the name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'cannot be reached: there is no way to that host',
  ENETUNREACH: 'cannot be reached: there is no way to that network',
  ETIMEDOUT: 'cannot be reached: no response in time',
  ECONNRESET: 'has closed the connection',
  EPIPE: 'has closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: NOT_NOW,
  CERT_NOT_YET_VALID: NOT_NOW,
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate of another name: write the host in URL as the certificate has it',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not respond with TLS',
};

/** By the name of the error's class, where it has no code. */
const CLIENT: Readonly<Record<string, string>> = {
  ConnectionTimeoutError: 'cannot be reached: no response in time',
  SocketTimeoutError: 'does not respond',
  SocketClosedUnexpectedlyError: 'has closed the connection',
  ClientClosedError: 'is not connected any more',
  ClientOfflineError: 'is not connected',
};

/** What a server without TLS does of a connection that begins with it, and one with TLS of a connection without. */
const MAY_LACK_TLS = /has closed the connection|no response in time|respond with TLS/;
const MAY_TAKE_TLS = /has closed the connection/;

/** The code that begins the replies of Redis by which it refuses a command; undefined for other errors. */
export function replyCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? /^[A-Z]{2,}(?= |$)/.exec(error.message)?.[0] : undefined;
  return code !== undefined && code in REPLIES ? code : undefined;
}

/**
 * Says in a sentence what is wrong with a Redis, and what to do. Never shows its password. Whether TLS is the matter is
 * guessed, but not of a Redis that this process was connected to before.
 */
export function describeRedisError(error: unknown, address: RedisAddress, wasConnected = false): string {
  const { place, urlName, isTls } = address;
  const what = explain(error, address);
  if (wasConnected || !(isTls ? MAY_LACK_TLS : MAY_TAKE_TLS).test(what)) return `Redis at ${place} ${what}`;
  const hint = isTls
    ? `if it has no TLS there, ${urlName} has to begin with redis://`
    : `if it takes TLS alone, ${urlName} has to begin with rediss://`;
  return `Redis at ${place} ${what}; ${hint}`;
}

function explain(error: unknown, { password, urlName }: RedisAddress): string {
  const known = findMeaning(error);
  if (known !== undefined) return known.replaceAll('URL', urlName);
  if (!(error instanceof Error)) return 'has failed';
  const shown = password === undefined ? error.message : error.message.replaceAll(password, '[password]');
  // One line of what it says, as it may be anything.
  return `has failed: ${(shown.split('\n')[0] ?? '').slice(0, 200)}`;
}

function findMeaning(error: unknown): string | undefined {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const reply = replyCodeOf(first);
  if (reply !== undefined) return REPLIES[reply];
  if (!(first instanceof Error)) return undefined;
  const further = Object.keys(FURTHER_REPLIES).find((begin) => first.message.startsWith(begin));
  if (further !== undefined) return FURTHER_REPLIES[further];
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  return NETWORK[code] ?? CLIENT[first.constructor.name];
}

import type { RedisAddress } from './parse-redis-url.ts';

/** What an error of Redis means and what to do, by the code that begins it. */
const REPLIES: Readonly<Record<string, string>> = {
  WRONGPASS: 'refuses the user or the password',
  NOAUTH: 'asks for a password, and the address has none',
  NOPERM: 'does not let this user run a command that is needed',
  READONLY: 'is a replica that takes no writes',
  OOM: 'has no memory left; give it more, or a policy by which it evicts',
  MISCONF: 'cannot save its data and takes no writes',
  LOADING: 'is still loading its data',
  MASTERDOWN: 'is a replica without its master',
  NOREPLICAS: 'has too few replicas to take writes',
  CLUSTERDOWN: 'belongs to a cluster that is down',
  BUSY: 'is busy with a script',
};

/** What a refusal means that is of one command, or says so by no code. By how it begins. */
const FURTHER_REPLIES: Readonly<Record<string, string>> = {
  WRONGTYPE: 'holds something else under a name of the gateway: give the gateway a database of its own',
  'ERR DB index': 'has no database of that number: change it in the address, or raise `databases` there',
};

const UNTRUSTED = 'has a certificate that is not trusted here: name its authority in NODE_EXTRA_CA_CERTS';

/** What an error of the network means. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: nothing listens there',
  ENOTFOUND: 'cannot be reached: there is no host of that name',
  EAI_AGAIN: 'cannot be reached: the name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'cannot be reached: there is no way to that host',
  ENETUNREACH: 'cannot be reached: there is no way to that network',
  ETIMEDOUT: 'cannot be reached: no response in time',
  ECONNRESET: 'has closed the connection',
  EPIPE: 'has closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/** By the name of the error's class, where it has no code. */
const CLIENT: Readonly<Record<string, string>> = {
  ConnectionTimeoutError: 'cannot be reached: no response in time',
  SocketTimeoutError: 'does not respond',
  SocketClosedUnexpectedlyError: 'has closed the connection',
  ClientClosedError: 'is not connected any more',
  ClientOfflineError: 'is not connected',
};

/** The code that begins the replies of Redis by which it refuses a command; undefined for other errors. */
export function replyCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? /^[A-Z]{2,}(?= |$)/.exec(error.message)?.[0] : undefined;
  return code !== undefined && code in REPLIES ? code : undefined;
}

/** Says in a sentence what is wrong with a Redis. Never shows its password. */
export function describeRedisError(error: unknown, { place, password }: RedisAddress): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const reply = replyCodeOf(first);
  if (reply !== undefined) return `Redis at ${place} ${REPLIES[reply]}`;
  if (!(first instanceof Error)) return `Redis at ${place} has failed`;
  const further = Object.keys(FURTHER_REPLIES).find((begin) => first.message.startsWith(begin));
  if (further !== undefined) return `Redis at ${place} ${FURTHER_REPLIES[further]}`;
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  const known = NETWORK[code] ?? CLIENT[first.constructor.name];
  if (known !== undefined) return `Redis at ${place} ${known}`;
  // One line of what it says, as it may be anything.
  const said = (first.message.split('\n')[0] ?? '').slice(0, 200);
  return `Redis at ${place} has failed: ${password === undefined ? said : said.replaceAll(password, '[password]')}`;
}

/** Where a Redis is and how to sign in there. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** Host and port, for messages. */
  readonly place: string;
}

const DEFAULT_PORT = 6379;
const FORM = 'redis://[user:password@]host[:port][/database], or rediss:// for TLS';

/** Reads the URL of a Redis. Throws `RangeError` for any other text, without repeating it: it may hold a password. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.parse(text);
  if (url === null) throw new RangeError(`The address of Redis is no URL; it must be ${FORM}`);
  const { protocol, hostname, port, username, password, pathname } = url;
  if (protocol !== 'redis:' && protocol !== 'rediss:') {
    throw new RangeError(`The address of Redis begins with ${protocol}//; it must be ${FORM}`);
  }
  const database = pathname.replace(/^\//, '');
  if (hostname === '') throw new RangeError(`The address of Redis has no host; it must be ${FORM}`);
  if (!/^\d{0,5}$/.test(database)) throw new RangeError('The database in the address of Redis must be a number');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const portNumber = port === '' ? DEFAULT_PORT : Number(port);
  return {
    host,
    port: portNumber,
    isTls: protocol === 'rediss:',
    username: decode(username),
    password: decode(password),
    database: Number(database),
    place: `${hostname}:${portNumber}`,
  };
}

function decode(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('The user or the password in the address of Redis has a % that stands for no character');
  }
}

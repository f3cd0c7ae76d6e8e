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
  /** What its URL is called where it is set, as in `shared.url`. */
  readonly urlName: string;
}

/** The URL of a Redis is not one. Its message is a sentence for the operator. */
export class RedisUrlError extends RangeError {
  override readonly name = 'RedisUrlError';
}

const DEFAULT_PORT = 6379;
const FORM = 'redis://[user:password@]host[:port][/database], or rediss:// for TLS';

/** Reads the URL of a Redis. Throws a `RedisUrlError` for any other text, without repeating it: it may hold a password. */
export function parseRedisUrl(text: string, urlName = 'url'): RedisAddress {
  const refuse = (what: string): RedisUrlError => new RedisUrlError(`The address of Redis in ${urlName} ${what}`);
  const decode = (part: string): string | undefined => {
    if (part === '') return undefined;
    try {
      return decodeURIComponent(part);
    } catch {
      throw refuse(
        'has a % in the user or the password that is not part of a percent-encoded character: write %25 for the character',
      );
    }
  };
  const url = URL.parse(text);
  if (url === null) throw refuse(`is not a URL; it must be ${FORM}`);
  const { protocol, hostname, port, username, password, pathname } = url;
  if (protocol !== 'redis:' && protocol !== 'rediss:') throw refuse(`begins with ${protocol}//; it must be ${FORM}`);
  if (hostname === '') throw refuse(`has no host; it must be ${FORM}`);
  const database = pathname.replace(/^\//, '');
  if (!/^\d{0,5}$/.test(database)) throw refuse('has a database that is not a number');
  const portNumber = port === '' ? DEFAULT_PORT : Number(port);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: portNumber,
    isTls: protocol === 'rediss:',
    username: decode(username),
    password: decode(password),
    database: Number(database),
    place: `${hostname}:${portNumber}`,
    urlName,
  };
}

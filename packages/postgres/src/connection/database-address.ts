/** Where a database is, without its password: for messages. */
export interface DatabaseAddress {
  /** As in `db.example.com:5432`. */
  readonly host: string;
  readonly database: string;
  readonly user: string;
  /** What its URL is called where it is set, as in `store.url`. */
  readonly urlName: string;
}

/** The URL of a database is not one. Trying again does not help. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** Reads the URL of a PostgreSQL database. Throws a `DatabaseUrlError` that names where it is, and does not repeat it. */
export function toDatabaseAddress(url: string, urlName = 'url'): DatabaseAddress {
  if (!URL.canParse(url)) {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} cannot be read: it has to look like ${FORM}, with special characters of the password ` +
        'percent-encoded',
    );
  }
  const { protocol, hostname, port, pathname, username, password, searchParams } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} begins with ${protocol}//: it has to look like ${FORM}`,
    );
  }
  const host = hostname === '' ? (searchParams.get('host') ?? 'localhost') : hostname;
  const user = decode(username, urlName);
  decode(password, urlName);
  return {
    host: host.startsWith('/') ? host : `${host}:${port === '' ? '5432' : port}`,
    database: decode(pathname.slice(1), urlName) || user,
    user,
    urlName,
  };
}

/**
 * The URL as `pg` is given it. What it takes each of these modes for today is named, because it warns that a later version
 * of it will take them for less.
 */
export const toConnectionString = (url: string): string =>
  /[?&]uselibpqcompat=true(?=&|$)/.test(url)
    ? url
    : url.replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full');

function decode(text: string, urlName: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} has a % that begins no percent-encoded character: write %25 for the ` +
        'character itself',
    );
  }
}

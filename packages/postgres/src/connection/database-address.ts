/** Where a database is, without its password: for messages. */
export interface DatabaseAddress {
  /** As in `db.example.com:5432`. */
  readonly host: string;
  readonly database: string;
  readonly user: string;
}

/** The URL of a database is not one. Trying again does not help. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** Reads the URL of a PostgreSQL database. Throws a `DatabaseUrlError` that does not repeat it. */
export function toDatabaseAddress(url: string): DatabaseAddress {
  if (!URL.canParse(url)) {
    throw new DatabaseUrlError(
      `The URL of the database cannot be read: it has to look like ${FORM}, with special characters of the password ` +
        'percent-encoded',
    );
  }
  const { protocol, hostname, port, pathname, username, password, searchParams } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new DatabaseUrlError(`The URL of the database begins with ${protocol}//: it has to look like ${FORM}`);
  }
  const host = hostname === '' ? (searchParams.get('host') ?? 'localhost') : hostname;
  const user = decode(username);
  decode(password);
  return {
    host: host.startsWith('/') ? host : `${host}:${port === '' ? '5432' : port}`,
    database: decode(pathname.slice(1)) || user,
    user,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(
      'The URL of the database has a % that begins no percent-encoded character: write %25 for the character itself',
    );
  }
}

import { GatewayError } from '@model-gateway/core';

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

const URL_FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** Reads the URL of a PostgreSQL database. Throws a `DatabaseUrlError` that names where it is, and does not repeat it. */
export function toDatabaseAddress(url: string, urlName = 'url'): DatabaseAddress {
  if (!URL.canParse(url)) {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} cannot be read: it has to look like ${URL_FORM}, with special characters of the password ` +
        'percent-encoded',
    );
  }
  const { protocol, hostname, port, pathname, username, password, searchParams } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} begins with ${protocol}//: it has to look like ${URL_FORM}`,
    );
  }
  const host = hostname === '' ? (searchParams.get('host') ?? 'localhost') : hostname;
  const user = decodeUrlPart(username, urlName);
  decodeUrlPart(password, urlName);
  return {
    host: host.startsWith('/') ? host : `${host}:${port === '' ? '5432' : port}`,
    database: decodeUrlPart(pathname.slice(1), urlName) || user,
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

function decodeUrlPart(text: string, urlName: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(
      `The address of PostgreSQL in ${urlName} has a % that begins no percent-encoded character: write %25 for the ` +
        'character itself',
    );
  }
}

/** A newer version of the gateway has changed the tables. Trying again does not help. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(unknown: readonly string[]) {
    super(
      `The database was migrated by a newer version of the gateway (${unknown.join(', ')}): ` +
        'update this one, or use another database',
    );
  }
}

/** A version before the first release has made the tables. Trying again does not help. */
export class FormerSchemaError extends Error {
  override readonly name = 'FormerSchemaError';

  constructor() {
    super(
      'The database has the tables of a version before the first release, which this one does not read: copy it into a ' +
        'directory with that version (model-gateway export --to DIR --config FILE), name another, empty database in the ' +
        'config file, and bring the directory into that with this version (model-gateway import --from DIR --config FILE)',
    );
  }
}

/** A database cannot be used. The message is one sentence for operators, without a password. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
  /** Trying again cannot help until something has been changed. */
  readonly isPermanent: boolean;

  constructor(message: string, options: { readonly isPermanent: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.isPermanent = options.isPermanent;
  }
}

/** What went wrong with a database. */
interface DatabaseFailure {
  /** What was wrong and what to do, in one sentence for operators. It holds no password. */
  readonly message: string;
  /** Trying again cannot help until something has been changed. */
  readonly isPermanent: boolean;
}

/** PostgreSQL's code of an error (`28P01`), or the system's (`ECONNREFUSED`); empty without one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof GatewayError) return codeOf(error.cause);
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return error.errors.map(codeOf).find((code) => code !== '') ?? '';
  return codeOf(error.cause);
}

/** Says what was wrong with a database and what to do. */
export function describeDatabaseError(error: unknown, address: DatabaseAddress): DatabaseFailure {
  if (error instanceof DatabaseUrlError || error instanceof NewerSchemaError || error instanceof FormerSchemaError)
    return { message: error.message, isPermanent: true };
  const { host, database, user, urlName } = address;
  const at = `PostgreSQL at ${host}`;
  const code = codeOf(error);
  const said = databaseMessageOf(error);
  const permanent = (message: string): DatabaseFailure => ({ message, isPermanent: true });
  const passing = (message: string): DatabaseFailure => ({ message, isPermanent: false });

  if (code === '28P01') return permanent(`${at} refused the password of the user "${user}": check it in ${urlName}`);
  if (code === '28000')
    return permanent(
      `${at} does not let the user "${user}" in (${said}): check pg_hba.conf${NO_ENCRYPTION.test(said) ? `, or add sslmode=require to ${urlName}` : ''}`,
    );
  if (/password must be a (non-empty )?string/.test(said))
    return permanent(`${at} asks for a password of the user "${user}": ${urlName} has none`);
  if (code === '3D000')
    return permanent(`${at} has no database "${database}": create it (createdb ${database}), or change ${urlName}`);
  if (code === '42501')
    return permanent(
      `The user "${user}" lacks a right in the database "${database}" of ${at} (${said}): grant it, ` +
        'or let its owner run the migrations',
    );
  if (/does not support SSL/.test(said))
    return permanent(
      `${at} offers no encryption, which ${urlName} asks for: remove sslmode there, or set up TLS at the server`,
    );
  const certificate = describeCertificateError(code, urlName);
  if (certificate !== undefined) return permanent(`${at} has a certificate ${certificate}`);
  const file = missingFileOf(error);
  if (file !== undefined) return permanent(`The file ${file} cannot be read (${code}): ${urlName} names it for TLS`);
  if (/unsupported startup parameter/.test(said))
    return permanent(
      `${at} is a pooler that refuses settings (${said}): add statement_timeout and ` +
        'idle_in_transaction_session_timeout to its ignore_startup_parameters',
    );
  if (code === '53300') return passing(`${at} has no connection left: raise its max_connections, or lower the pools`);
  if (code === '25006')
    return passing(`${at} is read-only (a standby, or in failover): ${urlName} has to lead to the primary server`);
  if (code === '57P03') return passing(`${at} is starting up, shutting down or recovering: it takes no calls yet`);
  if (code === '57P01' || code === '57P02')
    return passing(`${at} has ended the connection: it shuts down, or an administrator ended it`);
  if (code.startsWith('53')) return passing(`${at} has run out of a resource (${said})`);
  if (isConnectionFailure(error))
    return passing(
      `${at} cannot be reached (${code || said}): check that it runs, and the host and port in ${urlName}`,
    );
  return passing(`${at} reported an error: ${said}`);
}

const NO_ENCRYPTION = /no encryption/;

/** What is wrong with the certificate of a server, and what to do. */
function describeCertificateError(code: string, urlName: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `of another name (${code}): write the host in ${urlName} as the certificate has it`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `that is not valid at this time (${code}): renew it, or set the clock of this machine right`;
  if (!/CERT|^UNABLE_TO_|SIGNATURE/.test(code)) return undefined;
  return (
    `that is not trusted here (${code}): name its authority by sslrootcert in ${urlName} or NODE_EXTRA_CA_CERTS, ` +
    'or give up checking it by sslmode=no-verify'
  );
}

/** The file that could not be read: the certificates that a URL names. */
function missingFileOf(error: unknown): string | undefined {
  const cause = error instanceof GatewayError ? error.cause : error;
  const isFile = cause instanceof Error && 'syscall' in cause && cause.syscall === 'open' && 'path' in cause;
  return isFile ? String(cause.path) : undefined;
}

/** Whether the connection is lost, was never made, or gave no sign of life in time: it cannot be used again. */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P0)/.test(code) || /^E[A-Z]{3,}/.test(code)) return true;
  return code === '' && /connection|connect|timeout|not queryable|discarded|socket/i.test(databaseMessageOf(error));
}

/** Whether a connection failed because there was no sign of life in time. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT' || /time ?out/i.test(databaseMessageOf(error));
}

/** Whether the same statement may succeed in a while, with nothing changed. */
function isPassing(error: unknown): boolean {
  // 40: serialization failure, deadlock; 53: out of resources; 55P03: lock not available; 57: ended by the operator;
  // 25006: read-only; 42P01, 3F000: not migrated yet.
  return isConnectionFailure(error) || /^(40|53|57|55P03|25006|42P01|3F000)/.test(codeOf(error));
}

/** Turns an error of the database into a 503 where it passes. Any other stays as it is. */
export function toStoreError(error: unknown): unknown {
  return isPassing(error) ? toUnavailableError(error) : error;
}

/** Turns whatever kept a connection from being made into a 503: no caller can help it, also where an operator has to. */
export function toUnavailableError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('provider_overloaded', 'The database of the gateway is not available; try again shortly', {
    cause: error,
    retryAfterSeconds: 1,
  });
}

function databaseMessageOf(error: unknown): string {
  if (error instanceof GatewayError && error.cause !== undefined) return databaseMessageOf(error.cause);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(databaseMessageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { type EngineServer, findFreePort, killProgram, startProgram } from './engine-server.ts';
import { findProgram } from './find-program.ts';
import { signalOne } from './signal-one.ts';
import { findUnprivilegedUser, type SystemUser } from './unprivileged-user.ts';

export interface PostgresServer extends EngineServer {
  /** Makes an empty database and returns its address. It is gone with the server. */
  createDatabase(): Promise<string>;
}

const LOOK_EVERY_MS = 20;

/** Starts a PostgreSQL of its own, in a new folder on loopback. The caller removes it. Throws where there is no program. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const path = findProgram('postgres');
  const initdb = findProgram('initdb');
  if (path === undefined || initdb === undefined) throw new Error('there is no PostgreSQL server on this machine');
  const user = findUnprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), 'gateway-pg-'));
  const password = randomBytes(12).toString('hex');
  const passwordFile = `${dir}.password`;
  writeFileSync(passwordFile, password);
  for (const file of [dir, passwordFile]) if (user !== undefined) chownSync(file, user.uid, user.gid);
  chmodSync(dir, 0o700);
  const words = ['-D', dir, '-U', 'gateway', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '-N'];
  execFileSync(initdb, [...words, '--locale=C'], { ...user, cwd: '/', env: { LC_ALL: 'C' }, stdio: 'pipe' });
  rmSync(passwordFile);

  const port = await findFreePort();
  return serveFolder({ path, user, dir, port, password, settings });
}

export interface PostgresStandby extends PostgresServer {
  /** Resolves when it has all that its primary has committed by now. */
  caughtUp(): Promise<void>;
  /** Cuts it off from its primary. */
  disconnect(): Promise<void>;
  /** Makes it a primary of its own. */
  promote(): Promise<void>;
}

/** Starts a standby of a server, with the same users. The caller removes it. */
export async function startStandby(primary: PostgresServer): Promise<PostgresStandby> {
  const path = findProgram('postgres');
  const copy = findProgram('pg_basebackup');
  if (path === undefined || copy === undefined) throw new Error('there is no PostgreSQL server on this machine');
  const user = findUnprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), 'gateway-pg-'));
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  chmodSync(dir, 0o700);
  const { password } = new URL(primary.url);
  execFileSync(copy, ['-D', dir, '-d', primary.url, '-R', '-c', 'fast'], { ...user, cwd: '/', stdio: 'pipe' });
  const standby = await serveFolder({ path, user, dir, port: await findFreePort(), password, settings: {} });
  const until = async (statement: string): Promise<void> => {
    while ((await runStatement(standby.url, statement)).length === 0) await delay(LOOK_EVERY_MS);
  };
  return {
    ...standby,
    async caughtUp() {
      const [row] = await runStatement(primary.url, 'select pg_current_wal_lsn()::text as at');
      const { at } = row as { readonly at: string };
      await until(`select 1 where pg_last_wal_replay_lsn() >= '${at}'::pg_lsn`);
    },
    async disconnect() {
      await runStatement(standby.url, "alter system set primary_conninfo = ''");
      await runStatement(standby.url, 'select pg_reload_conf()');
      await until('select 1 where not exists (select from pg_stat_wal_receiver)');
    },
    async promote() {
      await runStatement(standby.url, 'select pg_promote()');
    },
  };
}

interface ServedFolder {
  readonly path: string;
  readonly user: SystemUser | undefined;
  readonly dir: string;
  readonly port: number;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function serveFolder({ path, user, dir, port, password, settings }: ServedFolder): Promise<PostgresServer> {
  const url = `postgres://gateway:${password}@127.0.0.1:${port}/postgres`;
  const chosen = { max_connections: '300', shared_buffers: '64MB', fsync: 'off', ...settings };
  const args = ['-D', dir, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  for (const [name, value] of Object.entries(chosen)) args.push('-c', `${name}=${value}`);
  const program = { path, args, user, isUp: () => takesCommands(url) };
  let child: ChildProcess = await startProgram(program);
  return {
    url,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => killAll(child),
    pause: () => signalAll(child, 'SIGSTOP'),
    resume: () => signalAll(child, 'SIGCONT'),
    async start() {
      child = await startProgram(program);
    },
    createDatabase: () => withClient(url, (client) => createDatabase(client)),
    async remove() {
      await killAll(child);
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** A process a connection, of which each is in a group of its own. The first one starts no more of them once it has stopped. */
function signalAll(child: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  child.kill(signal);
  for (const pid of childrenOf(child)) signalOne(pid, signal);
}

/** Kills the processes of connections too: they would do what they are asked for a moment after the first one is gone. */
async function killAll(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    signalAll(child, 'SIGSTOP');
    for (const pid of childrenOf(child)) signalOne(pid, 'SIGKILL');
  }
  await killProgram(child);
}

function childrenOf({ pid }: ChildProcess): readonly number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** A connection to a server, whose address it knows. */
export interface PostgresClient {
  readonly url: string;
  run(statement: string): Promise<unknown[]>;
  end(): Promise<void>;
}

export async function openClient(url: string): Promise<PostgresClient> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  // A server that is killed ends the connection by an event, too.
  client.on('error', () => undefined);
  await client.connect();
  return {
    url,
    run: async (statement) => (await client.query<Record<string, unknown>>(statement)).rows,
    end: () => client.end(),
  };
}

/** From this version on, a server copies through its journal, which takes longer, unless it is told to copy files. */
const COPIES_BY_JOURNAL_SINCE = 150_000;

/** Makes an empty database, or a copy of one that nobody uses, and returns its address. */
export async function createDatabase(client: PostgresClient, template?: string): Promise<string> {
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  await client.run(`create database ${name} ${template === undefined ? '' : await toCopy(client, template)}`);
  return Object.assign(new URL(client.url), { pathname: `/${name}` }).href;
}

async function toCopy(client: PostgresClient, template: string): Promise<string> {
  const [row] = await client.run(`select current_setting('server_version_num')::int as version`);
  const { version } = row as { readonly version: number };
  return `template ${template}${version >= COPIES_BY_JOURNAL_SINCE ? ' strategy file_copy' : ''}`;
}

/** Drops a database, whoever uses it. */
export async function dropDatabase(client: PostgresClient, url: string): Promise<void> {
  await client.run(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
}

/** Does something on a connection of its own. */
export async function withClient<Result>(
  url: string,
  work: (client: PostgresClient) => Promise<Result>,
): Promise<Result> {
  const client = await openClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs one statement on a connection of its own. */
export async function runStatement(url: string, statement: string): Promise<unknown[]> {
  return withClient(url, (client) => client.run(statement));
}

async function takesCommands(url: string): Promise<boolean> {
  try {
    await runStatement(url, 'select 1');
    return true;
  } catch {
    return false;
  }
}

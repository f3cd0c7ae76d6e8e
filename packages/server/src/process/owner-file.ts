import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describeFileError, StartError } from './start-error.ts';

/** How other processes of this user reach the gateway that owns a data directory. */
export interface Owner {
  readonly pid: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** A management key, valid as long as the process runs. */
  readonly token: string;
}

/** Where a gateway in demo mode keeps its data, unless it is told otherwise. */
export const DEMO_DATA_DIR = 'data/demo';

const pathIn = (dataDir: string): string => join(dataDir, 'owner.json');

/**
 * Writes the owner of a data directory to a file that only its user can read. Replaces one that a crash has left. Throws
 * one clear line and leaves nothing when it cannot be written.
 */
export async function writeOwnerFile(dataDir: string, owner: Owner): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const path = pathIn(dataDir);
  const temporary = `${path}.${owner.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    // `wx`: the token must not be written to a file (or link) that another user has put there.
    await writeFile(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new StartError(`Cannot write ${path}: ${describeFileError(cause)}`, { cause });
  }
}

/**
 * Reads the owner of a data directory. Undefined when there is none, or when its process has ended. Throws `StartError`
 * where this user may not read it.
 */
export async function readOwnerFile(dataDir: string): Promise<Owner | undefined> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(pathIn(dataDir), 'utf8'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    throw new StartError(
      `This user may not read ${pathIn(dataDir)}, which says where its gateway runs. Run the command as the user of ` +
        'the gateway, or name the address of the gateway where the command takes --url.',
      { cause },
    );
  }
  return isOwner(parsed) && isAlive(parsed.pid) ? parsed : undefined;
}

const OWNER_TIMEOUT_MS = 10_000;

/** What an owner has answered. */
export interface Reply {
  readonly status: number;
  readonly body: object;
}

/** Asks an owner. Undefined without a response: it has just ended, or its PID now belongs to another program. */
export async function askOwner(
  { url, token }: Owner,
  method: string,
  path: string,
  body?: object,
  timeoutMs = OWNER_TIMEOUT_MS,
): Promise<Reply | undefined> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  return { status: response.status, body: (await response.json().catch(() => ({}))) as object };
}

/** Why an owner has not done what it was asked for. */
export function describeReply(reply: Reply | undefined): string {
  if (reply === undefined) return 'it does not respond';
  const { message } = (reply.body as { error?: { message?: unknown } }).error ?? {};
  return `${typeof message === 'string' ? message : 'no reason given'} (status ${reply.status})`;
}

/** Removes the file if it is still this owner's. */
export async function removeOwnerFile(dataDir: string, { token }: Owner): Promise<void> {
  const current = await readOwnerFile(dataDir);
  if (current?.token === token) await rm(pathIn(dataDir), { force: true });
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, url, token } = value as Record<string, unknown>;
  return Number.isSafeInteger(pid) && typeof url === 'string' && typeof token === 'string';
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only tests whether the process exists. EPERM means that it runs as another user.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

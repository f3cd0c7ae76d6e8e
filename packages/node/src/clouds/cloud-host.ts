import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { type Environment, readVariable } from '@model-gateway/core';

/** Where credentials of a cloud are looked for. */
export interface CloudHost {
  readonly env: Environment;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** A server of this machine or its network responds at once. */
const NEAR_LIMIT_MS = 2000;
const FAR_LIMIT_MS = 10_000;

/** Asks a server for credentials and returns its text. Rejects where it refuses, with nothing of what it said. */
export async function askForCredentials(
  what: string,
  url: string,
  { isNear = false, ...init }: RequestInit & { readonly isNear?: boolean } = {},
): Promise<string> {
  const signal = AbortSignal.timeout(isNear ? NEAR_LIMIT_MS : FAR_LIMIT_MS);
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal });
  } catch (cause) {
    throw new Error(`${what} did not respond`, { cause });
  }
  const text = await response.text();
  if (response.ok) return text;
  // AWS names the reason in a code, which holds no secret.
  const code = /<Code>(\w{1,80})<\/Code>/.exec(text)?.[1];
  throw new Error(`${what} refused (HTTP ${response.status}${code === undefined ? '' : `, ${code}`})`);
}

/** Reads a file of the user's home, `~/.aws/config`, or the one that a variable names; undefined where there is none. */
export async function readHomeFile(
  { env }: CloudHost,
  variable: string,
  path: readonly string[],
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const home = readVariable(env, 'HOME') ?? readVariable(env, 'USERPROFILE') ?? homedir();
  const named = readVariable(env, variable) ?? join(home, ...path);
  try {
    return { path: named, text: await readFile(named, 'utf8') };
  } catch {
    return undefined;
  }
}

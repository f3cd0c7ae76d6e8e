import { execFileSync } from 'node:child_process';
import process from 'node:process';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Whom PostgreSQL runs as, which refuses root; undefined where this process has a user of its own already. */
export function findUnprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: readId('-u', name), gid: readId('-g', name) };
    } catch {
      // The next one.
    }
  }
  throw new Error('This machine has no user other than root for PostgreSQL: add one named postgres');
}

const readId = (flag: string, name: string): number =>
  Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

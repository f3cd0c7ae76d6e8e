import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { onTestFinished } from 'vitest';

/** This machine's system with a layer over it: programs change the layer, and the machine stays as it is. */
export interface ScratchSystem {
  run(command: string, ...words: string[]): string;
  start(env: Readonly<Record<string, string>>, command: string, ...words: string[]): ChildProcess;
  /** Writes a file into the layer. Not while a program runs in it. */
  write(path: string, content: string): void;
  /** The files that the layer has and the machine lacks or has otherwise, as absolute paths. */
  changed(): string[];
}

/** Mounts the layer, and the kernel's folders in it, for one program alone. */
const ENTER = `set -e
layer=$1; shift
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$layer/root"
mount --rbind /proc "$layer/root/proc"
mount --rbind /dev "$layer/root/dev"
exec chroot "$layer/root" "$@"`;

/** Why there can be no such layer here; undefined when there can. */
export function findObstacleToScratch(): string | undefined {
  const layer = makeLayer();
  try {
    execFileSync('unshare', toWords(layer, 'true', []), { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs root and the right to mount an overlay over /';
  } finally {
    rmSync(layer, { recursive: true, force: true });
  }
}

/** The layer ends with the test. */
export function createScratchSystem(): ScratchSystem {
  const layer = makeLayer();
  onTestFinished(() => rmSync(layer, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const upper = join(layer, 'upper');
  return {
    run: (command, ...words) =>
      execFileSync('unshare', toWords(layer, command, words), { stdio: ['ignore', 'pipe', 'pipe'] }).toString(),
    start: (env, command, ...words) => spawn('unshare', toWords(layer, command, words), { env, stdio: 'ignore' }),
    write(path, content) {
      mkdirSync(dirname(join(upper, path)), { recursive: true });
      writeFileSync(join(upper, path), content);
    },
    changed() {
      const entries = readdirSync(upper, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
      return files.map(({ parentPath, name }) => `/${relative(upper, join(parentPath, name))}`).toSorted();
    },
  };
}

function makeLayer(): string {
  const layer = mkdtempSync(join(tmpdir(), 'scratch-system-'));
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(layer, name));
  return layer;
}

// Every program of the chain takes the place of the one before, so that a signal reaches the last.
const toWords = (layer: string, command: string, words: readonly string[]): string[] => [
  '--mount',
  'sh',
  '-c',
  ENTER,
  'sh',
  layer,
  command,
  ...words,
];

import { type FileSystem, nodeFileSystem } from '../../packages/node/src/stores/file-system.ts';

/** Calls that change something or can lose it; the others only look. */
const FAILING_CALLS = ['open', 'close', 'write', 'sync', 'truncate', 'rename', 'link', 'unlink'] as const;
type FailingCall = (typeof FAILING_CALLS)[number];

/** A file system that does as the real one until it is told to fail. */
export interface FaultyFileSystem extends FileSystem {
  /** How many calls that can fail there have been. */
  readonly calls: number;
  /** Fails the nth such call from now on (1 is the next), or with `only` the nth of that name, once. */
  failNth(nth: number, fault: Fault): void;
  /** Fails every such call of that name until `heal`. */
  failAll(only: FailingCall, fault: Fault): void;
  heal(): void;
}

/** How a call fails. A write with `writtenBytes` writes so many first; without `code` it then ends well, as `write` may. */
export interface Fault {
  readonly code?: string;
  readonly writtenBytes?: number;
  readonly only?: FailingCall;
}

/** Creates one over the file system of this machine. */
export function createFaultyFileSystem(): FaultyFileSystem {
  let calls = 0;
  let left = Number.POSITIVE_INFINITY;
  let fault: Fault = {};
  let isLasting = false;

  /** The fault that this call is to have, if any. */
  const next = (name: FailingCall): Fault | undefined => {
    calls += 1;
    if (fault.only !== undefined && fault.only !== name) return undefined;
    left -= 1;
    return left === 0 || (isLasting && left < 0) ? fault : undefined;
  };
  const failing =
    <Arguments extends unknown[], Result>(name: FailingCall, call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      const found = next(name);
      if (found?.code === undefined) return call(...given);
      // The system lets go of a descriptor even when closing reports a failure.
      if (name === 'close') await call(...given);
      throw toError(found.code, name);
    };
  const { open, close, write, sync, truncate, rename, link, unlink } = nodeFileSystem;

  return {
    ...nodeFileSystem,
    get calls() {
      return calls;
    },
    failNth(nth, given) {
      [left, fault, isLasting] = [nth, given, false];
    },
    failAll(only, given) {
      [left, fault, isLasting] = [1, { ...given, only }, true];
    },
    heal() {
      left = Number.POSITIVE_INFINITY;
      isLasting = false;
    },
    open: failing('open', open),
    close: failing('close', close),
    sync: failing('sync', sync),
    truncate: failing('truncate', truncate),
    rename: failing('rename', rename),
    link: failing('link', link),
    unlink: failing('unlink', unlink),
    async write(fd, buffer, offset, length, position) {
      const found = next('write');
      if (found === undefined) return write(fd, buffer, offset, length, position);
      const partial = Math.min(found.writtenBytes ?? 0, length);
      const count = partial === 0 ? 0 : await write(fd, buffer, offset, partial, position);
      if (found.code !== undefined) throw toError(found.code, 'write');
      return count;
    },
  };
}

function toError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: injected, ${name}`), { code });
}

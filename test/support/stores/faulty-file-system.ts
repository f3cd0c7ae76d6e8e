import { type FileSystem, nodeFileSystem } from '../../../packages/node/src/stores/files/file-system.ts';

/** Calls that change something or can lose it; the others only look and never fail here. */
export type FailingCall = 'open' | 'close' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'unlink';

/** How a call fails. A write stores `writtenBytes` first; without `code` it then ends well, as a short write does. */
export interface Fault {
  readonly code?: string;
  readonly writtenBytes?: number;
}

/** A file system that does as the real one until it is told to fail. */
export interface FaultyFileSystem extends FileSystem {
  /** How many calls that can fail there have been. */
  readonly calls: number;
  /** Their names, in order. */
  readonly names: readonly FailingCall[];
  /** Fails one call: 1 is the next, of any name or of `only` this one. */
  failNth(nth: number, fault: Fault, only?: FailingCall): void;
  /** Fails that call and all after it, as if the machine had stopped there. */
  failFrom(nth: number, fault: Fault): void;
  /** Fails every call of a name. */
  failAll(name: FailingCall, fault: Fault): void;
  /** Fails nothing any more. */
  heal(): void;
}

/** Creates one over the file system of this machine. */
export function createFaultyFileSystem(): FaultyFileSystem {
  const names: FailingCall[] = [];
  let countdown = 0;
  let counted:
    | { readonly fault: Fault; readonly only: FailingCall | undefined; readonly isLasting: boolean }
    | undefined;
  const always = new Map<FailingCall, Fault>();

  const faultOf = (name: FailingCall): Fault | undefined => {
    names.push(name);
    if (counted !== undefined && (counted.only ?? name) === name) {
      countdown -= 1;
      if (countdown === 0 || (countdown < 0 && counted.isLasting)) return counted.fault;
    }
    return always.get(name);
  };
  const failing =
    <Arguments extends unknown[], Result>(name: FailingCall, call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      const fault = faultOf(name);
      if (fault?.code === undefined) return call(...given);
      // The system lets go of a descriptor even when closing reports a failure.
      if (name === 'close') await call(...given);
      throw toError(fault.code, name);
    };
  const { open, close, write, truncate, rename, link, unlink } = nodeFileSystem;

  return {
    ...nodeFileSystem,
    get calls() {
      return names.length;
    },
    names,
    failNth(nth, fault, only) {
      [countdown, counted] = [nth, { fault, only, isLasting: false }];
    },
    failFrom(nth, fault) {
      [countdown, counted] = [nth, { fault, only: undefined, isLasting: true }];
    },
    failAll: (name, fault) => void always.set(name, fault),
    heal() {
      counted = undefined;
      always.clear();
    },
    open: failing('open', open),
    close: failing('close', close),
    // Counted, and failing when told to, but not waited for: no test pulls the plug.
    sync: failing('sync', async () => undefined),
    truncate: failing('truncate', truncate),
    rename: failing('rename', rename),
    link: failing('link', link),
    unlink: failing('unlink', unlink),
    async write(fd, buffer, offset, length, position) {
      const fault = faultOf('write');
      if (fault === undefined) return write(fd, buffer, offset, length, position);
      const partial = Math.min(fault.writtenBytes ?? 0, length);
      const count = partial === 0 ? 0 : await write(fd, buffer, offset, partial, position);
      if (fault.code !== undefined) throw toError(fault.code, 'write');
      return count;
    },
  };
}

function toError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: injected, ${name}`), { code });
}

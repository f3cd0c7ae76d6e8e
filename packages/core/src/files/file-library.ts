import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { createTurns } from '../foundation/queues.ts';
import { listOpenBatches } from '../stores/batches.ts';
import { listFilesOf, type StoredFile } from '../stores/files.ts';
import type { Store } from '../stores/store.ts';
import type { FileStorage, StoredFileContent } from './file-storage.ts';
import { createFileTypeFinder } from './file-type.ts';

export interface FileOptions {
  /** Owned by the caller. */
  readonly storage: FileStorage;
  /** The most bytes of one file. Default: 100 MiB. */
  readonly maxBytes?: number | undefined;
  /** The most bytes of all files of a workspace. Default: 10 GiB. */
  readonly maxWorkspaceBytes?: number | undefined;
  /** The most files of a workspace. Default: 10,000. */
  readonly maxWorkspaceFiles?: number | undefined;
  /** Whether uploaded files can be downloaded again, which the public API refuses. Default: no. */
  readonly downloadsUploads?: boolean | undefined;
  /** Seconds until a file is deleted whose upload names no time of its own; also results of batches. Default: null, never. */
  readonly retentionSeconds?: number | null | undefined;
}

const MIB = 1024 * 1024;
const DEFAULTS = { maxBytes: 100 * MIB, maxWorkspaceBytes: 10 * 1024 * MIB, maxWorkspaceFiles: 10_000 };

/** A content that has been stored for a file that is still to be made. */
export interface ReceivedContent {
  readonly content: string;
  readonly bytes: number;
  readonly mimeType: string;
}

/** A file to be made of a received content. */
export type NewFile = ReceivedContent &
  Pick<StoredFile, 'workspaceId' | 'filename' | 'purpose' | 'origin' | 'createdBy'> & {
    /** Seconds until it is deleted; null for those of the library. */
    readonly livesSeconds: number | null;
    /** Default: a random one. */
    readonly id?: string | undefined;
  };

/** The files of all workspaces. */
export interface FileLibrary {
  readonly maxBytes: number;
  /** Throws `invalid_request` where a workspace has no room for another file. */
  refuseWithoutRoom(workspaceId: string): Promise<void>;
  /**
   * Stores what comes in. Rejects with `invalid_request` for an empty file or one of another kind, and with
   * `payload_too_large` for one that is too large. `mimeType`: of what the gateway makes itself, which is not examined.
   */
  receive(pieces: AsyncIterable<Uint8Array>, mimeType?: string): Promise<ReceivedContent>;
  /** Makes a file. Rejects with `invalid_request` where its workspace has no room for it. */
  add(file: NewFile): Promise<StoredFile>;
  /** The files of a workspace, or of all of them (null), oldest first. */
  list(workspaceId: string | null): Promise<readonly StoredFile[]>;
  /** Rejects with `not_found` for a file that is not there, or not in this workspace (null: in any). */
  find(id: string, workspaceId: string | null): Promise<StoredFile>;
  /** The content of a file. Rejects with `not_found` where it has gone. */
  open(file: Pick<StoredFile, 'id' | 'content'>): Promise<StoredFileContent>;
  isDownloadable(file: Pick<StoredFile, 'origin'>): boolean;
  /** Rejects as `find`. */
  remove(id: string, workspaceId: string | null): Promise<void>;
  /** Deletes expired files, and contents that nothing refers to; now and once an hour. */
  start(): void;
  stop(): void;
}

interface LibraryParts {
  readonly store: Pick<Store, 'files' | 'batches'>;
  readonly platform: Platform;
  readonly logger: Logger;
}

const HOUR_MS = 60 * 60 * 1000;

/** Creates the library over the rows of a store and a storage of contents. */
export function createFileLibrary(options: FileOptions, { store, platform, logger }: LibraryParts): FileLibrary {
  const { storage } = options;
  const limits = {
    maxBytes: options.maxBytes ?? DEFAULTS.maxBytes,
    maxWorkspaceBytes: options.maxWorkspaceBytes ?? DEFAULTS.maxWorkspaceBytes,
    maxWorkspaceFiles: options.maxWorkspaceFiles ?? DEFAULTS.maxWorkspaceFiles,
  };
  // Two files that come at once must not both take the last room.
  const inTurn = createTurns();
  const isThere = ({ expiresAt }: StoredFile): boolean => expiresAt === null || Date.parse(expiresAt) > platform.now();
  const list = async (workspaceId: string | null): Promise<readonly StoredFile[]> =>
    (await (workspaceId === null ? store.files.list() : listFilesOf(workspaceId, store.files))).filter(isThere);
  const find = async (id: string, workspaceId: string | null): Promise<StoredFile> => {
    const file = await store.files.get(id);
    if (file === undefined || !isThere(file)) throw noFile(id);
    if (workspaceId !== null && file.workspaceId !== workspaceId) throw noFile(id);
    return file;
  };
  const refuseWithout = async (workspaceId: string, bytes: number): Promise<void> => {
    const files = await list(workspaceId);
    if (files.length >= limits.maxWorkspaceFiles) {
      throw noRoom(`the workspace has ${files.length} files, as many as it may have`);
    }
    const used = files.reduce((sum, file) => sum + file.bytes, 0);
    if (used + bytes > limits.maxWorkspaceBytes) {
      throw noRoom(`the files of the workspace may have ${limits.maxWorkspaceBytes} bytes together`);
    }
  };
  const sweep = async (): Promise<void> => {
    for (const file of await store.files.list()) if (!isThere(file)) await store.files.remove(file.id);
    const findUsed = async (): Promise<ReadonlySet<string>> => {
      const open = await listOpenBatches(store.batches);
      const contents = (await store.files.list()).map(({ content }) => content);
      return new Set([...contents, ...open.flatMap(({ inputContent }) => inputContent ?? [])]);
    };
    await storage.sweep(findUsed, platform.now() - HOUR_MS);
  };
  let cancelSweep = (): void => undefined;
  const sweepRepeatedly = (): void => {
    void sweep().catch((error: unknown) => logger.warn('old files could not be removed', { reason: String(error) }));
    cancelSweep = platform.setTimer(sweepRepeatedly, HOUR_MS);
  };

  return {
    maxBytes: limits.maxBytes,
    refuseWithoutRoom: (workspaceId) => refuseWithout(workspaceId, 1),
    async receive(pieces, mimeType) {
      const watched = watch(pieces, mimeType === undefined ? limits.maxBytes : Infinity, mimeType);
      const { name, bytes } = await storage.save(watched.pieces);
      return { content: name, bytes, mimeType: watched.mimeType() };
    },
    add: ({ livesSeconds: ownSeconds, ...file }) =>
      inTurn(async () => {
        if (file.origin === 'uploaded') await refuseWithout(file.workspaceId, file.bytes);
        const now = platform.now();
        const livesSeconds = ownSeconds ?? options.retentionSeconds ?? null;
        const added: StoredFile = {
          ...file,
          id: file.id ?? `or_file_${createRandomId(platform)}`,
          createdAt: new Date(now).toISOString(),
          expiresAt: livesSeconds === null ? null : new Date(now + livesSeconds * 1000).toISOString(),
        };
        await store.files.insert(added);
        return added;
      }),
    list,
    find,
    async open(file) {
      const content = await storage.find(file.content);
      if (content === undefined) throw noFile(file.id);
      return content;
    },
    isDownloadable: ({ origin }) => origin === 'generated' || options.downloadsUploads === true,
    async remove(id, workspaceId) {
      const file = await find(id, workspaceId);
      if (!(await store.files.remove(file.id))) throw noFile(id);
    },
    start() {
      if (platform.isPerRequest !== true) sweepRepeatedly();
    },
    stop: () => cancelSweep(),
  };
}

const noFile = (id: string): GatewayError => new GatewayError('not_found', `There is no file "${id.slice(0, 80)}"`);

const refuseFile = (message: string): GatewayError =>
  new GatewayError('invalid_request', `file: ${message}`, { metadata: { issues: [{ path: 'file', message }] } });

const noRoom = (reason: string): GatewayError => refuseFile(`there is no room for it: ${reason}; delete files first`);

interface Watched {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Once the pieces have ended. */
  mimeType(): string;
}

/** Counts the bytes on their way, and finds out what they are. What ends them early throws before anything is stored. */
function watch(source: AsyncIterable<Uint8Array>, maxBytes: number, known: string | undefined): Watched {
  const finder = createFileTypeFinder();
  let mimeType = known;
  return {
    pieces: {
      async *[Symbol.asyncIterator]() {
        let bytes = 0;
        for await (const piece of source) {
          bytes += piece.byteLength;
          if (bytes > maxBytes)
            throw new GatewayError('payload_too_large', `The file is larger than ${maxBytes} bytes`);
          if (known === undefined) finder.take(piece);
          yield piece;
        }
        if (known !== undefined) return;
        if (bytes === 0) throw refuseFile('must not be empty');
        mimeType = finder.end();
      },
    },
    mimeType: () => mimeType ?? 'application/octet-stream',
  };
}

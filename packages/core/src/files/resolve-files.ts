import type { Awaitable } from '../foundation/awaitable.ts';
import { whenNotFound } from '../foundation/errors.ts';
import type { Principal } from '../http/request.ts';
import type { StoredFile } from '../stores/files.ts';
import { refuseField } from '../wire/fields.ts';
import type { FileLibrary } from './file-library.ts';
import { type FilePart, findFilePart, type FileText, withContent } from './file-parts.ts';

/**
 * Puts the contents of stored files in the place of their ids in the body of a chat, in any of its formats. Returns the
 * body itself where it names no file of the gateway: ids of others are for upstream. Rejects with `invalid_request` for a
 * file that is not there, or not of the caller's workspace.
 */
export type ResolveFiles = (body: unknown, principal: Principal) => Awaitable<unknown>;

/** Maximum size of all files of one request, which stay in memory while it lasts. */
export const MAX_REQUEST_FILES_BYTES = 32 * 1024 * 1024;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Creates the function over a library. `defaultWorkspaceId`: of callers whose key names none. */
export function createFileResolver(library: FileLibrary, defaultWorkspaceId: string): ResolveFiles {
  return (body, principal) => {
    if (!isObject(body)) return body;
    const member = Array.isArray(body['messages']) ? 'messages' : 'input';
    const turns = body[member];
    if (!Array.isArray(turns) || !turns.some(hasFiles)) return body;
    const reading = createReading(library, principal.workspaceId ?? defaultWorkspaceId);
    return inOrder(turns, (turn, index) => resolveTurn(turn, `${member}.${index}`, reading)).then((resolved) => ({
      ...body,
      [member]: resolved,
    }));
  };
}

/** Where a message, or the result of a tool, has its parts. */
const LISTS = ['content', 'output'] as const;

/** Every chat is looked at, so this reads nothing twice and makes nothing. */
function hasFiles(turn: unknown): boolean {
  return isObject(turn) && (isAnyFile(turn['content']) || isAnyFile(turn['output']));
}

function isAnyFile(parts: unknown): boolean {
  if (!Array.isArray(parts)) return false;
  for (const part of parts as readonly unknown[]) {
    if (findFilePart(part) !== null || (isObject(part) && part['type'] === 'tool_result' && hasFiles(part)))
      return true;
  }
  return false;
}

async function resolveTurn(turn: unknown, path: string, reading: Reading): Promise<unknown> {
  if (!isObject(turn) || !hasFiles(turn)) return turn;
  const resolved: Record<string, unknown> = { ...turn };
  for (const list of LISTS) {
    const parts = turn[list];
    if (!Array.isArray(parts)) continue;
    resolved[list] = await inOrder(parts, async (part, index) => {
      const place = `${path}.${list}.${index}`;
      const found = findFilePart(part);
      return found === null ? resolveTurn(part, place, reading) : reading.resolve(found, `${place}.${found.idPath}`);
    });
  }
  return resolved;
}

/** One after the other, so that the limit holds for all of them. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  change: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const changed: Result[] = [];
  for (const [index, item] of items.entries()) changed.push(await change(item, index));
  return changed;
}

interface Reading {
  resolve(part: FilePart, path: string): Promise<unknown>;
}

function createReading(library: FileLibrary, workspaceId: string): Reading {
  const read = new Map<string, FileText>();
  let left = MAX_REQUEST_FILES_BYTES;
  const readOnce = async (file: StoredFile, path: string): Promise<FileText> => {
    const known = read.get(file.id);
    if (known !== undefined) return known;
    left -= file.bytes;
    if (left < 0)
      throw refuseField(
        path,
        `is too large: files of one request have ${MAX_REQUEST_FILES_BYTES} bytes together at most`,
      );
    const { read: open } = await library.open(file);
    const text = await (/^text\/|json$/.test(file.mimeType) ? toText(open()) : toBase64(open()));
    const content = { mimeType: file.mimeType, filename: file.filename, text };
    read.set(file.id, content);
    return content;
  };
  return {
    async resolve(part, path) {
      const file = await library.find(part.fileId, workspaceId).catch(
        whenNotFound((error) => {
          throw refuseField(path, 'is not the id of a file of this workspace', error);
        }),
      );
      return withContent(part, await readOnce(file, path), path);
    },
  };
}

async function toText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/**
 * Finds a stored file that a request names. Rejects with `invalid_request` at `path` for one that is not there, or not of
 * this workspace, and where no files are stored.
 */
export async function findNamedFile(
  files: FileLibrary | null,
  id: string,
  workspaceId: string,
  path: string,
): Promise<{ readonly file: StoredFile; readonly read: () => AsyncIterable<Uint8Array> }> {
  if (files === null) throw refuseField(path, 'is not available: this gateway stores no files');
  const refuse = whenNotFound((error): never => {
    throw refuseField(path, 'is not the id of a file of this workspace', error);
  });
  const file = await files.find(id, workspaceId).catch(refuse);
  const { read } = await files.open(file).catch(refuse);
  return { file, read };
}

/** Characters of a call with as many arguments. A multiple of three, so that pieces can be put together. */
const ENCODED_BYTES = 3 * 8192;

export async function toBase64(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  const held = new Uint8Array(ENCODED_BYTES);
  let size = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + ENCODED_BYTES - size);
      held.set(part, size);
      size += part.length;
      at += part.length;
      if (size < ENCODED_BYTES) continue;
      text += btoa(String.fromCharCode(...held));
      size = 0;
    }
  }
  return text + btoa(String.fromCharCode(...held.subarray(0, size)));
}

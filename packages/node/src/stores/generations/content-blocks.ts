import { hash } from 'node:crypto';
import { join } from 'node:path';

import { type PutBlock, referencesIn, withReferences } from '@model-gateway/core';

import { type FileSystem, ifThere, OPEN, readFully, withFile } from '../files/file-system.ts';
import { recordOf } from '../log/record-line.ts';
import { forEachLine } from '../log/recover-log.ts';
import { type GenerationBatch, putContent } from './generation-segments.ts';

/**
 * Blocks of contents: messages, tools and long texts, each a line of the content file whose contents refer to it
 * (docs/decisions/0061). A file needs no other, so that retention drops both together.
 */

/** Of a hash of 256 bits: enough that no two blocks of a file share a name. */
const NAME_LENGTH = 22;

/** Writes the blocks of contents in front of them. */
export interface BlockWriter {
  /** Adds those that the file does not have to a batch. `owner` shares them with no other: the workspace. */
  putInto(batch: GenerationBatch, owner: string): PutBlock;
  /** What was added to the last batch is written. */
  commit(): void;
}

/** Creates a writer. It knows what it has written to the present file; after a start, a file gets its blocks again. */
export function createBlockWriter(): BlockWriter {
  let file = '';
  let written = new Map<string, string>();
  /** A batch that is not written leaves nothing to refer to. */
  let batch: GenerationBatch | undefined;
  let added = new Map<string, string>();
  return {
    putInto(lines, owner) {
      const { contentFile } = lines.segment;
      if (contentFile !== file) {
        file = contentFile;
        written = new Map();
      }
      if (lines !== batch) {
        batch = lines;
        added = new Map();
      }
      return (json) => {
        const name = hash('sha256', `${owner}\n${json}`, 'base64url').slice(0, NAME_LENGTH);
        const known = written.get(name) ?? added.get(name);
        if (known !== undefined) return known;
        const reference = toReference(name, putContent(lines, blockHead(name), json, '}'));
        added.set(name, reference);
        return reference;
      };
    },
    commit() {
      for (const [name, reference] of added) written.set(name, reference);
      added = new Map();
    },
  };
}

interface BlockPlace {
  readonly offset: number;
  /** Bytes of the line, its newline not counted. */
  readonly length: number;
}

/** A reference names its block, and where it is: a reader needs no index, and a wrong place is noticed. */
const toReference = (name: string, { offset, length }: BlockPlace): string =>
  `${name}.${offset.toString(36)}.${length.toString(36)}`;

const nameOf = (reference: string): string => reference.slice(0, NAME_LENGTH);

function placeOf(reference: string): BlockPlace {
  const [, offset = '', length = ''] = reference.split('.');
  return { offset: parseInt(offset, 36), length: parseInt(length, 36) };
}

const blockHead = (name: string): string => `{"block":"${name}","value":`;

/** The JSON of a block in the record of its line; undefined for any other record. */
function blockIn(record: Buffer, name: string): string | undefined {
  const text = record.toString();
  const head = blockHead(name);
  return text.startsWith(head) ? text.slice(head.length, -1) : undefined;
}

interface BlockFile {
  readonly files: FileSystem;
  readonly logsPath: string;
  readonly file: string;
}

/** The JSON of blocks by their references. */
export type Blocks = ReadonlyMap<string, string>;

/**
 * Reads the blocks of a packed content, and those of the blocks. Undefined when one is not there. Where places are wrong
 * (converted line ends), it searches the file.
 */
export async function readBlocks(from: BlockFile, json: string): Promise<Blocks | undefined> {
  const blocks = new Map<string, string>();
  let places: ReadonlyMap<string, BlockPlace> | undefined;
  for (let wanted = new Set(referencesIn(json)); wanted.size > 0;) {
    let found = await readAll(from, [...wanted], places);
    if (found.size < wanted.size && places === undefined) {
      places = await findBlocks(from);
      found = await readAll(from, [...wanted], places);
    }
    if (found.size < wanted.size) return undefined;
    wanted = new Set();
    for (const [reference, block] of found) {
      blocks.set(reference, block);
      for (const inner of referencesIn(block)) if (!blocks.has(inner)) wanted.add(inner);
    }
    for (const reference of blocks.keys()) wanted.delete(reference);
  }
  return blocks;
}

/** Blocks that are nearer to each other are read together: to read is quicker than to ask again. */
const NEAR_BYTES = 16 * 1024;
const MOST_READ_BYTES = 1024 * 1024;

interface Wanted extends BlockPlace {
  readonly reference: string;
}

async function readAll(
  { files, logsPath, file }: BlockFile,
  references: readonly string[],
  places: ReadonlyMap<string, BlockPlace> | undefined,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const wanted = references
    .map((reference): Wanted => ({ reference, ...(places?.get(nameOf(reference)) ?? placeOf(reference)) }))
    .toSorted((one, other) => one.offset - other.offset);
  const readGroups = async (fd: number): Promise<void> => {
    for (const group of groupNear(wanted)) {
      const start = group[0]?.offset ?? 0;
      const bytes = Buffer.allocUnsafe(Math.max(...group.map(endOf)) - start);
      const count = await readFully(files, fd, bytes, start);
      for (const { reference, offset, length } of group) {
        const line = bytes.subarray(offset - start, offset - start + length);
        const record = offset - start + length <= count ? recordOf(line) : undefined;
        const block = record && blockIn(record, nameOf(reference));
        if (block !== undefined) found.set(reference, block);
      }
    }
  };
  await ifThere(withFile(files, join(logsPath, file), OPEN.read, readGroups));
  return found;
}

const endOf = ({ offset, length }: BlockPlace): number => offset + length;

function groupNear(sorted: readonly Wanted[]): Wanted[][] {
  const groups: Wanted[][] = [];
  let last: Wanted[] | undefined;
  for (const each of sorted) {
    const first = last?.[0];
    const before = last?.at(-1);
    const isNear =
      first !== undefined &&
      before !== undefined &&
      each.offset - endOf(before) < NEAR_BYTES &&
      endOf(each) - first.offset < MOST_READ_BYTES;
    if (isNear) last?.push(each);
    else groups.push((last = [each]));
  }
  return groups;
}

/** Where the blocks of a file are, by their names. */
async function findBlocks({ files, logsPath, file }: BlockFile): Promise<Map<string, BlockPlace>> {
  const places = new Map<string, BlockPlace>();
  const head = blockHead('');
  const nameAt = head.indexOf('""') + 1;
  await ifThere(
    forEachLine(files, join(logsPath, file), (line, offset) => {
      const record = recordOf(line);
      if (record?.toString('latin1', 0, nameAt) !== head.slice(0, nameAt)) return;
      places.set(record.toString('latin1', nameAt, nameAt + NAME_LENGTH), { offset, length: line.length });
    }),
  );
  return places;
}

/** Copies the blocks of packed contents to another file, each once. */
export interface BlockCopier {
  /** Writes the blocks of a content that are not there yet; returns its JSON with their new references. */
  copy(json: string, blocks: Blocks): Promise<string>;
}

/** `write` writes the record of a line, and returns its place. */
export function createBlockCopier(write: (record: string) => Promise<BlockPlace>): BlockCopier {
  const copied = new Map<string, string>();
  const copy = async (json: string, blocks: Blocks): Promise<string> => {
    for (const reference of referencesIn(json)) {
      if (copied.has(reference)) continue;
      const block = await copy(blocks.get(reference) ?? 'null', blocks);
      const name = nameOf(reference);
      copied.set(reference, toReference(name, await write(`${blockHead(name)}${block}}`)));
    }
    return withReferences(json, (reference) => copied.get(reference) ?? reference);
  };
  return { copy };
}

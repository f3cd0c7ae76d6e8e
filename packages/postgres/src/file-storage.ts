import { randomUUID } from 'node:crypto';

import type { FileStorage } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import type { Database } from './database.ts';

/** Size of one row: small enough for the memory of both sides, large enough that a file is a few hundred rows. */
const CHUNK_BYTES = 512 * 1024;

/** Stores the contents of files as chunks in the database, so that every instance has them. */
export function createDatabaseFileStorage(database: Kysely<Database>): FileStorage {
  const insertChunk = async (content_name: string, number: number, data: Buffer): Promise<void> => {
    await database.insertInto('file_chunks').values({ content_name, number, data }).execute();
  };
  const remove = async (names: readonly string[]): Promise<void> => {
    await database.deleteFrom('file_contents').where('name', 'in', names).execute();
  };
  return {
    async save(pieces) {
      const name = randomUUID();
      let bytes = 0;
      let number = 0;
      await database.insertInto('file_contents').values({ name }).execute();
      try {
        for await (const chunk of toChunks(pieces)) {
          await insertChunk(name, number, chunk);
          bytes += chunk.length;
          number += 1;
        }
        // What a process that died has left is never whole.
        await database
          .updateTable('file_contents')
          .set({ bytes, saved_at: sql<Date>`clock_timestamp()` })
          .where('name', '=', name)
          .execute();
      } catch (error) {
        await remove([name]).catch(() => undefined);
        throw error;
      }
      return { name, bytes };
    },
    async find(name) {
      const found = await database
        .selectFrom('file_contents')
        .select('bytes')
        .where('name', '=', name)
        .where('bytes', 'is not', null)
        .executeTakeFirst();
      if (found === undefined) return undefined;
      const bytes = Number(found.bytes);
      return { bytes, read: () => readChunks(database, name, bytes) };
    },
    async sweep(findUsed, savedBeforeMs) {
      const old = await database
        .selectFrom('file_contents')
        .select('name')
        .where('saved_at', '<', new Date(savedBeforeMs))
        .execute();
      if (old.length === 0) return;
      const used = await findUsed();
      for (const { name } of old) if (!used.has(name)) await remove([name]);
    },
  };
}

async function* toChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.slice(at, at + CHUNK_BYTES - size);
      held.push(part);
      size += part.length;
      at += part.length;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(held, size);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held, size);
}

/** A chunk at a time, when its reader asks for it. */
async function* readChunks(database: Kysely<Database>, name: string, bytes: number): AsyncGenerator<Uint8Array> {
  for (let number = 0, at = 0; at < bytes; number += 1) {
    const chunk = await database
      .selectFrom('file_chunks')
      .select('data')
      .where('content_name', '=', name)
      .where('number', '=', number)
      .executeTakeFirst();
    if (chunk === undefined) throw new Error('The content of a file has been removed');
    at += chunk.data.length;
    yield chunk.data;
  }
}

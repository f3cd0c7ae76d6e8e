import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SampleData } from '@model-gateway/core';
import type { JsonFileStore } from '@model-gateway/node';
import { z } from 'zod';

const sampleMarkSchema = z.object({
  /** The day of the segment that holds their records: `2026-03-01`, UTC. */
  writtenOn: z.iso.date(),
  generations: z.int(),
  /** When the first of them begins. ISO 8601. */
  from: z.string(),
  keys: z.array(z.string()),
  guardrails: z.array(z.string()),
  guardrailHits: z.array(z.string()),
  videoJobs: z.array(z.string()),
  /** Absent in those of versions that had none. */
  files: z.array(z.string()).default([]),
  batches: z.array(z.string()).default([]),
});

/** Says which rows of a data directory are made up. It is there until they are deleted. */
export type SampleMark = z.infer<typeof sampleMarkSchema>;

/** What the archive calls the first video of a job. */
export const toFilmName = (jobId: string): string => `${jobId}-0`;

const toPath = (dir: string): string => join(dir, 'sample-data.json');

/** Replaces the mark of a directory in one step. */
export async function writeSampleMark(dir: string, mark: SampleMark): Promise<void> {
  const path = toPath(dir);
  await writeFile(`${path}.new`, JSON.stringify(mark));
  await rename(`${path}.new`, path);
}

/** Undefined where there is none, or none that can be read. */
async function readSampleMark(dir: string): Promise<SampleMark | undefined> {
  try {
    return sampleMarkSchema.parse(JSON.parse(await readFile(toPath(dir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The made-up rows of a store and its directory, as management sees them. */
export async function openSampleData(dir: string, store: JsonFileStore): Promise<SampleData> {
  let mark = await readSampleMark(dir);
  return {
    describe: () => (mark === undefined ? null : { generations: mark.generations, from: mark.from }),
    async remove() {
      if (mark === undefined) return;
      const { writtenOn, keys, guardrails, guardrailHits, videoJobs, files, batches } = mark;
      await store.discardThrough(writtenOn);
      for (const hash of keys) await store.keys.remove(hash);
      for (const id of guardrails) await store.guardrails.remove(id);
      for (const id of guardrailHits) await store.guardrailHits.remove(id);
      for (const id of videoJobs) {
        await store.videoJobs.remove(id);
        // Without its job nobody asks the archive for it. Its few bytes count as used there until the next start.
        await rm(join(dir, 'videos', `${toFilmName(id)}.mp4`), { force: true });
      }
      for (const id of batches) await store.batches.remove(id);
      // Their contents are swept with those of other files that are gone.
      for (const id of files) await store.files.remove(id);
      // Last, so that a removal that broke off can be done again.
      await rm(toPath(dir), { force: true });
      mark = undefined;
    },
  };
}

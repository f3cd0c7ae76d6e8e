import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Recordings of real providers, which developers may have beside the repository. */
const CAPTURES = fileURLToPath(new URL('../../../../shared/captures', import.meta.url));

/** Why nothing can be tested against recordings here; undefined where they exist. */
export const missingCaptures: string | undefined = existsSync(CAPTURES)
  ? undefined
  : 'the provider captures are not there';

export interface Capture {
  /** `openai/openai-text.chunks.txt` */
  readonly name: string;
  /** The payload of each event in order; of a whole response, the only one. */
  readonly payloads: readonly string[];
  readonly isStream: boolean;
}

/** Every recording whose payloads this accepts, in all folders. */
export function findCaptures(accepts: (payload: Readonly<Record<string, unknown>>) => boolean): readonly Capture[] {
  if (missingCaptures !== undefined) return [];
  return readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') || name.endsWith('.chunks.txt'))
    .toSorted()
    .map((name): Capture => {
      const text = readFileSync(`${CAPTURES}/${name}`, 'utf8');
      const isStream = name.endsWith('.txt');
      return { name, isStream, payloads: isStream ? text.split('\n').filter((line) => line.trim() !== '') : [text] };
    })
    .filter(({ payloads: [first] }) => accepts(JSON.parse(first ?? 'null') as Record<string, unknown>));
}

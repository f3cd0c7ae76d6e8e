import { isRecord, type Unchecked } from '../foundation/parse.ts';

const LENGTH = 24;
const OWN_ID = new RegExp(String.raw`^[a-z]{2,4}_[\w-]{${LENGTH}}[0-9a-f]{4}$`);

/** The id of an output item that the gateway made, from the id of its generation and its place in the output. */
export const toItemId = (prefix: string, generationId: string, place: number): string =>
  `${prefix}_${generationId.slice(-LENGTH)}${place.toString(16).padStart(4, '0')}`;

/** Whether `toItemId` made an id: no upstream knows it. Ids of upstreams are longer. */
export const isOwnItemId = (id: unknown): boolean => typeof id === 'string' && OWN_ID.test(id);

/** The items of an input: a text is a message of the user. */
export function itemsOf(input: unknown): readonly Unchecked[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

const LENGTH = 24;
const OWN_ID = new RegExp(String.raw`^[a-z]{2,4}_[\w-]{${LENGTH}}[0-9a-f]{4}$`);

/** The id of an output item that the gateway made, from the id of its generation and its place in the output. */
export const toItemId = (prefix: string, generationId: string, place: number): string =>
  `${prefix}_${generationId.slice(-LENGTH)}${place.toString(16).padStart(4, '0')}`;

/** Whether `toItemId` made an id: no upstream knows it. Ids of upstreams are longer. */
export const isOwnItemId = (id: unknown): boolean => typeof id === 'string' && OWN_ID.test(id);

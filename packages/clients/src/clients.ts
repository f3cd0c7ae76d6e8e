import { AGENT_CLIENTS } from './agent-clients.ts';
import type { Client } from './client.ts';
import { CODING_CLIENTS } from './coding-clients.ts';
import { LIBRARY_CLIENTS } from './library-clients.ts';
import { OTHER_CLIENTS } from './other-clients.ts';

/** Every tool that is known, in the order in which they are offered. */
export const CLIENTS: readonly Client[] = [...AGENT_CLIENTS, ...CODING_CLIENTS, ...OTHER_CLIENTS, ...LIBRARY_CLIENTS];

/** The clients that a search means: every word of it stands in the name, the description or the kind. */
export function searchClients(search: string): readonly Client[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  return CLIENTS.filter(({ id, name, about, kind }) => {
    const text = `${id} ${name} ${about} ${kind}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

import type { GeminiRequest } from '../../wire/gemini.ts';

/** The names of tools in chat completions. */
export interface ToolNames {
  /** The name of a tool as other upstreams take it. */
  toChat(name: string): string;
  /** The name that the caller knows. */
  toOwn(name: string): string;
}

const PLAIN = /^[\w-]{1,64}$/;
const MAX_LENGTH = 64;

const SAME: ToolNames = { toChat: (name) => name, toOwn: (name) => name };

/**
 * Names may have dots and colons here, and be longer than in chat completions. Such a name gets another one there, the
 * same in every turn of a conversation, and no two become one.
 */
export function readToolNames({ tools, contents }: Pick<GeminiRequest, 'tools' | 'contents'>): ToolNames {
  const declared = (tools ?? []).flatMap(({ functionDeclarations: list }) => (list ?? []).map(({ name }) => name));
  const used = contents.flatMap(({ parts }) =>
    (parts ?? []).flatMap(({ functionCall: call, functionResponse: result }) => {
      const name = call?.name ?? result?.name;
      return name === undefined ? [] : [name];
    }),
  );
  const names = new Set([...declared, ...used]);
  const others = [...names].filter((name) => !PLAIN.test(name));
  if (others.length === 0) return SAME;
  const toChat = new Map<string, string>();
  const toOwn = new Map<string, string>();
  for (const name of others) {
    const plain = name.replace(/[^\w-]/g, '_').slice(0, MAX_LENGTH);
    let free = plain;
    for (let count = 2; names.has(free) || toOwn.has(free); count += 1) {
      free = `${plain.slice(0, MAX_LENGTH - 4)}_${count}`;
    }
    toChat.set(name, free);
    toOwn.set(free, name);
  }
  return { toChat: (name) => toChat.get(name) ?? name, toOwn: (name) => toOwn.get(name) ?? name };
}

/** Reads the lines of a body as they come, without those that are empty. Leaving the loop early cancels it. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield line;
      if (done) return;
    }
  } finally {
    // Rejects when the connection is gone already, which is what was wanted.
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads values from a body with one of JSON a line. Leaving the loop early cancels the body. */
export async function* readJsonLines<Value>(body: ReadableStream<Uint8Array>): AsyncGenerator<Value> {
  for await (const line of readLines(body)) yield JSON.parse(line) as Value;
}

export interface ServerSentEvent {
  /** `message` where the server names none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a body. Not `EventSource`, which can neither send a key nor a body. Ends with the body;
 * leaving the loop early cancels it.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let event = 'message';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A carriage return at the end may be half of a line end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { event, data: data.join('\n') };
          event = 'message';
          data = [];
        } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
        else if (line.startsWith('event:')) event = line.slice(6).trim();
      }
      if (done) return;
    }
  } finally {
    // Rejects when the connection is gone already, which is what was wanted.
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads values from a body with one of JSON a line. Leaving the loop early cancels the body. */
export async function* readJsonLines<Value>(body: ReadableStream<Uint8Array>): AsyncGenerator<Value> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Value;
      if (done) return;
    }
  } finally {
    // Rejects when the connection is gone already, which is what was wanted.
    await reader.cancel().catch(() => undefined);
  }
}

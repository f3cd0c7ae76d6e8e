/** What became of one call. */
export interface Asked {
  /** Of the generation; null where no response came. */
  readonly id: string | null;
  /** 0 where no whole response came. */
  readonly status: number;
  /** What went wrong, for people. */
  readonly text: string;
  /** Monotonic times of its begin and end. */
  readonly startedAt: number;
  readonly ms: number;
}

const CALL_LIMIT_MS = 60_000;

/** A call of `chat`. */
export interface Call {
  readonly key: string;
  readonly model: string;
  readonly isStreamed: boolean;
}

/** Makes one call. Its status is 200 only when the whole response says that it has succeeded. */
export async function ask(url: string, { key, model, isStreamed }: Call): Promise<Asked> {
  const startedAt = performance.now();
  const end = (id: string | null, status: number, text: string) => ({
    id,
    status,
    // What went wrong in a stream stands at its end.
    text: text.slice(-300),
    startedAt,
    ms: performance.now() - startedAt,
  });
  try {
    const response = await fetch(`${url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: isStreamed, messages: [{ role: 'user', content: 'Hello' }] }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const id = response.headers.get('x-generation-id');
    const text = await response.text();
    const isWhole = isStreamed ? text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"') : true;
    return end(id, response.ok && !isWhole ? 0 : response.status, response.ok && isWhole ? '' : text);
  } catch (error) {
    return end(null, 0, String((error as Error).cause ?? error));
  }
}

/** Makes calls one after the other, of which all are expected to succeed. Resolves with the ids of their generations. */
export async function askTimes(count: number, url: string, call: Call): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { id, status, text } = await ask(url, call);
    if (id === null || status !== 200) throw new Error(`call ${number} of ${count}: ${status} ${text}`);
    ids.push(id);
  }
  return ids;
}

/** Response of the scripted upstream to a request for the model of this name. */
export interface UpstreamScript {
  readonly name: string;
  /** Events with text in a streamed response. */
  readonly chunks: number;
  /** How many of these events are written at once. */
  readonly burst: number;
  /** Pause before every burst but the first; with 0, the next turn of the event loop writes it. */
  readonly intervalMs: number;
  /** Characters of text in each event; null for the few of a token. */
  readonly chunkChars: number | null;
  /** Tokens in a paragraph; absent where the text is one paragraph. */
  readonly paragraph?: number;
  /** Whether the text is sent as the arguments of a tool's call. Only the wire `openai` does so. */
  readonly isCall?: boolean;
}

/** Responses of a size that is usual for chat models, sent as fast as they are read. */
export const BURST: UpstreamScript = { name: 'burst', chunks: 200, burst: 10, intervalMs: 0, chunkChars: null };
/** Fifty tokens a second, for a second. */
export const TRICKLE: UpstreamScript = { name: 'trickle', chunks: 50, burst: 1, intervalMs: 20, chunkChars: null };
/** Two hundred tokens a second, for ten seconds, in paragraphs. */
export const SWIFT: UpstreamScript = {
  name: 'swift',
  chunks: 2000,
  burst: 1,
  intervalMs: 5,
  chunkChars: null,
  paragraph: 60,
};
/** One token a second, for longer than any measurement. */
export const OPEN: UpstreamScript = { name: 'open', chunks: 600, burst: 1, intervalMs: 1000, chunkChars: null };
/** 100 MB, sent as fast as they are read. */
export const FLOOD_100_MB: UpstreamScript = toFlood(100);
/** 32 MB, sent as fast as they are read. */
export const FLOOD_32_MB: UpstreamScript = toFlood(32);

/** Some hundred tokens a second, for three seconds: a text, and a tool's call. */
export const SOAK: UpstreamScript = { name: 'soak', chunks: 300, burst: 5, intervalMs: 50, chunkChars: null };
export const SOAK_CALL: UpstreamScript = { ...SOAK, name: 'soak-call', isCall: true };
/** The only model of the example application. */
export const EXAMPLE: UpstreamScript = { ...BURST, name: 'gpt-4o-mini' };

/** Every script; each is a model of the gateway under measurement. */
export const SCRIPTS: readonly UpstreamScript[] = [
  BURST,
  TRICKLE,
  SWIFT,
  OPEN,
  FLOOD_100_MB,
  FLOOD_32_MB,
  SOAK,
  SOAK_CALL,
  EXAMPLE,
];

/** Prompt tokens of every response. */
export const PROMPT_TOKENS = 20;

function toFlood(megabytes: number): UpstreamScript {
  const chunkChars = 4096;
  const chunks = (megabytes * 1_000_000) / chunkChars;
  return { name: `flood-${megabytes}-mb`, chunks: Math.ceil(chunks), burst: 1, intervalMs: 0, chunkChars };
}

/** The text of one event. */
export function textOfChunk({ chunkChars, paragraph }: UpstreamScript, index: number): string {
  if (chunkChars !== null) return 'lorem ip'.repeat(chunkChars / 8);
  const isLast = paragraph !== undefined && (index + 1) % paragraph === 0;
  return `tok${index}${isLast ? '\n\n' : ' '}`;
}

/** The whole text of a streamed response. */
export function textOfStream(script: UpstreamScript): string {
  return Array.from({ length: script.chunks }, (_, index) => textOfChunk(script, index)).join('');
}

/** The text of a response that is not streamed; the same for all scripts. */
export const WHOLE_TEXT = 'The proxy stands aside, \n'.repeat(10);

/** Usage of a response, as the upstream writes it. */
export function usageOf(completionTokens: number): Readonly<Record<string, number>> {
  return {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: completionTokens,
    total_tokens: PROMPT_TOKENS + completionTokens,
  };
}

/** Completion tokens of the response that is not streamed. */
export const WHOLE_TOKENS = 60;

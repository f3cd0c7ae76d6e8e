import type { Budget } from './figure.ts';

/** Section 8 of the design: CPU per request relative to the bare proxy's. */
export const CPU_WHOLE: Budget = { limit: 2, stretch: 1.5 };
export const CPU_STREAMED: Budget = { limit: 1.8, stretch: 1.4 };
/** Cost of a call relative to the cost in an older checkout. */
export const AGAINST: Budget = { limit: 1.03 };
/** CPU per stream of another form relative to that of chat completions over the OpenAI wire. */
export const FORMAT_CPU: Budget = { limit: 1.25 };
/** CPU per call for embeddings relative to the bare proxy's. */
export const EMBEDDINGS_CPU: Budget = { limit: 1.5 };
/** CPU per request that the server of claude-code-router takes, relative to the gateway's. */
export const LLMS_CPU: Budget = { limit: 12, isLeast: true };
/** CPU per request with PostgreSQL and Redis relative to that with the JSON-file store. */
export const CLUSTER_CPU: Budget = { limit: 1.25 };
/** Throughput of whole responses relative to Portkey's. */
export const PORTKEY_THROUGHPUT: Budget = { limit: 6, isLeast: true };
/** Added milliseconds to the first token, at 100 concurrent streams. */
export const FIRST_TOKEN_P50_MS: Budget = { limit: 1 };
export const FIRST_TOKEN_P99_MS: Budget = { limit: 10 };
/** What a call of a burst after a rest takes longer than one of a steady flow. */
export const AFTER_REST_MS: Budget = { limit: 0.3 };
/** Resident memory with 1,000 open streams. */
export const OPEN_STREAMS_MB: Budget = { limit: 300 };
/** Growth of resident memory with readers who have stopped reading. */
export const PAUSED_READERS_MB: Budget = { limit: 256 };
/** Growth of resident memory under 400 streams, at its peak and after 90 s of rest. */
export const SOAK_PEAK_MB: Budget = { limit: 400 };
export const SOAK_REST_MB: Budget = { limit: 150 };
/** Growth of resident memory with 150 readers of a byte a second, and when they leave together. */
export const SLOW_READERS_MB: Budget = { limit: 400 };
/** Resident memory of an application with a mounted gateway, and what a kept call costs beside its texts. */
export const MOUNTED_MB: Budget = { limit: 300 };
export const MOUNTED_CALL_KB: Budget = { limit: 4 };
/** Time from the start of the process to listening. */
export const LISTENING_10_000_MS: Budget = { limit: 400 };
export const LISTENING_100_000_MS: Budget = { limit: 1500 };
/** The single executable: its size beyond that of Node.js, and its time to listening relative to that of the command. */
export const BINARY_ADDED_MB: Budget = { limit: 25 };
export const BINARY_LISTENING: Budget = { limit: 1.5 };
/** Import and start of the fixture gateway, which each file of a test suite pays, relative to those of aimock. */
export const FIXTURES_START: Budget = { limit: 1.5 };
/** A page "costs the same at either size"; the tolerance allows for the effects of caches and clocks. */
export const PAGE_GROWTH: Budget = { limit: 1.5 };

/** The long list of docs/ui.md, scrolled fast. */
export const UI_FRAME_P95_MS: Budget = { limit: 25 };
export const UI_FRAME_MAX_MS: Budget = { limit: 100 };
export const UI_FRAMES_A_SECOND: Budget = { limit: 55, isLeast: true };
export const UI_HEAP_MB: Budget = { limit: 80 };
export const UI_LIST_REQUESTS: Budget = { limit: 1 };
export const UI_ROW_BYTES: Budget = { limit: 600 };
/** Contents of 10 MB. */
export const UI_LONG_TASK_MS: Budget = { limit: 100 };
export const UI_BODY_PAINT_MS: Budget = { limit: 500 };
/** Eight streams of 200 tokens a second in view: share of a main thread. */
export const UI_STREAM_BUSY: Budget = { limit: 0.4 };
export const UI_STREAM_FRAME_MS: Budget = { limit: 33 };
/** Streams in a window that is not visible. */
export const UI_HIDDEN_LAYOUTS: Budget = { limit: 0 };
/** Time that an open page adds to the calls of the gateway's callers. */
export const UI_ADDED_MS: Budget = { limit: 5 };
/** A first visit to the UI. */
export const UI_FIRST_PAINT_MS: Budget = { limit: 500 };
export const UI_INTERACTIVE_MS: Budget = { limit: 1000 };
/** Overview and list over 100,000 calls, from the user's event until what it asks for is painted. */
export const UI_CHARTS_MS: Budget = { limit: 1000 };
export const UI_CHART_CHANGE_MS: Budget = { limit: 300 };
export const UI_FIND_MS: Budget = { limit: 500 };
/** Likewise over 1,000,000 calls in PostgreSQL, for what has neither an index nor sums. */
export const UI_SCAN_MS: Budget = { limit: 1000 };
/** What the gateway takes to give out all that the page of a call, and that of a session, ask for. */
export const OPEN_CALL_MS: Budget = { limit: 50 };
export const OPEN_SESSION_MS: Budget = { limit: 300 };
export const UI_INITIAL_KB: Budget = { limit: 180 };
export const UI_LAZY_KB: Budget = { limit: 200 };
/** The desktop app: until it is in the tray and until its window is visible, then at rest (proportional set size). */
export const DESKTOP_TRAY_MS: Budget = { limit: 1000 };
export const DESKTOP_WINDOW_MS: Budget = { limit: 1500 };
export const DESKTOP_REOPEN_MS: Budget = { limit: 600 };
export const DESKTOP_TRAY_CPU: Budget = { limit: 0.005 };
export const DESKTOP_TRAY_MB: Budget = { limit: 220 };
export const DESKTOP_WINDOW_CPU: Budget = { limit: 0.01 };
export const DESKTOP_WINDOW_MB: Budget = { limit: 300 };

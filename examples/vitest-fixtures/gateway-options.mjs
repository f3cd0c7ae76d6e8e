import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Replays, unless FIXTURES_MODE says to record; that needs OPENAI_API_KEY, or a config file with providers. */
export const OPTIONS = {
  dir: process.env.FIXTURES_DIR ?? fileURLToPath(new URL('fixtures', import.meta.url)),
  mode: process.env.FIXTURES_MODE ?? 'replay',
  config: process.env.FIXTURES_CONFIG,
};

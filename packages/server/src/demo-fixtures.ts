import { fileURLToPath } from 'node:url';

/**
 * The directory of the demo's recorded responses, which the build writes. It is named from here, as the compiled file and
 * the bundle both lie one folder below the package.
 */
export const DEMO_FIXTURES = fileURLToPath(new URL('../dist/demo-fixtures', import.meta.url));

/** The prose of the documentation, which the build writes: what the model of a real engine is counted from. */
export const ENGINE_TEXTS = fileURLToPath(new URL('../dist/engine-texts.md', import.meta.url));

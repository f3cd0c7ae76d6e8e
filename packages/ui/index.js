import { fileURLToPath } from 'node:url';

/**
 * The directory of the built bundle, with a trailing slash: `index.html` beside `assets/`, whose names carry hashes.
 * All addresses within are relative, so that it may be served at any path.
 */
export const uiDirectory = fileURLToPath(new URL('./bundle/', import.meta.url));

/**
 * The directory of the built bundle, with a trailing slash: `index.html` beside `assets/`, whose names carry hashes.
 * All addresses within are relative, so that it may be served at any path.
 */
export declare const uiDirectory: string;

/**
 * The version of all our packages, which are released together. A constant, because a package that an application has
 * bundled has no manifest to read; `scripts/write-version.js` writes it and a test holds it to the packages.
 */
export const VERSION = '0.1.0';

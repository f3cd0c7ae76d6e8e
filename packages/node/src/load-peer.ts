const CODE = 'PEER_MISSING';

/**
 * Loads the libraries of a feature, which are optional peers of this package. Rejects with the command that installs
 * them where they are missing.
 *
 * @param feature Begins the sentence of the error, as in "Reading PDFs".
 * @param load Imports the packages by literal names, so that bundlers find them.
 */
export async function loadPeer<Module>(
  feature: string,
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!packages.some((name) => isNotFound(error, name))) throw error;
    const what = packages.length === 1 ? 'a package that is' : 'packages that are';
    const message = `${feature} needs ${what} not installed: npm install ${packages.join(' ')}`;
    throw Object.assign(new Error(message, { cause: error }), { code: CODE });
  }
}

/** By its code, because an error that comes out of a worker has lost its class. */
export function isPeerMissing(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === CODE;
}

/** Codes of ES modules, of CommonJS, and of the single executable, which loads nothing but modules of Node.js. */
const NOT_FOUND: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_UNKNOWN_BUILTIN_MODULE',
]);

/** What Node.js reports of the package itself; one that lacks a dependency of its own is a broken installation. */
function isNotFound(error: unknown, name: string): boolean {
  const isMissing = error instanceof Error && 'code' in error && NOT_FOUND.has(error.code);
  if (!isMissing) return false;
  const [, named = ''] = /'([^']+)'|: (\S+)$/.exec(error.message.split('\n')[0] ?? '')?.filter(Boolean) ?? [];
  return named === name || named.startsWith(`${name}/`);
}

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Folders that npm and npx put on the path for what they start; the shell of a person does not have them. */
const OF_NPM = /node_modules[\\/]\.bin[\\/]?$/;
const NAME = 'model-gateway';

/**
 * The words that start this command in the shell of the person who started it, for what is printed to be copied: its name
 * where it is installed, `npx` in a checkout or a project, the file itself for the single executable.
 */
export function ownCommand(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const file = process.platform === 'win32' ? `${NAME}.cmd` : NAME;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '' && !OF_NPM.test(folder));
  if (folders.some((folder) => existsSync(join(folder, file)))) return NAME;
  return process.getBuiltinModule('node:sea')?.isSea() === true ? process.argv0 : `npx ${NAME}`;
}

/** A path as a word of a shell; those of Windows know no single quotes. */
export function quote(path: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w./\\:~-]+$/.test(path)) return path;
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

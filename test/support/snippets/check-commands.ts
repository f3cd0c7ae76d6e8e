import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parseCommand } from '../../../packages/server/src/commands/parse-command.ts';
import { placeOf, root, type Snippet } from './read-snippets.ts';

/** What is wrong with the commands of a snippet that are ours: `model-gateway`, `npm run`, and `node` with a file. */
export function checkCommands(snippet: Snippet): string[] {
  const lines = snippet.code.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines.flatMap((line) =>
    line
      .replace(/(^|\s)#.*$/, '')
      .split(/&&|;|\|/)
      .map((command) => findCommandProblem(toWords(command), path.dirname(snippet.page)))
      .filter((problem) => problem !== undefined)
      .map((problem) => `${placeOf(snippet)}: ${problem}`),
  );
}

function findCommandProblem(words: readonly string[], folder: string): string | undefined {
  const isFlag = (word: string | undefined): boolean => word?.startsWith('-') === true;
  const start = words[0] === 'npx' ? words.findIndex((word, index) => index > 0 && !isFlag(word)) : 0;
  const [program = '', ...args] = words.slice(start);
  if (program === 'model-gateway') return findArgsProblem(args);
  if (program === 'npm' && args[0] === 'run') return findScriptProblem(args);
  return program === 'node'
    ? findFileProblem(
        args.find((arg) => !isFlag(arg)),
        folder,
      )
    : undefined;
}

/** A file is named from the root or, where a page is of an example, from there; what other installs bring is theirs. */
function findFileProblem(file: string | undefined, folder: string): string | undefined {
  if (file === undefined || file.includes('node_modules/')) return undefined;
  const isThere = ['', folder].some((from) => existsSync(path.join(root, from, file)));
  return isThere ? undefined : `${file} does not exist`;
}

function findArgsProblem(args: readonly string[]): string | undefined {
  try {
    parseCommand(args);
    return undefined;
  } catch (error) {
    return `model-gateway ${args.join(' ')}: ${String(error)}`;
  }
}

function findScriptProblem([, script = '', ...args]: readonly string[]): string | undefined {
  const at = args.indexOf('--workspace');
  const folder = at === -1 ? '' : (args[at + 1] ?? '');
  const { scripts = {} } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  return script in scripts ? undefined : `npm run ${script}: there is no such script`;
}

/** The words of a command, without the variables that are set for it and without quotes. */
function toWords(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  return first === -1 ? [] : words.slice(first).map((word) => word.replaceAll(/['"]/g, ''));
}

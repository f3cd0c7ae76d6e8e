import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

export interface PortHolder {
  readonly pid: number;
  /** The program and its script, without flags, which may hold secrets. */
  readonly command: string;
}

/** Sources of information; tests replace them. */
export interface PortHolderSources {
  /** Default `/proc`. */
  readonly proc?: string | undefined;
  /** Lists listeners in the format of `lsof -F`. Default: `lsof` itself. */
  readonly lsof?: ((port: number) => Promise<string>) | undefined;
}

/** Finds the processes that listen on a TCP port. Empty when they are unknown. */
export async function findPortHolders(port: number, sources: PortHolderSources = {}): Promise<PortHolder[]> {
  const found = findInProc(port, sources.proc ?? '/proc');
  if (found.length > 0) return found;
  return parseLsof(await (sources.lsof ?? runLsof)(port).catch(() => ''));
}

/** Explains why a server cannot listen and what to do. Undefined for an error with another cause. */
export async function describeListenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  sources: PortHolderSources = {},
): Promise<string | undefined> {
  const elsewhere = 'Choose another with --port, e.g. --port 8856, or --port 0 for any free one.';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE': {
      const holders = await findPortHolders(port, sources);
      const names = holders.map(({ pid, command }) => `PID ${pid} (${command})`).join(' and ');
      const holder =
        names === ''
          ? 'The process could not be determined; it may belong to another user.'
          : `It is used by ${names}.`;
      return `Port ${port} of ${host} is taken. ${holder}\n${elsewhere}`;
    }
    case 'EACCES':
      return `This user may not open port ${port} of ${host}: ${whyDenied(port)}.\n${elsewhere}`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Choose another with --host, e.g. --host 127.0.0.1.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} is not known. Choose an address with --host, e.g. --host 127.0.0.1.`;
    default:
      return undefined;
  }
}

/** No process holds a port that is denied, so there is none to name. */
const whyDenied = (port: number): string =>
  port < 1024
    ? 'ports below 1024 often need privileges'
    : 'the system has reserved it, as Windows does with whole ranges (netsh interface ipv4 show excludedportrange protocol=tcp)';

const LISTEN_STATE = '0A';

function findInProc(port: number, proc: string): PortHolder[] {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(`${proc}/net/${table}`, port)));
  if (sockets.size === 0) return [];
  return readOr(() => readdirSync(proc), [])
    .filter((name) => /^\d+$/.test(name) && holdsSocket(`${proc}/${name}/fd`, sockets))
    .map((name) => {
      const line = readOr(() => readFileSync(`${proc}/${name}/cmdline`, 'utf8'), '');
      return { pid: Number(name), command: toCommandText(line.split('\0').filter((word) => word !== '')) };
    });
}

/** Link targets (`socket:[123]`) of the sockets that listen on the port. */
function listeningSockets(table: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return readOr(() => readFileSync(table, 'utf8'), '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN_STATE && local?.endsWith(`:${hexPort}`) === true)
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsSocket(folder: string, sockets: ReadonlySet<string>): boolean {
  return readOr(() => readdirSync(folder), []).some((fd) =>
    sockets.has(readOr(() => readlinkSync(`${folder}/${fd}`), '')),
  );
}

/** Processes end meanwhile, and most of another user's cannot be read. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The words before the first flag, e.g. `node server.js`. */
function toCommandText(words: readonly string[]): string {
  const firstFlag = words.findIndex((word, index) => index > 0 && word.startsWith('-'));
  const shown = words.slice(0, Math.min(firstFlag === -1 ? words.length : firstFlag, 3));
  return shown.join(' ') || 'unknown program';
}

async function runLsof(port: number): Promise<string> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await promisify(execFile)('lsof', args, { timeout: 3000 });
  return stdout;
}

/** Each line is one value, and its first letter says which: `p` a process, `c` its command. */
function parseLsof(text: string): PortHolder[] {
  return text
    .split(/^p/m)
    .slice(1)
    .map((block) => ({ pid: Number.parseInt(block, 10), command: /^c(.+)$/m.exec(block)?.[1] ?? 'unknown program' }));
}

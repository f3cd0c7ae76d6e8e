import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

import {
  chooseModel,
  type Client,
  CLIENTS,
  type Connection,
  findObstacle,
  hasTokenPrices,
  type SnippetStep,
  type Step,
  stepsFor,
  type System,
  toConnectedModel,
  toKeyName,
} from '@model-gateway/clients';

import { findOwner, findStore, isDatabase } from '../open/find-store.ts';
import { guess, UsageError, type StoreFlags } from '../process/flags.ts';
import { ownCommand } from '../process/own-command.ts';
import {
  forgetConnection,
  FORMATS,
  planToolFile,
  readConnection,
  toBackupPath,
  type ToolSettings,
  type Undone,
  undoToolFile,
  writeToolFile,
} from './tool-file.ts';
import { createToolKey, deleteToolKey, type KeyPlace, listKeyNames, openKeyPlace } from './tool-key.ts';

const DEFAULT_URL = 'http://127.0.0.1:8855';
const DEFAULT_LIMIT_USD = 10;

/** What `connect` is asked to do. */
export interface ConnectOptions extends StoreFlags {
  /** Undefined: list the tools. */
  readonly tool: string | undefined;
  readonly action: 'show' | 'write' | 'undo';
  readonly model: string | undefined;
  /** A month; null is none, undefined what fits the model. */
  readonly limitUsd: number | null | undefined;
  /** Ends with `/api/v1`. */
  readonly url: string | undefined;
  /** Whether the result is one JSON document on stdout, with what happens along the way on stderr. */
  readonly json: boolean;
}

/** Lists the tools, or shows, writes or undoes what one of them needs to call this gateway. */
export async function connect(options: ConnectOptions): Promise<void> {
  const { json } = options;
  const result = await run(options, {
    say: (text) => void (json ? process.stderr : process.stdout).write(text),
    show: (text) => void (json || process.stdout.write(text)),
    warn: (text) => void process.stderr.write(`${text}\n`),
  });
  if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

/** How people are told. */
interface Telling {
  /** What has been done. */
  say(text: string): void;
  /** What the result is, unless that is asked for as JSON. */
  show(text: string): void;
  warn(text: string): void;
}

/** Resolves with the result as `--json` prints it. */
async function run(options: ConnectOptions, telling: Telling): Promise<object> {
  if (options.tool === undefined) {
    telling.show(listTools());
    return { tools: CLIENTS.map((client) => ({ ...toTool(client), has_file: findFileStep(client) !== undefined })) };
  }
  const client = findClient(options.tool);
  if (options.action === 'undo') return undo(client, telling);
  const target = options.action === 'write' ? findFile(client) : undefined;
  const place = await openKeyPlace(await findDataDir(options));
  const plan = planConnection(options, place);
  // A file that cannot be changed is found before a key is made for nothing.
  let undone: Undoing | null = null;
  if (target !== undefined) {
    await planToolFile(target.path, toSettings(target.step, { ...plan.connection, apiKey: 'sk-gw-v1-not-made-yet' }));
    undone = await undoFormer(client, target, telling);
  }
  const name = toKeyName(client.name, await listKeyNames(place));
  const apiKey = await createToolKey(place, { name, limitUsd: plan.limitUsd });
  const connection = { ...plan.connection, apiKey };
  const made = `The key "${name}" was created ${place.owner === undefined ? `in ${place.dataDir}, where no gateway is running` : `by the gateway at ${place.owner.url}`}, ${plan.limitUsd === null ? 'without a limit' : `limited to $${plan.limitUsd} a month`}.`;
  for (const warning of plan.warnings) telling.warn(warning);
  const { baseUrl, model } = connection;
  const result = {
    tool: toTool(client),
    base_url: baseUrl,
    model: model.id,
    key: { name, limit_usd: plan.limitUsd },
    warnings: plan.warnings,
  };
  if (target === undefined) telling.show(showConnection(client, connection, made));
  const more =
    target === undefined
      ? {
          ...toGuide(client, connection),
          steps: stepsFor(client, system()).map((step) => toJsonStep(step, connection)),
        }
      : { ...(await write(client, { target, connection, made, place }, telling)), undone };
  return { ...result, ...more };
}

const toTool = ({ id, name, about }: Client): object => ({ id, name, about });

/** The data directory in which the key is made and deleted again. */
async function findDataDir(options: ConnectOptions): Promise<string> {
  const named = await findStore(options);
  if (!isDatabase(named)) return (await findOwner(named, options)).dir;
  throw new UsageError(
    'This command creates keys in a data directory, but this config uses a database. Connect the tool in the UI, under ' +
      `Connect, or make a key with: ${ownCommand()} keys create --name NAME --config FILE`,
  );
}

interface Target {
  readonly path: string;
  readonly step: SnippetStep;
}

interface Writing {
  readonly target: Target;
  readonly connection: Connection;
  readonly made: string;
  readonly place: KeyPlace;
}

async function write(
  client: Client,
  { target: { path, step }, connection, made, place }: Writing,
  { say, show, warn }: Telling,
): Promise<object> {
  const keyHash = createHash('sha256').update(connection.apiKey).digest('hex');
  const dataDir = resolve(place.dataDir);
  const settings = toSettings(step, connection);
  const { existed, isReadByOthers } = await writeToolFile(path, settings, { keyHash, dataDir }).catch(
    async (error: unknown) => {
      await deleteToolKey(dataDir, keyHash);
      throw error;
    },
  );
  say(`${client.name} is set up in ${path}, with the model ${connection.model.id}.\n${made}\n`);
  if (existed) say(`The original file was saved as ${toBackupPath(path)}.\n`);
  say(`To undo: ${ownCommand()} connect ${client.id} --undo\n`);
  const rest = stepsFor(client, system()).filter((other) => other !== step);
  if (rest.length > 0) show(`\nRemaining steps:\n\n${showSteps(rest, connection, system())}`);
  if (isReadByOthers && settings.snippet.includes(connection.apiKey)) {
    warn(`Other users of this machine can read ${path} and the key in it: chmod 600 ${path}`);
  }
  return {
    file: path,
    original: existed ? toBackupPath(path) : null,
    is_read_by_others: isReadByOthers,
    steps: rest.map((other) => toJsonStep(other, connection)),
  };
}

async function undo(client: Client, telling: Telling): Promise<object> {
  const target = findFile(client);
  const undone = await undoFormer(client, target, telling);
  if (undone !== null) return { tool: toTool(client), undone };
  throw new UsageError(
    `Nothing to undo for ${client.name}: this command has not written ${target.path}. ` +
      'If a key was only shown, delete it in the UI under Keys.',
  );
}

/** What has been taken back, as `--json` prints it. */
interface Undoing {
  readonly file: string;
  readonly outcome: Undone['outcome'];
  readonly left: readonly string[];
  /** False for a key that someone has deleted before. */
  readonly key_deleted: boolean;
}

/** Null where nothing was written before. */
async function undoFormer(client: Client, { path, step }: Target, { say, warn }: Telling): Promise<Undoing | null> {
  const record = await readConnection(path);
  const format = FORMATS[step.language];
  if (record === undefined || format === undefined) return null;
  const { outcome, left } = await undoToolFile(path, { format, record });
  const isDeleted = await deleteToolKey(record.dataDir, record.keyHash);
  await forgetConnection(path);
  const did = {
    restored: `${path} was restored`,
    removed: `${path} has changed since, so only the gateway’s entries were removed`,
    deleted: `${path} was deleted, because it did not exist before`,
    gone: `${path} no longer exists`,
  }[outcome];
  say(`${client.name} was connected before: ${did}. Its key ${isDeleted ? 'is deleted' : 'was already deleted'}.\n`);
  if (left.length > 0) warn(`Not changed, because they were edited since: ${left.join(', ')}`);
  return { file: path, outcome, left, key_deleted: isDeleted };
}

function planConnection({ model: modelId, limitUsd, url }: ConnectOptions, { owner, models, defaultModel }: KeyPlace) {
  const named = models.filter(({ id }) => !/\p{Cc}/u.test(id));
  const id = modelId ?? chooseModel(named, { accountDefault: defaultModel });
  if (id === undefined) {
    const why =
      owner === undefined
        ? 'No gateway is running on this data directory to list its models'
        : 'The gateway lists no model yet';
    throw new UsageError(`${why}: choose one with --model ID.`);
  }
  const listed = models.find((model) => model.id === id);
  const isPriced = listed !== undefined && hasTokenPrices(listed);
  const connection = { baseUrl: url ?? `${owner?.url ?? DEFAULT_URL}/api/v1`, model: toConnectedModel(id, listed) };
  // A limit refuses calls whose cost is unknown.
  const limit = limitUsd === undefined ? (isPriced ? DEFAULT_LIMIT_USD : null) : limitUsd;
  const warnings = [
    ...(owner !== undefined && listed === undefined
      ? [`The gateway does not list ${id}; unless it is an alias, calls are refused.`]
      : []),
    ...(listed !== undefined && !isPriced && limit !== null
      ? [`${id} has no known price, so with a limit its calls are refused.`]
      : []),
  ];
  return { connection, limitUsd: limit, warnings };
}

function findClient(id: string): Client {
  const client = CLIENTS.find((candidate) => candidate.id === id.toLowerCase());
  if (client !== undefined) return client;
  const meant = guess(
    id,
    CLIENTS.map((known) => known.id),
  );
  throw new UsageError(`There is no tool "${id}".${meant} These are known:\n\n${listTools()}`);
}

function listTools(): string {
  const width = Math.max(...CLIENTS.map(({ id }) => id.length));
  const lines = CLIENTS.map((client) => {
    const isWritten = findFileStep(client) !== undefined;
    return `  ${client.id.padEnd(width)}  ${isWritten ? '*' : ' '} ${client.name}: ${client.about}\n`;
  });
  return `${lines.join('')}\n${ownCommand()} connect TOOL shows what it needs; with --write it is written for those with a *.\n`;
}

const findFileStep = (client: Client): SnippetStep | undefined =>
  stepsFor(client, system()).find(
    (step): step is SnippetStep => step.type === 'snippet' && step.file !== undefined && step.language in FORMATS,
  );

function findFile(client: Client): Target {
  const step = findFileStep(client);
  const file = step?.file?.[system()];
  if (step !== undefined && file !== undefined) return { step, path: toPath(file, step.folderVariable) };
  throw new UsageError(
    `${client.name} has no settings file to write. To see what to enter: ${ownCommand()} connect ${client.id}`,
  );
}

/** The path with the folders of this user in it. */
function toPath(file: string, folderVariable: string | undefined): string {
  const folder = folderVariable === undefined ? undefined : process.env[folderVariable];
  if (folder !== undefined && folder !== '') return join(folder, file.split(/[/\\]/).at(-1) ?? '');
  return file
    .replace(/^~(?=\/)/, () => homedir())
    .replace(/^%USERPROFILE%/, () => homedir())
    .replace(/^%APPDATA%/, () => process.env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'));
}

function toSettings(step: SnippetStep, connection: Connection): ToolSettings {
  const format = FORMATS[step.language];
  if (format === undefined) throw new TypeError(`no format ${step.language}`);
  return { format, snippet: step.toText(connection), keeps: step.keeps };
}

function showConnection(client: Client, connection: Connection, made: string): string {
  const steps = showSteps(stepsFor(client, system()), connection, system());
  const isWritten = findFileStep(client) !== undefined;
  const hint = isWritten ? `\n${ownCommand()} connect ${client.id} --write writes it, and --undo takes it back.\n` : '';
  return `${client.name}: ${client.about}\n${made} It won’t be shown again.\n\n${steps}\n${showNotes(client, connection.baseUrl)}${hint}`;
}

function system(): System {
  return process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'macos' : 'linux';
}

/** What to do in the tool, as text for a terminal. */
function showSteps(steps: readonly Step[], connection: Connection, system: System): string {
  return steps.map((step, at) => `${at + 1}. ${showStep(step, connection, system)}`).join('\n');
}

function showStep(step: Step, connection: Connection, system: System): string {
  if (step.type === 'snippet') {
    const file = step.file?.[system];
    const place = file === undefined ? '' : `   File: ${file}\n`;
    return `${step.title}\n${place}\n${step.toText(connection)}`;
  }
  const fields = step.toFields(connection);
  const width = Math.max(...fields.map(([label]) => label.length));
  const lines = fields.map(([label, value]) => `   ${label.padEnd(width)}  ${value}\n`);
  return `${step.title}\n   Where: ${step.menu.join(' > ')}\n\n${lines.join('')}`;
}

/** What to know beside the steps. */
function showNotes({ callsFrom, modelNames, notes, docsUrl }: Client, baseUrl: string): string {
  const obstacle = findObstacle(callsFrom, baseUrl);
  const lines = [...(obstacle === undefined ? [] : [obstacle]), `Names of models: ${modelNames}`, ...notes];
  return `${lines.map((line) => `- ${line}\n`).join('')}Its guide: ${docsUrl}\n`;
}

/** What to know beside the steps, as `--json` prints it. */
const toGuide = ({ callsFrom, modelNames, notes, docsUrl }: Client, { baseUrl }: Connection): object => ({
  obstacle: findObstacle(callsFrom, baseUrl) ?? null,
  model_names: modelNames,
  notes,
  docs_url: docsUrl,
});

function toJsonStep(step: Step, connection: Connection): object {
  const { title } = step;
  if (step.type === 'fields') return { title, menu: step.menu, fields: Object.fromEntries(step.toFields(connection)) };
  const file = step.file?.[system()] ?? null;
  return { title, file, language: step.language, text: step.toText(connection) };
}

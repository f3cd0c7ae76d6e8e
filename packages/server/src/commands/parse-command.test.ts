import { expect, onTestFinished, test, vi } from 'vitest';

import { UsageError } from '../process/flags.ts';
import { parseCommand } from './parse-command.ts';

const parse = (line: string) => parseCommand(line.split(' ').filter((word) => word !== ''));

test('serve without flags leaves everything to the configuration', () => {
  expect(parse('serve')).toEqual({
    type: 'serve',
    options: {
      config: undefined,
      host: undefined,
      port: undefined,
      dataDir: undefined,
      fixtures: undefined,
      demo: false,
      noDemo: false,
      real: false,
      trustsClock: false,
      record: null,
      workers: 1,
      logLevel: 'info',
    },
  });
});

test('serve takes every flag, in both spellings', () => {
  expect(
    parse('serve --config c.json --host ::1 --port=0 --data-dir d --workers 1 --trust-clock --log-level debug'),
  ).toEqual({
    type: 'serve',
    options: {
      config: 'c.json',
      host: '::1',
      port: 0,
      dataDir: 'd',
      fixtures: undefined,
      demo: false,
      noDemo: false,
      real: false,
      trustsClock: true,
      record: null,
      workers: 1,
      logLevel: 'debug',
    },
  });
});

test('recorded responses mean demo mode', () => {
  expect(parse('serve --fixtures f')).toMatchObject({ options: { demo: true, noDemo: false, fixtures: 'f' } });
});

test('serve records to a directory, everything that providers answer unless it is told otherwise', () => {
  expect(parse('serve --record d')).toMatchObject({
    options: { demo: false, noDemo: false, record: { dir: 'd', mode: 'record-all', at: 'upstream' } },
  });
  expect(parse('serve --record d --record-mode record-missing --record-at edge')).toMatchObject({
    options: { record: { dir: 'd', mode: 'record-missing', at: 'edge' } },
  });
});

test('record is serve with a directory for recordings, without the demo', () => {
  expect(parse('record')).toEqual(parse('serve --no-demo --record fixtures'));
  expect(parse('record --dir d --mode record-missing --at edge --config c.json --port 0 --log-level warn')).toEqual(
    parse(
      'serve --no-demo --record d --record-mode record-missing --record-at edge --config c.json --port 0 --log-level warn',
    ),
  );
});

test('replay takes a directory, a port, a key and a speed', () => {
  const defaults = { dir: undefined, port: 0, apiKey: undefined, speed: 'instant', allowsLoopbackWebhooks: false };
  expect(parse('replay')).toEqual({ type: 'replay', options: defaults });
  expect(parse('replay --dir d --port 8 --key k --speed 2.5 --allow-loopback-webhooks')).toEqual({
    type: 'replay',
    options: { dir: 'd', port: 8, apiKey: 'k', speed: 2.5, allowsLoopbackWebhooks: true },
  });
});

test('fixtures are checked or linted', () => {
  expect(parse('fixtures check')).toEqual({ type: 'fixtures', options: { action: 'check', dir: 'fixtures' } });
  expect(parse('fixtures lint --dir d')).toEqual({ type: 'fixtures', options: { action: 'lint', dir: 'd' } });
});

test('fixtures are saved by the id of a generation and a key', () => {
  expect(parse('fixtures save --id gen-1 --key k')).toEqual({
    type: 'fixtures-save',
    options: { id: 'gen-1', key: 'k', dir: 'fixtures' },
  });
  expect(parse('fixtures save --id g --key k --dir d --api http://h/api/v1/')).toMatchObject({
    options: { dir: 'd', api: 'http://h/api/v1' },
  });
});

test('fixtures of calls are made from the gateway of a data directory, or of an address and a key', () => {
  expect(parse('fixtures save --id g')).toEqual({ type: 'fixtures-save', options: { id: 'g', dir: 'fixtures' } });
  expect(parse('fixtures save --id g --data-dir d --key k')).toEqual({
    type: 'fixtures-save',
    options: { id: 'g', dir: 'fixtures', dataDir: 'd', key: 'k' },
  });
  expect(parse('fixtures from --config c.json --last 5')).toEqual({
    type: 'fixtures-from',
    options: { config: 'c.json', dir: 'fixtures', last: 5, suite: 'node', force: false },
  });
});

test('fixtures from takes its key from the environment, where an empty one is none', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const about = { dir: 'fixtures', last: 50, suite: 'node', force: false };
  vi.stubEnv('MODEL_GATEWAY_MANAGEMENT_KEY', 'sk-management');
  expect(parse('fixtures from')).toEqual({ type: 'fixtures-from', options: { ...about, key: 'sk-management' } });
  vi.stubEnv('MODEL_GATEWAY_MANAGEMENT_KEY', '');
  expect(parse('fixtures from')).toEqual({ type: 'fixtures-from', options: about });
  expect(() => parse('fixtures from --api http://h/api/v1')).toThrow('Missing --key');
});

test('keys create takes a name, a limit, or the kind', () => {
  const where = { config: undefined, dataDir: undefined };
  expect(parse('keys create --name app --limit 0.50')).toEqual({
    type: 'keys-create',
    options: { ...where, name: 'app', management: false, limitUsd: 0.5 },
  });
  expect(parse('keys create --name admin --management --data-dir d')).toEqual({
    type: 'keys-create',
    options: { ...where, dataDir: 'd', name: 'admin', management: true, limitUsd: null },
  });
});

test('doctor takes a config and a data directory, and makes calls only when asked', () => {
  const nothing = { config: undefined, dataDir: undefined, call: false, json: false };
  expect(parse('doctor')).toEqual({ type: 'doctor', options: nothing });
  expect(parse('doctor --config c.json --data-dir d --call --json')).toEqual({
    type: 'doctor',
    options: { config: 'c.json', dataDir: 'd', call: true, json: true },
  });
});

test.each([
  ['--help', /serve .*run the gateway/s],
  ['-h', /issue, list and revoke keys/],
  ['help', /--version/],
  ['serve --help', /--data-dir/],
  ['help serve', /^Usage: model-gateway serve/],
  ['serve --port 1 -h', /--data-dir/],
  ['keys --help', /revoke KEY/],
  ['keys create -h', /--management/],
  ['doctor --help', /--call/],
  ['record --help', /--mode M/],
  ['replay --help', /--speed/],
  ['fixtures --help', /which side has moved/],
  ['fixtures lint -h', /which side has moved/],
])('%s explains itself', (line, text) => {
  expect(parse(line)).toEqual({ type: 'help', text: expect.stringMatching(text) });
});

test('the version can be asked for', () => {
  expect(parse('--version')).toEqual({ type: 'version' });
  expect(parse('-v')).toEqual({ type: 'version' });
});

test.each([
  ['', /^Missing command\.\n\nUsage:/],
  ['sevre', /^There is no command "sevre". Did you mean "serve"\?\n\nUsage:/],
  ['--port 1', /^There is no flag "--port".\n\nUsage:/],
  ['recrod', /^There is no command "recrod"\. Did you mean "record"\?/],
  ['record --mode live', /^--mode is record-all or record-missing, not "live"/],
  ['record --at middle', /^--at is upstream or edge/],
  ['record --dir=', /^--dir is empty/],
  ['record --workers 2', /^Unknown option '--workers'.*\n\nUsage: model-gateway record/],
  ['fixtures form', /Did you mean "from"\?/],
  ['fixtures drift', /^Missing --against DIR/],
  ['connect codex --limit abc', /^--limit must be an amount in USD, e\.g\. 10 or 0\.50, or none, not "abc"/],
  ['replay --speed slow', /^--speed is instant, human or a number above 0, not "slow"/],
  ['replay --speed 0', /^--speed is instant/],
  ['fixtures', /^Missing or unknown fixtures command\.\n\nUsage: model-gateway fixtures check/],
  ['fixtures save --key k', /^Missing --id/],
  ['fixtures save --id g --api http://h/api/v1', /^Missing --key: --api needs a key of that gateway/],
  ['fixtures from --api http://h/api/v1 --data-dir d', /^--api names a gateway, and so do --data-dir and --config/],
  ['fixtures mend', /^Missing or unknown fixtures command/],
  ['serve --prot 1', /^Unknown option '--prot'. Did you mean "--port"\?\n\nUsage: model-gateway serve/],
  ['serve extra', /^Unexpected argument 'extra'.*\n\nUsage: model-gateway serve/],
  ['serve --port', /--port <value>' argument missing.\n\nUsage:/],
  [
    'serve --port -1',
    /^--port needs a value; write one that begins with "-" as --port=VALUE\.\n\nUsage: model-gateway serve/,
  ],
  ['serve --port http', /^--port must be a whole number from 0 to 65535, not "http"/],
  ['serve --port 65536', /^--port must be a whole number from 0 to 65535/],
  ['serve --port 1e3', /^--port must be a whole number/],
  ['serve --workers 0', /^--workers must be a whole number from 1/],
  ['serve --workers 2 --demo', /^Demo mode runs in one process/],
  ['serve --workers 2 --record dir', /^Only one process can record/],
  ['import --config c.json', /^Missing --from/],
  ['export --config c.json', /^Missing --to/],
  ['import dir', /Unexpected argument 'dir'/],
  ['serve --demo --record d', /^Demo mode calls no provider/],
  ['serve --record d --record-mode live', /^--record-mode is record-all or record-missing, not "live"/],
  ['serve --record d --record-at middle', /^--record-at is upstream or edge/],
  ['serve --record-mode record-all', /require --record DIR/],
  ['serve --demo --config c', /cannot be combined with --config/],
  ['serve --log-level loud', /^--log-level must be one of trace, .*not "loud"/],
  ['doctor now', /^Unexpected argument 'now'.*\n\nUsage: model-gateway doctor/],
  ['keys', /^Missing action: create, list or revoke\.\n\nUsage: model-gateway keys <action>/],
  ['keys mend', /^There is no "keys mend"\.\n\nUsage:/],
  ['keys create', /--name "my app"/],
  ['keys create --name a --limit $5', /^--limit must be an amount in USD/],
  ['keys create --name a --limit -5', /--limit/],
  ['keys create --name a --management --limit 5', /--limit does not apply/],
])('"%s" is refused with what to type instead', (line, message) => {
  expect(() => parse(line)).toThrow(UsageError);
  expect(() => parse(line)).toThrow(message);
});

test('connect lists tools, or shows, writes or undoes one', () => {
  const unset = { model: undefined, limitUsd: undefined, url: undefined, config: undefined, dataDir: undefined };
  const nothing = { ...unset, json: false };
  expect(parse('connect')).toEqual({ type: 'connect', options: { tool: undefined, action: 'show', ...nothing } });
  expect(parse('connect codex --undo')).toEqual({
    type: 'connect',
    options: { tool: 'codex', action: 'undo', ...nothing },
  });
  const given = { model: 'a/b', limitUsd: 2.5, config: 'c', dataDir: 'd', json: true };
  expect(parse('connect codex --write --model a/b --limit 2.50 --data-dir d --config c --json')).toEqual({
    type: 'connect',
    options: { tool: 'codex', action: 'write', url: undefined, ...given },
  });
  expect(parse('connect codex --limit none')).toMatchObject({ options: { limitUsd: null } });
  expect(parse('connect --help')).toMatchObject({ type: 'help' });
});

test.each(['http://h:1', 'http://h:1/', 'http://h:1/api', 'http://h:1/api/v1/', 'http://h:1/api/v1?x#y'])(
  'connect takes %s for the address of one gateway',
  (url) => expect(parse(`connect codex --url ${url}`)).toMatchObject({ options: { url: 'http://h:1/api/v1' } }),
);

test.each([
  ['connect codex --write --undo', '--write and --undo'],
  ['connect --write', 'Missing tool'],
  ['connect codex --url gateway', '--url must be the gateway’s address'],
  ['connect codex --url ftp://h', '--url must be the gateway’s address'],
  ['connect codex --limit lots', '--limit must be an amount'],
  ['connect codex --model \u001B', '--model must be a model id'],
  ['connect codex more', 'more'],
])('%j is refused', (line, reason) => {
  expect(() => parse(line)).toThrow(UsageError);
  expect(() => parse(line)).toThrow(reason);
});

test.each(['serve --real', 'serve --real --fixtures dir'])('%s is refused: a real engine is for the demo', (words) => {
  expect(() => parse(words)).toThrow('use it with --demo');
  expect(parse('serve --demo --real')).toMatchObject({ options: { demo: true, real: true } });
});

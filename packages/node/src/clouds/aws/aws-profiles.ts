import { type Environment, readVariable } from '@model-gateway/core';

import { type CloudHost, readHomeFile } from '../cloud-host.ts';

/** The settings of one profile of AWS's shared files, by their names in small letters. */
export type AwsProfile = Readonly<Record<string, string>>;

export interface AwsProfiles {
  /** The files that were read. */
  readonly files: readonly string[];
  readonly profiles: ReadonlyMap<string, AwsProfile>;
}

/** Reads `~/.aws/config` and `~/.aws/credentials`, or the files that the environment names. The latter takes precedence. */
export async function readAwsProfiles(host: CloudHost): Promise<AwsProfiles> {
  const [config, credentials] = await Promise.all([
    readHomeFile(host, 'AWS_CONFIG_FILE', ['.aws', 'config']),
    readHomeFile(host, 'AWS_SHARED_CREDENTIALS_FILE', ['.aws', 'credentials']),
  ]);
  const profiles = new Map<string, AwsProfile>();
  const add = (name: string, settings: AwsProfile): void => {
    profiles.set(name, { ...profiles.get(name), ...settings });
  };
  for (const [section, settings] of parseIni(config?.text ?? '')) {
    // In this file alone, sections are called `profile name`.
    const name = section === 'default' ? section : /^profile\s+(.+)$/.exec(section)?.[1];
    if (name !== undefined) add(name.trim(), settings);
  }
  for (const [name, settings] of parseIni(credentials?.text ?? '')) add(name, settings);
  return { files: [config, credentials].flatMap((file) => file?.path ?? []), profiles };
}

/** The profile that is used where none is named. */
export const profileOfEnvironment = (env: Environment): string => readVariable(env, 'AWS_PROFILE') ?? 'default';

/** Sections with their settings. Lines that are neither, and nested settings, are passed over. */
function parseIni(text: string): [section: string, settings: AwsProfile][] {
  const sections: [string, Record<string, string>][] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line) || /^\s/.test(line)) continue;
    const section = /^\[\s*(.+?)\s*\]/.exec(line)?.[1]?.replaceAll(/["']/g, '');
    if (section !== undefined) {
      sections.push([section, {}]);
      continue;
    }
    const at = line.indexOf('=');
    if (at > 0) {
      const settings = sections.at(-1)?.[1];
      const value = line.slice(at + 1).replace(/\s[#;].*$/, '');
      if (settings !== undefined) settings[line.slice(0, at).trim().toLowerCase()] = value.trim();
    }
  }
  return sections;
}

import process from 'node:process';

import { pickServedModels, type Provider, type ProviderChecks, type ProviderFinding } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

import type { Connector } from '../open/connect-providers.ts';
import { loadBuiltInModels } from './setup-host.ts';

interface ProviderChecksOptions {
  /** The configuration in force. */
  readonly current: () => GatewayConfig;
  readonly connector: Pick<Connector, 'configOf'>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** Creates the checks by which management sees how providers are reached, and tests them as `doctor` does. */
export function createProviderChecks({ current, connector, redact }: ProviderChecksOptions): ProviderChecks {
  /** Running tests. A second request for a test gets the findings of the running one. */
  const running = new Map<Provider, Map<boolean, SharedTest>>();

  const diagnose = async function* (provider: Provider, call: boolean, signal: AbortSignal) {
    const settings = connector.configOf(provider);
    if (settings === undefined) throw new RangeError(`The connection of ${provider.slug} is unknown`);
    const { providers, models: configured, timeouts } = current();
    const isConfigured = providers.some(({ slug }) => slug === provider.slug);
    const models = isConfigured ? configured : pickServedModels(await loadBuiltInModels(), [settings]);
    // Loaded only when a test is requested.
    const { diagnoseProvider } = await import('../checks/diagnose-provider.ts');
    const [isForm, env, now] = [!isConfigured, process.env, Date.now()];
    const check = { config: settings, provider, models, timeouts, call, isForm, env, now, signal };
    for await (const finding of diagnoseProvider(check)) {
      // Findings contain texts of servers, and a server may repeat a key.
      yield JSON.parse(redact(JSON.stringify(finding))) as ProviderFinding;
    }
  };

  return {
    describe(provider) {
      const settings = connector.configOf(provider);
      if (settings === undefined) return undefined;
      return { host: URL.parse(settings.baseUrl)?.host ?? settings.baseUrl, hasKey: settings.apiKey !== undefined };
    },
    test(provider, { call, signal }) {
      const tests = running.get(provider) ?? new Map<boolean, SharedTest>();
      running.set(provider, tests);
      let test = tests.get(call);
      if (test === undefined) {
        test = shareTest(
          (ending) => diagnose(provider, call, ending),
          () => {
            tests.delete(call);
            if (tests.size === 0) running.delete(provider);
          },
        );
        tests.set(call, test);
      }
      return test.follow(signal);
    },
  };
}

/** One test of a provider that several follow. */
interface SharedTest {
  /** Yields what was found so far, then what comes. Ends with the test, or when the signal fires. */
  follow(signal: AbortSignal): AsyncGenerator<ProviderFinding, undefined, undefined>;
}

/** Runs a test once for all who follow it. It ends when no client does any more. */
function shareTest(run: (signal: AbortSignal) => AsyncIterable<ProviderFinding>, onEnd: () => void): SharedTest {
  const findings: ProviderFinding[] = [];
  const ending = new AbortController();
  let followers = 0;
  let state: { readonly isDone: boolean; readonly error?: unknown } = { isDone: false };
  const waiting = new Set<() => void>();
  const change = (): Promise<void> => new Promise((resolve) => void waiting.add(resolve));
  const tell = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const collect = async (): Promise<void> => {
    try {
      for await (const finding of run(ending.signal)) {
        findings.push(finding);
        tell();
      }
      state = { isDone: true };
    } catch (error) {
      state = { isDone: true, error };
    }
    if (!ending.signal.aborted) onEnd();
    tell();
  };
  void collect();
  return {
    async *follow(signal) {
      followers += 1;
      signal.addEventListener('abort', tell);
      try {
        for (let at = 0; !signal.aborted;) {
          const finding = findings[at];
          if (finding !== undefined) {
            at += 1;
            yield finding;
          } else if (state.isDone) {
            if (state.error !== undefined) throw state.error;
            return undefined;
          } else await change();
        }
        return undefined;
      } finally {
        signal.removeEventListener('abort', tell);
        followers -= 1;
        if (followers === 0 && !state.isDone) {
          ending.abort();
          onEnd();
        }
      }
    },
  };
}

import type { DiscoveredModel } from '@model-gateway/core';

import { checkAddress } from './check-address.ts';
import { checkAuth } from './check-auth.ts';
import { checkCall } from './check-call.ts';
import { checkDns, checkTcp } from './check-network.ts';
import { checkTls } from './check-tls.ts';
import type { Finding } from './finding.ts';
import type { Patient } from './patient.ts';

export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Null when the provider's list was not read. */
  readonly models: readonly DiscoveredModel[] | null;
}

/** Checks one provider layer by layer, up to the first that fails. Never rejects. */
export async function diagnoseProvider(patient: Patient): Promise<Diagnosis> {
  const { config, timeouts, call, env, now } = patient;
  const { finding, target } = checkAddress(config.baseUrl, config.apiKey !== undefined);
  if (target === null) return { findings: [finding], models: null };
  const findings = [finding];
  const steps = [
    () => checkDns(target),
    () => checkTcp(target, timeouts.connectMs, env),
    () => checkTls(target, timeouts.connectMs, now),
  ];
  for (const step of steps) {
    const found = await step();
    findings.push(found);
    if (found.status === 'failed') return { findings, models: null };
  }
  const auth = await checkAuth(patient);
  findings.push(auth.finding);
  if (call && auth.finding.status !== 'failed') findings.push(await checkCall(patient, auth.models ?? []));
  return { findings, models: auth.models };
}

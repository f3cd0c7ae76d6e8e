import type { AuditRecord } from '@model-gateway/core';

/** A value of an attribute in OTLP's JSON, where whole numbers of 64 bits are texts. */
type AttributeValue = { readonly stringValue: string } | { readonly intValue: string };

export interface OtlpAttribute {
  readonly key: string;
  readonly value: AttributeValue;
}

/** The gateway as the resource of what it reports, by OTLP's JSON. */
export const toOtlpResource = (
  more: readonly OtlpAttribute[] = [],
): { readonly attributes: readonly OtlpAttribute[] } => ({
  attributes: [{ key: 'service.name', value: { stringValue: 'model-gateway' } }, ...more],
});

/** Attributes of the values that are there. Numbers are whole. */
export function toOtlpAttributes(
  values: Readonly<Record<string, string | number | null | undefined>>,
): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}

const INFO = { severityNumber: 9, severityText: 'INFO' };
const WARN = { severityNumber: 13, severityText: 'WARN' };

/**
 * Records of the audit log as the body of an OTLP/HTTP request in JSON: a log record each, whose body is the record as
 * JSON, so that the chain of hashes can be checked from the copy.
 */
export function toOtlpLogs(records: readonly AuditRecord[]): string {
  const logRecords = records.map((record) => {
    const { at, action, actor, target, from, outcome } = record;
    const timeUnixNano = `${BigInt(Date.parse(at)) * 1_000_000n}`;
    return {
      timeUnixNano,
      observedTimeUnixNano: timeUnixNano,
      ...(outcome === 'refused' ? WARN : INFO),
      eventName: `gateway.audit.${action}`,
      body: { stringValue: JSON.stringify(record) },
      attributes: toOtlpAttributes({
        'gateway.audit.sequence': record.sequence,
        'gateway.audit.hash': record.hash,
        'gateway.audit.action': action,
        'gateway.audit.outcome': outcome,
        'gateway.audit.actor.kind': actor.kind,
        'gateway.audit.actor.name': actor.name,
        'gateway.audit.target.kind': target.kind,
        'gateway.audit.target.id': target.id,
        'gateway.workspace.id': target.workspace,
        'client.address': from.address,
        'user_agent.original': from.user_agent,
      }),
    };
  });
  const scopeLogs = [{ scope: { name: 'model-gateway.audit' }, logRecords }];
  return JSON.stringify({ resourceLogs: [{ resource: toOtlpResource(), scopeLogs }] });
}

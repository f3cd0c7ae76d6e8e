import { z } from 'zod';

import { type ServerTool, ToolFailure } from './server-tool.ts';

const optionsSchema = z.object({ timezone: z.string().max(64).nullish() });

/** Returns the current time (wire.md 10.2). */
export const datetimeTool: ServerTool = {
  name: 'datetime',
  description: 'Tells the present date and time, with the offset of the time zone.',
  inputSchema: {
    type: 'object',
    properties: { timezone: { type: 'string', description: 'IANA name such as Europe/Paris; default as set, or UTC' } },
    additionalProperties: false,
  },
  open(parameters, { platform }) {
    const { timezone } = optionsSchema.parse(parameters);
    if (timezone && offsetMinutes(timezone, 0) === null) {
      throw new z.ZodError([
        { code: 'custom', path: ['timezone'], message: 'must be an IANA name, e.g. "Europe/Paris"', input: timezone },
      ]);
    }
    return {
      run({ timezone: asked }) {
        const zone = typeof asked === 'string' && asked !== '' ? asked : (timezone ?? 'UTC');
        const now = platform.now();
        const offset = offsetMinutes(zone, now);
        if (offset === null) throw new ToolFailure(`"${zone.slice(0, 64)}" is no time zone of the IANA list`);
        return { content: JSON.stringify({ datetime: toIsoText(now, offset), timezone: zone }) };
      },
    };
  },
};

/** How far a zone is ahead of UTC at a moment; null for a zone that there is not. */
function offsetMinutes(timeZone: string, at: number): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return null;
  }
}

function toIsoText(at: number, offset: number): string {
  const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

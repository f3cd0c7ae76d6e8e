import { type Client, type Connection, findObstacle, type Step, type System } from '@model-gateway/ui/clients';

/** What to do in the tool, as text for a terminal. */
export function showSteps(steps: readonly Step[], connection: Connection, system: System): string {
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
export function showNotes({ callsFrom, modelNames, notes, docsUrl }: Client, baseUrl: string): string {
  const obstacle = findObstacle(callsFrom, baseUrl);
  const lines = [...(obstacle === undefined ? [] : [obstacle]), `Names of models: ${modelNames}`, ...notes];
  return `${lines.map((line) => `- ${line}\n`).join('')}Its guide: ${docsUrl}\n`;
}

import { CLIENTS } from '@model-gateway/clients';

import { type Progress, ToolSetup } from './tool-setup.tsx';
import { ToolTiles } from './tool-tiles.tsx';

interface ConnectToolProps extends Progress {
  readonly toolId: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** Chooses a tool and connects it. The same on its own screen and among the first steps, in browsers and in the app. */
export function ConnectTool({ toolId, onChoose, ...progress }: ConnectToolProps) {
  const client = CLIENTS.find(({ id }) => id === toolId);
  if (client === undefined) return <ToolTiles onChoose={onChoose} />;
  return <ToolSetup key={client.id} client={client} onBack={() => onChoose(undefined)} {...progress} />;
}

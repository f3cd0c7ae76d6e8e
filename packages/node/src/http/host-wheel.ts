import { createTimerWheel } from '@model-gateway/core';

import { createNodePlatform } from '../node-platform.ts';

/** Carries the time limits on clients, of every host in the process. */
export const hostWheel = createTimerWheel(createNodePlatform());

export { createRedisShared, type RedisShared, type RedisSharedOptions } from './create-redis-shared.ts';

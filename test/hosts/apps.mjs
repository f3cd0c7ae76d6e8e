// Applications of frameworks on Node's http, each with a page of its own at / and a gateway at /ai. The frameworks are
// installed in this folder alone.
import 'reflect-metadata';
import { once } from 'node:events';

import middie from '@fastify/middie';
import { bodyParser } from '@koa/bodyparser';
import { toNodeHandler } from '@model-gateway/node';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import Koa from 'koa';

const PAGE = 'My own page';

/** By name; each resolves with the address of the application's root once it listens. */
export const APPS = {
  async 'Fastify, which leaves bodies to the gateway'(gateway) {
    const handle = toNodeHandler(gateway, { mountPath: '/ai' });
    return startFastify((app) => {
      app.register(async (mount) => {
        mount.removeAllContentTypeParsers();
        mount.addContentTypeParser('*', (_request, _body, done) => done(null));
        mount.all('/ai/*', (request, reply) => {
          reply.hijack();
          handle(request.raw, reply.raw);
        });
      });
    });
  },
  async 'Fastify, which parses bodies before'(gateway) {
    const handle = toNodeHandler(gateway, { mountPath: '/ai' });
    return startFastify((app) => {
      app.all('/ai/*', (request, reply) => {
        reply.hijack();
        handle(Object.assign(request.raw, { body: request.body }), reply.raw);
      });
    });
  },
  async 'Fastify with middie'(gateway) {
    return startFastify(async (app) => {
      await app.register(middie);
      app.use('/ai', toNodeHandler(gateway));
    });
  },
  async Koa(gateway) {
    const handle = toNodeHandler(gateway, { mountPath: '/ai' });
    const app = new Koa();
    app.use((context, next) => {
      if (!context.path.startsWith('/ai/')) return next();
      // The gateway writes the response.
      context.respond = false;
      handle(context.req, context.res);
    });
    return startKoa(app);
  },
  async 'Koa, which parses bodies before'(gateway) {
    const handle = toNodeHandler(gateway, { mountPath: '/ai' });
    const app = new Koa().use(bodyParser());
    app.use((context, next) => {
      if (!context.path.startsWith('/ai/')) return next();
      context.respond = false;
      handle(Object.assign(context.req, { body: context.request.body }), context.res);
    });
    return startKoa(app);
  },
  async 'Nest on Express'(gateway) {
    const app = await NestFactory.create(toModule(), { logger: ['error'] });
    return startNest(app.use(toNodeHandler(gateway, { mountPath: '/ai' })));
  },
  async 'Nest on Express, which parses bodies before'(gateway) {
    const handle = toNodeHandler(gateway, { mountPath: '/ai' });
    const module = toModule((consumer) => consumer.apply(handle).forRoutes('{*path}'));
    return startNest(await NestFactory.create(module, { logger: ['error'] }));
  },
  async 'Nest on Fastify'(gateway) {
    const app = await NestFactory.create(toModule(), new FastifyAdapter(), { logger: ['error'] });
    return startNest(app.use(toNodeHandler(gateway, { mountPath: '/ai' })));
  },
};

async function startFastify(mount) {
  const app = Fastify({ forceCloseConnections: true });
  app.get('/', () => PAGE);
  await mount(app);
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

async function startKoa(app) {
  app.use((context) => {
    if (context.path === '/') context.body = PAGE;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => close(server) };
}

async function startNest(app) {
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      return app.close();
    },
  };
}

/** A module of Nest, made without the syntax for decorators, which Node does not have. */
function toModule(configure) {
  class PageController {
    show() {
      return PAGE;
    }
  }
  const { prototype } = PageController;
  Get()(prototype, 'show', Object.getOwnPropertyDescriptor(prototype, 'show'));
  Controller()(PageController);
  class AppModule {}
  if (configure !== undefined) AppModule.prototype.configure = configure;
  Module({ controllers: [PageController] })(AppModule);
  return AppModule;
}

async function close(server) {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

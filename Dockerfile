# The gateway as an image: `docker build -t model-gateway .` in the root of a checkout.
#
# Debian and not Alpine, as the build's own programs come for glibc. What runs in the end is JavaScript alone.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /src
# Packages are reinstalled only when one of these changes.
COPY package.json package-lock.json .npmrc ./
COPY packages/ai-sdk/package.json packages/ai-sdk/
COPY packages/clients/package.json packages/clients/
COPY packages/core/package.json packages/core/
COPY packages/express/package.json packages/express/
COPY packages/fixtures/package.json packages/fixtures/
COPY packages/node/package.json packages/node/
COPY packages/postgres/package.json packages/postgres/
COPY packages/redis/package.json packages/redis/
COPY packages/server/package.json packages/server/
COPY packages/ui/package.json packages/ui/

FROM manifests AS build
RUN npm ci
COPY . .
RUN npm run build

FROM manifests AS dependencies
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --workspace model-gateway

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /src/node_modules node_modules
COPY --from=dependencies /src/packages/server packages/server
COPY --from=build /src/packages/server/LICENSE packages/server/
COPY --from=build /src/packages/server/bin packages/server/bin
COPY --from=build /src/packages/server/bundle packages/server/bundle
COPY --from=build /src/packages/server/dist/demo-fixtures packages/server/dist/demo-fixtures
COPY --from=build /src/packages/server/dist/engine-texts.md packages/server/dist/
COPY --from=build /src/packages/server/dist/ui-bundle packages/server/dist/ui-bundle
# So that `docker exec … model-gateway keys create` is as short as everywhere.
RUN ln -s /app/packages/server/bin/model-gateway.js /usr/local/bin/model-gateway
# The journal of records, or the whole JSON-file store. A volume that is mounted here has to belong to this user.
RUN install --directory --owner=node --group=node --mode=0700 /data
VOLUME /data
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8855
# It stays well while the gateway drains; whether it takes calls is told by /ready.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8855/health').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/bin/model-gateway.js"]
CMD ["serve", "--no-demo", "--host", "0.0.0.0", "--port", "8855", "--data-dir", "/data"]

# The official image of Node 24.21.0 on Debian, for all its platforms. A newer one: docs/guides/production.md, "What is in the image".
ARG NODE_IMAGE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# The dev dependency `node` is only for machines without Node 24; here the image brings it, and no package needs its install script.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.ts ./scripts/
COPY src ./src
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# What a kind of component alone needs is in the image too, by the lock as all else: what nothing needs is taken out, and nothing is asked for.
COPY scripts/packagesOfImage.ts ./scripts/
RUN node scripts/packagesOfImage.ts && npm prune --offline --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
# Whoever breaks in finds nothing to install with.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /opt/yarn* /usr/local/bin/yarn /usr/local/bin/yarnpkg /usr/bin/apt* /usr/bin/dpkg*
ENV NODE_ENV=production PORT=7678
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY config ./config
COPY fixtures/transcripts ./fixtures/transcripts
USER node
EXPOSE 7678
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Text never becomes code: neither ours nor any package's. The young generation: docs/guides/production.md, "Limits".
ENTRYPOINT ["node", "--disallow-code-generation-from-strings", "dist/main.js"]
# Inside a container loopback cannot be published. It starts only with POSTEL_API_KEY, or with POSTEL_ALLOW_UNAUTHENTICATED=true where
# something else guards the port: compose.yaml publishes it on the host's loopback only.
CMD ["serve", "--host", "0.0.0.0"]

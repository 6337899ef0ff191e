# The dev dependency `node` is only for machines without Node 24; here the image brings it.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --omit=dev --no-audit --no-fund

FROM node:24-slim
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
ENTRYPOINT ["node", "dist/main.js"]
# Inside a container loopback cannot be published. It starts only with POSTEL_API_KEY, or with POSTEL_ALLOW_UNAUTHENTICATED=true where
# something else guards the port: compose.yaml publishes it on the host's loopback only.
CMD ["serve", "--host", "0.0.0.0"]

# syntax=docker/dockerfile:1
# One image for every role: docker build -t errand .
FROM node:24-bookworm-slim

# tini reaps orphaned browser processes and forwards signals, so the service can shut down gracefully.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini ca-certificates \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /errand
COPY . .
# Installs the packages, the console and Debian's headless Chromium with its libraries and a font.
RUN scripts/bootstrap --browser \
  && rm -rf /root/.npm /var/lib/apt/lists/* \
  && ln -s /errand/bin/errand /usr/local/bin/errand \
  && install -d -o node -g node -m 0700 /data

# The code belongs to root: the service can only write to its data directory and /tmp.
USER node
# Both roles serve /healthz and /readyz on the same port. Pass secrets to the container; never put them in the image.
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/tmp/compile-cache \
  ERRAND_HOST=0.0.0.0 \
  ERRAND_PORT=8787 \
  ERRAND_WORKER_PORT=8787 \
  ERRAND_DATA_DIR=/data \
  ERRAND_DEMO=false
EXPOSE 8787
VOLUME /data
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/errand/node_modules/node/bin/node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "/errand/bin/errand"]
CMD ["start"]

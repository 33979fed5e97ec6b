// Generates docs/metrics.md from the table of metrics.
import { METRIC_NAMES, METRICS, PREFIX } from './metrics.table.ts'

const HEAD = `# Metrics

\`GET /metrics\` answers in the text format of Prometheus. The route is experimental: it is there with
\`--experimental-enable-metrics\`, or after \`PATCH /experimental-features\` with \`{"metrics": true}\`.
With a master key it asks for a key with the action \`metrics.get\` and access to all indexes.

\`\`\`yaml
scrape_configs:
  - job_name: svc-search
    authorization:
      credentials: <key with the action metrics.get>
    static_configs:
      - targets: ["localhost:7700"]
\`\`\`

[grafana/svc-search.json](grafana/svc-search.json) is a dashboard over all of it: import it into Grafana and
choose the data source.

Values are looked up when they are collected. Requests are counted from the start of the server; how
long they took is counted while the route is switched on. A path is that of a route; what no route
has is counted as it was asked for, the first hundred such paths each, the others as \`other\`. What
\`process_*\` and \`nodejs_*\` say is that of prom-client.

This page is made from \`server/metrics/metrics.table.ts\` by
\`UPDATE_GOLDEN=1 npx vitest run server/metrics\`.

| metric | kind | labels | what it says |
|---|---|---|---|
`

export function metricsPage(): string {
  const rows = METRIC_NAMES.map((name) => {
    const { kind, labels, help } = METRICS[name]
    const shown = labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${PREFIX}${name}\` | ${kind} | ${shown} | ${help} |\n`
  })
  return HEAD + rows.join('')
}

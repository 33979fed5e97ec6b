// Generates docs/metrics.md from the table of metrics.
import { quotedNames } from '../../format/errors.ts'
import { METRIC_NAMES, METRICS, PREFIX } from './metrics.table.ts'

const HEAD = `# Metrics

\`GET /metrics\` answers in the text format of Prometheus. The route is experimental: enable it with
\`--experimental-enable-metrics\`, or with \`PATCH /experimental-features\` with \`{"metrics": true}\`.
With a master key, it needs a key with the action \`metrics.get\` and access to all indexes.

\`\`\`yaml
scrape_configs:
  - job_name: svc-search
    authorization:
      credentials: <key with the action metrics.get>
    static_configs:
      - targets: ["localhost:7700"]
\`\`\`

[grafana/svc-search.json](grafana/svc-search.json) is a dashboard of all metrics: import it into Grafana and
choose the data source.

Values are read when they are collected. Requests are counted from the start of the server; their
response times are recorded while the route is enabled. Paths are those of routes; the first hundred
unknown paths are counted under their own name, the others as \`other\`. The metrics \`process_*\` and
\`nodejs_*\` come from prom-client.

| metric | type | labels | meaning |
|---|---|---|---|
`

export function metricsPage(): string {
  const rows = METRIC_NAMES.map((name) => {
    const { kind, labels, help } = METRICS[name]
    const shown = quotedNames(labels)
    return `| \`${PREFIX}${name}\` | ${kind} | ${shown} | ${help} |\n`
  })
  return HEAD + rows.join('')
}
